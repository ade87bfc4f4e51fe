/** Ranking of the threads in which group B spends more time than group A. */
import { compareCodePoints } from '../../../base/compare-text.ts';
import { isThreadFrame } from '../frames.ts';
import type { EcctTable, FrameTree } from '../union-tree.ts';
import { type Contrast, contrastOf, countWith, roundedTimes, roundShare } from './contrast.ts';
import type { Groups } from './groups.ts';

export interface RankedThread extends Contrast {
  /** Frame of the thread, `→ thread NAME`; `own`: the thread that the execution ended in. */
  readonly thread: string;
  /** Share of the whole difference. */
  readonly share: number;
  readonly inA: number;
  readonly inB: number;
}

const OWN = 'own';
/** Least share of the whole difference: what is less is left out. */
const SMALL_SHARE = 0.01;

/**
 * A ns belongs to the last thread that its stack names. Threads with most of the difference come first.
 * @param difference ns of the mean durations; unless B takes longer nothing is ranked
 */
export function rankThreads(
  tree: FrameTree,
  { start, nodes, ns }: EcctTable,
  groups: Groups,
  difference: number,
): RankedThread[] {
  if (!(difference > 0)) return [];
  const { names, ofNode } = threadsOf(tree);
  const ranked: { readonly contrast: Contrast; readonly line: RankedThread }[] = [];
  const times = new Float64Array(start.length - 1);
  names.forEach((thread, index) => {
    for (let number = 0; number < times.length; number++) {
      let sum = 0;
      for (let i = start[number]; i < start[number + 1]; i++) if (ofNode[nodes[i]] === index) sum += ns[i];
      times[number] = sum;
    }
    const contrast = contrastOf(times, groups);
    if (contrast === undefined || !(contrast.difference >= SMALL_SHARE * difference)) return;
    const share = roundShare(contrast.difference / difference);
    const [inA, inB] = [countWith(times, groups.a), countWith(times, groups.b)];
    ranked.push({ contrast, line: { thread, ...roundedTimes(contrast), share, inA, inB } });
  });
  return ranked
    .sort(
      (a, b) =>
        b.contrast.difference - a.contrast.difference || compareCodePoints(a.line.thread, b.line.thread),
    )
    .map(({ line }) => line);
}

/** Frames of threads, each once, and by node which of them its time belongs to. */
function threadsOf({ frames, frame, parent }: FrameTree): {
  readonly names: readonly string[];
  readonly ofNode: Int32Array;
} {
  const names = [OWN];
  const known = new Map<string, number>();
  const ofNode = new Int32Array(parent.length);
  for (let node = 1; node < parent.length; node++) {
    const text = frames[frame[node]];
    if (isThreadFrame(text)) {
      const index = known.get(text) ?? names.push(text) - 1;
      known.set(text, index);
      ofNode[node] = index;
    } else {
      ofNode[node] = ofNode[parent[node]];
    }
  }
  return { names, ofNode };
}
