/** Comparison of the shown path with those by other criteria. */
import { effect, type ReadonlySignal, type Signal } from '@preact/signals';
import type { LockEvents, PathAnswer, PathCriterion, PathRequest } from '../../engine/protocol/paths.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { CRITERIA, hindranceOf } from './path-words.ts';

/** Difference of another criterion's path from the shown one. */
export interface Compared {
  /** ns away from the thread studied. */
  readonly awayNs: number;
  readonly isSame: boolean;
}

export type Asking = Pick<SessionApi, 'ask'>;

export interface FoundPath {
  readonly asked: PathRequest;
  readonly found: PathAnswer;
  readonly lockEvents: LockEvents;
}

/** Delay after the last change before other criteria are asked for. */
const REST_MS = 250;

/**
 * Asks for the paths by all criteria when one has been shown for a while, and sets `compared` to their differences.
 * @param shown undefined: there is none, or a path is being asked for
 * @returns a function that ends that
 */
export function comparePaths(
  session: Asking,
  shown: ReadonlySignal<FoundPath | undefined>,
  compared: Signal<ReadonlyMap<PathCriterion, Compared>>,
): () => void {
  return effect(() => {
    const path = shown.value;
    if (path === undefined) return;
    const change = new AbortController();
    const { signal } = change;
    const compare = async () => {
      const known = await comparedPaths(session, path, signal);
      if (!signal.aborted) compared.value = known;
    };
    const timer = setTimeout(() => void compare(), REST_MS);
    return () => {
      change.abort();
      clearTimeout(timer);
    };
  });
}

async function comparedPaths(session: Asking, { asked, found, lockEvents }: FoundPath, signal: AbortSignal) {
  const known = new Map<PathCriterion, Compared>([[asked.criterion, comparedWith(found, found)]]);
  for (const { id } of CRITERIA) {
    if (signal.aborted) break;
    if (id === asked.criterion || hindranceOf(id, asked, lockEvents) !== undefined) continue;
    const question = session.ask('path', { ...asked, criterion: id }, { signal });
    const other = await unlessAborted(question, signal);
    if (other !== undefined) known.set(id, comparedWith(other, found));
  }
  return known;
}

function comparedWith(other: PathAnswer, shown: PathAnswer): Compared {
  return { awayNs: awayNs(other), isSame: other === shown || sameSegments(other, shown) };
}

/** ns on the path away from the thread studied. @internal */
export function awayNs({ row, workers, segments }: PathAnswer): number {
  let ns = 0;
  for (let i = 0; i < segments.length; i++)
    if (workers[segments.worker[i]].row !== row) ns += segments.to[i] - segments.from[i];
  return ns;
}

function sameSegments(a: PathAnswer, b: PathAnswer): boolean {
  if (a.segments.length !== b.segments.length) return false;
  for (let i = 0; i < a.segments.length; i++) {
    if (a.segments.to[i] !== b.segments.to[i] || a.segments.label[i] !== b.segments.label[i]) return false;
    const [x, y] = [a.workers[a.segments.worker[i]], b.workers[b.segments.worker[i]]];
    if (x.row !== y.row || x.host !== y.host || x.cpu !== y.cpu) return false;
  }
  return true;
}
