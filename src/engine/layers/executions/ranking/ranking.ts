/** Ranking of what makes group B take longer (or less) than group A (Doray & Dagenais, 2016). */
import { DURATION_METRICS, type Metric } from '../metrics.ts';
import { type Compared, withPools } from './compared.ts';
import {
  type Contrast,
  contrastOf,
  roundedNumbers,
  roundNs,
  countWith,
  roundedTimes,
  roundShare,
  wholeDifference,
} from './contrast.ts';
import { type RankedNode, rankNodes } from './node-ranking.ts';
import { compareCodePoints } from '../../../base/compare.ts';
import { TextList } from '../../../base/text-list.ts';
import { isThreadFrame } from '../frames.ts';
import type { EcctTable, FrameTree } from '../union-tree.ts';
import type { Groups } from './groups.ts';

export interface Ranking {
  /** ns: mean duration of B minus that of A. */
  readonly difference: number;
  readonly nodes: readonly RankedNode[];
  readonly threads: readonly RankedThread[];
  readonly metrics: readonly RankedMetric[];
  /** Executions of B with an excess of which no set of nodes explains half. */
  readonly unexplained: readonly number[];
}

/** @returns undefined: a group is empty */
export function rank(compared: Compared, groups: Groups): Ranking | undefined {
  const total = contrastOf(compared.durations, groups);
  if (total === undefined) return undefined;
  const pooled = withPools(compared);
  return {
    difference: roundNs(total.difference),
    ...rankNodes(pooled, groups),
    threads: rankThreads(pooled, groups),
    metrics: rankMetrics(compared.metrics, groups),
  };
}

export interface RankedMetric extends Contrast {
  readonly metric: string;
}

/** Metrics that differ, largest effect first, as units differ; first those without an effect because neither group varies. */
function rankMetrics(metrics: readonly Metric[], groups: Groups): RankedMetric[] {
  return metrics
    .filter(({ name, texts }) => !DURATION_METRICS.includes(name) && !isIdentifier(texts, groups))
    .flatMap(({ name, values }) => {
      const contrast = contrastOf(values, groups);
      return contrast === undefined || contrast.difference === 0 ? [] : [{ metric: name, ...contrast }];
    })
    .sort((a, b) => sizeOf(b.effect) - sizeOf(a.effect) || 0)
    .map(({ metric, ...contrast }) => ({ metric, ...roundedNumbers(contrast) }));
}

/** Whether a value of the groups is a text: values that a double cannot hold are identifiers. */
function isIdentifier(texts: Metric['texts'], { a, b }: Groups): boolean {
  return texts !== undefined && [a, b].some((group) => group.some((number) => texts.has(number)));
}

/** Size of an effect. Differences of infinite sizes are NaN, which `||` makes 0. */
function sizeOf(effect: number | null): number {
  return effect === null ? Infinity : Math.abs(effect);
}

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
 * Ranks threads; a ns belongs to the last thread of its stack. Largest difference first, at least a hundredth of it
 * and of the same sign.
 */
function rankThreads({ tree, eccts, durations }: Compared, groups: Groups): RankedThread[] {
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

/** Frames of threads, each once, and by node the one that its time belongs to. */
function threadsOf({ frames, frame, parent }: FrameTree): {
  readonly names: readonly string[];
  readonly ofNode: Int32Array;
} {
  const names = new TextList([OWN]);
  const ofNode = new Int32Array(parent.length);
  for (let node = 1; node < parent.length; node++) {
    const text = frames[frame[node]];
    if (isThreadFrame(text)) {
      ofNode[node] = names.indexOf(text);
    } else {
      ofNode[node] = ofNode[parent[node]];
    }
  }
  return { names: names.list, ofNode };
}

/** Waits of executions for locks, in order of the executions. */
export interface LockTimes {
  /** `mutex 0x…f260 of wk-lockfight`, `/tmp/.ZendSem.x`; `futex 0x…a060 of postgres` without lock events. */
  readonly names: readonly string[];
  readonly length: number;
  /** Number of the execution, or of another interval asked about. */
  readonly interval: Int32Array;
  /** Index in `names`. */
  readonly lock: Int32Array;
  readonly ns: Float64Array;
}

export interface RankedLock extends Contrast {
  readonly name: string;
  readonly inA: number;
  readonly inB: number;
}

/** Locks with the largest difference first, without those for which B does not wait longer. @param executions their number */
export function rankLocks(
  { names, length, interval, lock, ns }: LockTimes,
  executions: number,
  groups: Groups,
): RankedLock[] {
  const ranked = names.flatMap((name, index): RankedLock[] => {
    const times = new Float64Array(executions);
    for (let i = 0; i < length; i++) if (lock[i] === index) times[interval[i]] = ns[i];
    const contrast = contrastOf(times, groups);
    if (contrast === undefined || !(contrast.difference > 0)) return [];
    const [inA, inB] = [countWith(times, groups.a), countWith(times, groups.b)];
    return [{ name, ...roundedTimes(contrast), inA, inB }];
  });
  return ranked.sort((a, b) => b.difference - a.difference);
}
