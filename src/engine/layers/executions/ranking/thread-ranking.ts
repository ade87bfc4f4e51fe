/** Ranking of the threads in which group B spends more time than group A, or less where its executions are shorter. */
import { compareCodePoints } from '../../../base/compare-text.ts';
import { isThreadFrame } from '../frames.ts';
import type { EcctTable, FrameTree } from '../union-tree.ts';
import {
  type Contrast,
  contrastOf,
  countWith,
  roundedTimes,
  roundShare,
  wholeDifference,
} from './contrast.ts';
import type { Groups } from './groups.ts';
import type { Compared } from './compared.ts';

export interface RankedThread extends Contrast {
  /** Frame of the thread, `→ thread NAME`; `own`: the thread that the execution ended in. */
  readonly thread: string;
  /** Share of the whole difference. */
  readonly share: number;
  readonly inA: number;
  readonly inB: number;
}

const OWN = 'own';
/** Least part of the difference that is listed: one in so many. */
const LARGE_PART = 100;

/**
 * A ns belongs to the last thread that its stack names. Threads with most of the difference come first; those with less
 * than a hundredth of it, or a difference of the other sign, are left out.
 */
export function rankThreads({ tree, eccts, durations }: Compared, groups: Groups): RankedThread[] {
  const total = wholeDifference(durations, groups);
  if (total === 0) return [];
  const size = Math.abs(total);
  const { names, ofNode } = threadsOf(tree);
  const ranked = names.flatMap((thread, index) => {
    const times = timesOf(eccts, ofNode, index, durations.length);
    const contrast = contrastOf(times, groups);
    const part = Math.sign(total) * wholeDifference(times, groups);
    if (contrast === undefined || LARGE_PART * part < size) return [];
    const share = roundShare(part / size);
    const [inA, inB] = [countWith(times, groups.a), countWith(times, groups.b)];
    return [{ part, line: { thread, ...roundedTimes(contrast), share, inA, inB } }];
  });
  return ranked
    .sort((a, b) => b.part - a.part || compareCodePoints(a.line.thread, b.line.thread))
    .map(({ line }) => line);
}

/** ns by execution that belong to a thread. */
function timesOf(
  { start, nodes, ns }: EcctTable,
  ofNode: Int32Array,
  thread: number,
  executions: number,
): Float64Array {
  const times = new Float64Array(executions);
  for (let number = 0; number < executions; number++)
    for (let i = start[number]; i < start[number + 1]; i++)
      if (ofNode[nodes[i]] === thread) times[number] += ns[i];
  return times;
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
