/** The rows of the table "Time on the path". Pure. */
import * as codes from '../../engine/graph/path-codes.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { PathBlocker, PathPart } from '../../engine/protocol/paths.ts';
import { cachedByKey } from '../../engine/base/cached-by-key.ts';
import { groupBy } from '../../engine/base/group-by.ts';
import { type PathOwner, timeOf } from '../../engine/answers/paths/path-owners.ts';
import { hostName } from '../format/text.ts';
import { DRAW_STYLES } from '../draw/draw-codes.ts';
import type { ExplainedPath } from './path-state.ts';
import { codeOfPart, summedByText, wordOfPart } from './path-words.ts';

export type PathBy = 'thread' | 'cause';

export interface PathRow {
  readonly key: string;
  /** Index of its worker; the first one if a cause has several. */
  readonly worker: number;
  readonly name: string;
  /** Name of the host, safe to show. */
  readonly host: string;
  readonly state: string;
  readonly code: number;
  readonly ns: number;
  /** Number of parts of segments: a segment has one for each state and system call that it was in. */
  readonly parts: number;
  /** Number of the longest segment of these; -1: none. */
  readonly longest: number;
  /** Blockers that took the time, or else its system calls, most time first. */
  readonly details: readonly PathBlocker[];
  /** Threads that made the requests that the disks served meanwhile, for waits for disks. */
  readonly served: readonly PathBlocker[];
}

export function pathRows(answer: ExplainedPath, by: PathBy, info: ExperimentInfo): PathRow[] {
  const groups = groupBy(answer.parts, ({ worker, value }) => {
    // The waiting time of a softirq belongs to no thread.
    const cause = codes.waitingSoftirq(value) < 0 ? codeOfPart(value) : value;
    return by === 'thread' ? `${worker}:${cause}` : `${cause}`;
  });
  return Array.from(groups, ([key, parts]): PathRow => {
    const { worker } = parts[0];
    // State, name and host are those of the last part; the table shows name and host for threads only.
    const last = parts[parts.length - 1];
    const { name, tid, host } = answer.workers[last.worker];
    return {
      ...{ key, worker, name: tid === undefined ? name : `${name} ${tid}`, host: hostName(info.hosts, host) },
      state: wordOfPart(last.value),
      code: codeOfPart(last.value),
      ns: timeOf(parts),
      parts: parts.reduce((sum, { segments }) => sum + segments, 0),
      longest: longestOf(answer, parts),
      // Summed and sorted once, since a cause of a long path has very many parts.
      details: summedByText(parts.flatMap(detailsOf)),
      served: summedByText(parts.flatMap(({ served }) => served)),
    };
  });
}

function detailsOf({ blockers, detail, ns }: PathPart): readonly PathBlocker[] {
  if (blockers.length > 0) return blockers;
  return detail === '' ? [] : [{ text: detail, ns }];
}

/** The longest segment of each worker and label, found in one pass, since a path may have very many. */
const longestSegments = cachedByKey((answer: ExplainedPath): Map<string, number> => {
  const { length, worker, label } = answer.segments;
  const longest = new Map<string, number>();
  for (let i = 0; i < length; i++) {
    const key = `${worker[i]}:${label[i]}`;
    longest.set(key, longerOf(answer, longest.get(key) ?? -1, i));
  }
  return longest;
});

/** Longest segment with the worker and label of one of these parts; -1: there is none. */
function longestOf(answer: ExplainedPath, parts: readonly PathPart[]): number {
  const likes = parts.map(({ worker, value }) => `${worker}:${labelOfCode(codeOfPart(value), value)}`);
  const segments = longestSegments(answer);
  return likes.reduce((longest, like) => longerOf(answer, longest, segments.get(like) ?? -1), -1);
}

/** Sums of an owner's parts by draw code, most first, and its longest segment. */
export function ownerStates(answer: ExplainedPath, { parts }: PathOwner) {
  const byCode = groupBy(parts, ({ value }) => codeOfPart(value));
  const states = Array.from(byCode, ([code, own]) => ({ code, ns: timeOf(own) }));
  return {
    states: states.sort((a, b) => b.ns - a.ns),
    longest: longestOf(answer, parts),
  };
}

/** The longer of two segments, the first if they are equal; -1: there is none. */
function longerOf({ segments }: ExplainedPath, a: number, b: number): number {
  if (a < 0 || b < 0) return Math.max(a, b);
  return segments.to[b] - segments.from[b] > segments.to[a] - segments.from[a] ? b : a;
}

function labelOfCode(code: number, value: number): number {
  if (value === codes.PACKET_ON_ITS_WAY) return codes.NETWORK;
  if (codes.isOnHost(value)) return codes.RUNNING;
  switch (DRAW_STYLES[code].form) {
    case 'full':
      return codes.RUNNING;
    case 'ready':
      return codes.PREEMPTED;
    case 'wait':
    case 'line':
      return codes.BLOCKED;
    default:
      return codes.UNKNOWN;
  }
}
