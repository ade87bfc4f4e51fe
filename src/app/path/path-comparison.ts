/** How the paths by other criteria differ from the one that is shown. */
import { effect, signal, type ReadonlySignal } from '@preact/signals';
import type { LockEvents, PathAnswer, PathCriterion, PathRequest } from '../../engine/protocol/paths.ts';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { unlessAborted } from '../experiment/live-answer.ts';
import { CRITERIA, hindranceOf } from './path-words.ts';

/** How another criterion's path differs from the one shown. */
export interface Compared {
  /** ns away from the thread studied. */
  readonly awayNs: number;
  readonly isSame: boolean;
}

/** Part of the session that answers questions. */
export type Asking = Pick<SessionApi, 'ask'>;

/** A path that was asked for and found. */
export interface FoundPath {
  readonly asked: PathRequest;
  readonly found: PathAnswer;
  readonly lockEvents: LockEvents;
}

/** Other criteria are asked for when nothing has changed for so long. */
const REST_MS = 250;

export class PathComparison {
  readonly compared = signal<ReadonlyMap<PathCriterion, Compared>>(new Map());
  readonly dispose: () => void;
  readonly #session: Asking;

  /** @param shown undefined: there is none, or a path is being asked for */
  constructor(session: Asking, shown: ReadonlySignal<FoundPath | undefined>) {
    this.#session = session;
    this.dispose = effect(() => {
      const path = shown.value;
      if (path === undefined) return;
      const change = new AbortController();
      const timer = setTimeout(() => void this.#compare(path, change.signal), REST_MS);
      return () => {
        change.abort();
        clearTimeout(timer);
      };
    });
  }

  forget(): void {
    this.compared.value = new Map();
  }

  async #compare({ asked, found, lockEvents }: FoundPath, signal: AbortSignal): Promise<void> {
    const others = CRITERIA.filter(
      ({ id }) => id !== asked.criterion && hindranceOf(id, asked, lockEvents) === undefined,
    );
    const known = new Map<PathCriterion, Compared>([[asked.criterion, comparedWith(found, found)]]);
    for (const { id } of others) {
      const question = this.#session.ask('path', { ...asked, criterion: id }, { signal });
      const other = await unlessAborted(question, signal);
      if (signal.aborted) return;
      if (other !== undefined) known.set(id, comparedWith(other, found));
    }
    this.compared.value = known;
  }
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
