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
import { codeOfPart, wordOfPart } from './path-words.ts';

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
  const rows = new Map<string, Omit<PathRow, 'details' | 'served'>>();
  // Texts are summed up and sorted once: a cause of a long path has very many parts.
  const details = new TextTimes();
  const served = new TextTimes();
  for (const part of answer.parts) {
    const { name, tid, host: index } = answer.workers[part.worker];
    const host = hostName(info.hosts, index);
    const code = codeOfPart(part.value);
    // What a softirq waited is no thread's.
    const cause = codes.waitingSoftirq(part.value) < 0 ? code : part.value;
    const key = by === 'thread' ? `${part.worker}:${cause}` : `${cause}`;
    const known = rows.get(key);
    const longest = longerOf(answer, known?.longest ?? -1, longestLike(answer, part));
    rows.set(key, {
      key,
      worker: known?.worker ?? part.worker,
      name: tid === undefined ? name : `${name} ${tid}`,
      host,
      state: wordOfPart(part.value),
      code,
      ns: (known?.ns ?? 0) + part.ns,
      parts: (known?.parts ?? 0) + part.segments,
      longest,
    });
    details.add(key, detailsOf(part));
    served.add(key, part.served);
  }
  return Array.from(rows.values(), (row) => ({
    ...row,
    details: details.of(row.key),
    served: served.of(row.key),
  }));
}

function detailsOf({ blockers, detail, ns }: PathPart): readonly PathBlocker[] {
  if (blockers.length > 0) return blockers;
  return detail === '' ? [] : [{ text: detail, ns }];
}

/** Times by text, of each key. */
class TextTimes {
  readonly #times = new Map<string, Map<string, number>>();

  add(key: string, more: readonly PathBlocker[]): void {
    const times = this.#times.get(key) ?? new Map<string, number>();
    this.#times.set(key, times);
    for (const { text, ns } of more) times.set(text, (times.get(text) ?? 0) + ns);
  }

  /** Most time first. */
  of(key: string): readonly PathBlocker[] {
    const times = this.#times.get(key) ?? [];
    return Array.from(times, ([text, ns]) => ({ text, ns })).sort((x, y) => y.ns - x.ns);
  }
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

/** Longest segment of what is as a part of a path; -1: there is none. */
function longestLike(answer: ExplainedPath, { worker, value }: PathPart): number {
  return longestSegments(answer).get(`${worker}:${labelOfCode(codeOfPart(value), value)}`) ?? -1;
}

/** Sums of an owner of parts by draw code, most first, and its longest segment. */
export function ownerStates(answer: ExplainedPath, { parts }: PathOwner) {
  const byCode = groupBy(parts, ({ value }) => codeOfPart(value));
  const states = Array.from(byCode, ([code, own]) => ({ code, ns: timeOf(own) }));
  return {
    states: states.sort((a, b) => b.ns - a.ns),
    longest: parts.reduce((longest, part) => longerOf(answer, longest, longestLike(answer, part)), -1),
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
