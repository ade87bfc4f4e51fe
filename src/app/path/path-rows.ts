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
  /** Index of its worker; of several of a cause the first. */
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
  /** Blockers that took the time, or else the system calls that it was in; most time first. */
  readonly details: readonly PathBlocker[];
  /** Makers of the requests that disks served meanwhile, of waits for disks. */
  readonly served: readonly PathBlocker[];
}

export function pathRows(answer: ExplainedPath, by: PathBy, info: ExperimentInfo): PathRow[] {
  const groups = groupBy(answer.parts, ({ worker, value }) => {
    // What a softirq waited is no thread's.
    const cause = codes.waitingSoftirq(value) < 0 ? codeOfPart(value) : value;
    return by === 'thread' ? `${worker}:${cause}` : `${cause}`;
  });
  return Array.from(groups, ([key, parts]): PathRow => {
    const { worker } = parts[0];
    // The state is that of the last one, as are name and host, which the table shows of threads alone.
    const last = parts[parts.length - 1];
    const { name, tid, host } = answer.workers[last.worker];
    return {
      ...{ key, worker, name: tid === undefined ? name : `${name} ${tid}`, host: hostName(info.hosts, host) },
      state: wordOfPart(last.value),
      code: codeOfPart(last.value),
      ns: timeOf(parts),
      parts: parts.reduce((sum, { segments }) => sum + segments, 0),
      longest: longestOf(answer, parts),
      // Summed up and sorted once: a cause of a long path has very many parts.
      details: summedByText(parts.flatMap(detailsOf)),
      served: summedByText(parts.flatMap(({ served }) => served)),
    };
  });
}

function detailsOf({ blockers, detail, ns }: PathPart): readonly PathBlocker[] {
  if (blockers.length > 0) return blockers;
  return detail === '' ? [] : [{ text: detail, ns }];
}

/** The longest segment of each worker and label: gone through once, since a path may have very many. */
const longestSegments = cachedByKey((answer: ExplainedPath): Map<string, number> => {
  const { length, worker, label } = answer.segments;
  const longest = new Map<string, number>();
  for (let i = 0; i < length; i++) {
    const key = `${worker[i]}:${label[i]}`;
    longest.set(key, longerOf(answer, longest.get(key) ?? -1, i));
  }
  return longest;
});

/** Longest segment of what is as one of these parts of a path; -1: there is none. */
function longestOf(answer: ExplainedPath, parts: readonly PathPart[]): number {
  const likes = parts.map(({ worker, value }) => `${worker}:${labelOfCode(codeOfPart(value), value)}`);
  const segments = longestSegments(answer);
  return likes.reduce((longest, like) => longerOf(answer, longest, segments.get(like) ?? -1), -1);
}

/** Sums of an owner of parts by draw code, most first, and its longest segment. */
export function ownerStates(answer: ExplainedPath, { parts }: PathOwner) {
  const byCode = groupBy(parts, ({ value }) => codeOfPart(value));
  const states = Array.from(byCode, ([code, own]) => ({ code, ns: timeOf(own) }));
  return {
    states: states.sort((a, b) => b.ns - a.ns),
    longest: longestOf(answer, parts),
  };
}

/** The longer of two segments, the first where they are equal; -1: there is none. */
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
