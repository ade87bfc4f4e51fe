/** Trend of executions over many recordings, and the first recording in which they are slower than in all before. */
import type { ExecutionDatabase } from '../database/database.ts';
import type { ExecutionDefinition } from '../definition.ts';
import { contrastOf, NORMAL } from './contrast.ts';
import { FEWEST, medianOf, nearestRank, traceGroups } from './groups.ts';

/** Executions of one recording, reduced to what a trend needs. */
export interface Recording extends Pick<ExecutionDatabase, 'trace' | 'name' | 'originNs'> {
  readonly file: string;
  readonly definition: ExecutionDefinition;
  /** ns, ascending. */
  readonly sorted: Float64Array;
}

export interface TrendPoint extends Recording {
  /** ns; NaN: there are no executions. */
  readonly medianNs: number;
  readonly p95Ns: number;
  /** Whether there are enough executions to call it slower or not. */
  readonly isKnown: boolean;
}

interface Slower {
  /** Number of its point. */
  readonly point: number;
  /** Largest median of the recordings before, ns. */
  readonly beforeNs: number;
  /** Mean duration minus that of the earlier executions, in pooled standard deviations; null: none varies. */
  readonly effect: number | null;
}

export interface Trend {
  /** Recordings in order of their time. */
  readonly points: readonly TrendPoint[];
  /** Undefined: none is slower, or it is not known. */
  readonly slower: Slower | undefined;
}

/** Least ratio of a slower median to the largest before. */
const SLOWER = 1.1;
const TAIL = 95;

export function recordingOf(file: string, { trace, name, originNs, answer }: ExecutionDatabase): Recording {
  const { definition, from, to } = answer;
  const sorted = Float64Array.from(from, (begin, i) => to[i] - begin).sort();
  return { file, trace, name, originNs, definition, sorted };
}

/**
 * Finds the first slower recording: its median is at least a tenth above that of every recording before, and its
 * executions take longer than all those before by more than normal variation (`NORMAL`). Recordings of fewer than
 * `FEWEST` executions are left out.
 */
export function trendOf(recordings: readonly Recording[]): Trend {
  const points = recordings
    .map((recording) => ({
      ...recording,
      medianNs: medianOf(recording.sorted),
      p95Ns: nearestRank(recording.sorted, TAIL),
      isKnown: recording.sorted.length >= FEWEST,
    }))
    .sort((a, b) => Number(BigInt(a.originNs) - BigInt(b.originNs)));
  let beforeNs = NaN;
  const before: number[] = [];
  for (const [point, { sorted, medianNs, isKnown }] of points.entries()) {
    if (!isKnown) continue;
    if (medianNs > beforeNs && medianNs >= SLOWER * beforeNs) {
      const all = Float64Array.from([...before, ...sorted]);
      const effect = contrastOf(all, traceGroups(before.length, all.length))?.effect ?? null;
      if (effect === null || effect >= NORMAL) return { points, slower: { point, beforeNs, effect } };
    }
    beforeNs = Math.max(medianNs, Number.isNaN(beforeNs) ? 0 : beforeNs);
    for (const ns of sorted) before.push(ns);
  }
  return { points, slower: undefined };
}

/** Sentence on the first slower recording. @param time formats ns */
export function trendSentence({ points, slower }: Trend, time: (ns: number) => string): string {
  const known = points.filter(({ isKnown }) => isKnown).length;
  const few = points.length - known;
  const leftOut =
    few === 0 ? '' : ` ${few} of fewer than ${FEWEST} executions ${few === 1 ? 'is' : 'are'} left out.`;
  if (known < 2)
    return `Whether one is slower is not known: two recordings of ${FEWEST} executions or more are needed.`;
  if (slower === undefined) return `No recording is slower than all before it.${leftOut}`;
  const { file, medianNs } = points[slower.point];
  const percent = Math.round(100 * (medianNs / slower.beforeNs - 1));
  const effect = slower.effect === null ? '' : `, ${slower.effect.toFixed(1)} standard deviations on average`;
  return (
    `The first slower one is ${file}: its median is ${time(medianNs)}, ${percent} % above the largest before ` +
    `(${time(slower.beforeNs)})${effect}.${leftOut}`
  );
}

/** Text of a recording's time 0, in UTC: `2026-11-28 22:05:47`; in ns if its clock has no known origin. */
export function recordedAt({ originNs }: Pick<Recording, 'originNs'>): string {
  const ms = Number(BigInt(originNs) / 1_000_000n);
  return ms >= 0 ? new Date(ms).toISOString().slice(0, 19).replace('T', ' ') : `${originNs} ns`;
}
