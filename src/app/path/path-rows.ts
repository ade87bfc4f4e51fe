/** The rows of the table "Time on the path". Pure. */
import { BLOCKED, NETWORK, PREEMPTED, RUNNING, UNKNOWN } from '../../engine/graph/path-codes.ts';
import type { ExperimentInfo, PathAnswer, PathCulprit, PathPart } from '../../workers/session-api.ts';
import { DRAW_STYLES } from '../timeline/draw-codes.ts';
import { codeOfPart, wordOfPart } from './path-words.ts';

export type PathBy = 'thread' | 'host' | 'cause';

export interface PathRow {
  readonly key: string;
  readonly name: string;
  readonly host: string;
  readonly state: string;
  readonly code: number;
  readonly ns: number;
  readonly segments: number;
  /** Number of the longest segment of these; -1: none. */
  readonly longest: number;
  /** Who took the time, or else in which system calls it was; most time first. */
  readonly details: readonly PathCulprit[];
  /** Of waits for disks, whose requests these served meanwhile. */
  readonly served: readonly PathCulprit[];
}

export function pathRows(answer: PathAnswer, by: PathBy, info: ExperimentInfo): PathRow[] {
  const rows = new Map<string, PathRow>();
  for (const part of answer.parts) {
    const { name, tid, host } = answer.workers[part.worker];
    const hostName = info.hosts.find(({ index }) => index === host)?.name ?? '';
    const code = codeOfPart(part.value);
    const owner = by === 'thread' ? `${part.worker}` : by === 'host' ? hostName : '';
    const key = `${owner}:${code}`;
    const known = rows.get(key);
    const longest = longestOf(answer, part, known?.longest ?? -1);
    rows.set(key, {
      key,
      name: tid === undefined ? name : `${name} ${tid}`,
      host: hostName,
      state: wordOfPart(part.value),
      code,
      ns: (known?.ns ?? 0) + part.ns,
      segments: (known?.segments ?? 0) + part.segments,
      longest,
      details: merged(known?.details ?? [], detailsOf(part)),
      served: merged(known?.served ?? [], part.served),
    });
  }
  return [...rows.values()];
}

function detailsOf({ culprits, detail, ns }: PathPart): readonly PathCulprit[] {
  if (culprits.length > 0) return culprits;
  return detail === '' ? [] : [{ text: detail, ns }];
}

function merged(a: readonly PathCulprit[], b: readonly PathCulprit[]): readonly PathCulprit[] {
  if (b.length === 0) return a;
  const byText = new Map<string, number>();
  for (const { text, ns } of [...a, ...b]) byText.set(text, (byText.get(text) ?? 0) + ns);
  return Array.from(byText, ([text, ns]) => ({ text, ns })).sort((x, y) => y.ns - x.ns);
}

/** Longest segment of a part's worker whose label fits the part, or `longest` if that is longer. */
function longestOf({ segments }: PathAnswer, part: PathPart, longest: number): number {
  const label = labelOfCode(codeOfPart(part.value), part.value);
  let best = longest;
  for (let i = 0; i < segments.length; i++) {
    if (segments.worker[i] !== part.worker || segments.label[i] !== label) continue;
    if (best < 0 || segments.to[i] - segments.from[i] > segments.to[best] - segments.from[best]) best = i;
  }
  return best;
}

function labelOfCode(code: number, value: number): number {
  if (value < 0) return NETWORK;
  switch (DRAW_STYLES[code].form) {
    case 'full':
      return RUNNING;
    case 'ready':
      return PREEMPTED;
    case 'wait':
    case 'line':
      return BLOCKED;
    default:
      return UNKNOWN;
  }
}
