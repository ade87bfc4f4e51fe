/** Active paths: segments that tile a range, oldest first (the builder takes them latest first), and the waits they explain. */
import { trimmed, widen } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows, u8 } from '../base/tables.ts';
import type { GraphWorker } from './execution-graph.ts';
import { VIA_NOTHING, VIA_WAIT } from './path-codes.ts';

const SEGMENTS = {
  worker: i32(),
  /** Each begins where the one before ends. */
  from: f64(),
  to: f64(),
  label: u8(),
  /** Cause, like that of the edge; for unknown ones REASON_*. */
  cause: f64(),
  /** Row of the wait that the segment explains, -1: it is the studied thread's own time. */
  wait: i32(),
  /** How the path comes to it from the segment before: VIA_*. */
  via: u8(),
};
export type Segments = ReadRows<typeof SEGMENTS>;
/** Shared empty tables for new paths: making an array takes longer than the rows of most. */
const NO_SEGMENTS = noRows(SEGMENTS);

/** Waits that the path went into: `worker` was blocked by `cause` within wait `parent`. */
const WAITS = {
  worker: i32(),
  cause: f64(),
  /** -1: a wait of the studied thread. */
  parent: i32(),
  /** Number of nested waits, itself included. */
  depth: i32(),
};
export type Waits = ReadRows<typeof WAITS>;
const NO_WAITS = noRows(WAITS);

export interface Path {
  readonly worker: GraphWorker;
  readonly from: number;
  readonly to: number;
  readonly segments: Segments;
  readonly waits: Waits;
  readonly visited: number;
  /** Number of waits that were folded into the next one. */
  readonly folded: number;
}

/** Deeper waits count as part of the one at this depth: criteria that never come back could nest without end. */
const DEEPEST_WAIT = 64;

/** Rows with room at first: most paths of executions are short, and V8 keeps small arrays in its heap. */
const FIRST_ROWS = 8;

/** State that a walk keeps to undo what it did after some point. */
export interface PathMark {
  length: number;
  time: number;
  wait: number;
}

export class PathBuilder {
  length = 0;
  /** Row of the wait that is being explained, -1 none. */
  wait = -1;
  readonly #segments = { ...NO_SEGMENTS };
  readonly #waits = { ...NO_WAITS };
  #waitCount = 0;
  /** 1 by wait: it is for a lock, or within one that is. */
  readonly #ofLock: number[] = [];

  /** Adds the segment before the last one. It joins an equal adjacent one, unless only one of them explains a wait for a lock. */
  add(worker: GraphWorker, from: number, to: number, label: number, cause: number): void {
    if (!(from < to)) return;
    const s = this.#segments;
    const last = this.length - 1;
    const isLike =
      last >= 0 && s.worker[last] === worker && s.label[last] === label && s.cause[last] === cause;
    if (
      isLike &&
      (s.wait[last] === this.wait || !(this.#isOfLock(s.wait[last]) || this.#isOfLock(this.wait)))
    ) {
      s.from[last] = from;
      s.via[last] = VIA_NOTHING;
      return;
    }
    if (this.length === s.worker.length) widen(s, FIRST_ROWS);
    const at = this.length++;
    s.worker[at] = worker;
    s.from[at] = from;
    s.to[at] = to;
    s.label[at] = label;
    s.cause[at] = cause;
    s.wait[at] = this.wait;
    s.via[at] = VIA_NOTHING;
  }

  /** Sets how the path came to the segment added last. The first call counts: it is nearest. */
  cameVia(via: number): void {
    const last = this.length - 1;
    if (last >= 0 && this.#segments.via[last] === VIA_NOTHING) this.#segments.via[last] = via;
  }

  /** Fills `mark` with the place of the path at `time`. */
  mark(mark: PathMark, time: number): void {
    mark.length = this.length;
    mark.time = time;
    mark.wait = this.wait;
  }

  backTo(mark: Readonly<PathMark>): void {
    this.wait = mark.wait;
    this.#end(mark.length, mark.time);
  }

  /** Removes everything before `time`. */
  cut(time: number): void {
    const { to } = this.#segments;
    let { length } = this;
    while (length > 0 && to[length - 1] <= time) length--;
    this.#end(length, time);
  }

  /** Enters a wait of `worker`, blocked by `cause`, maybe for a lock: what follows explains it. @returns the wait before */
  enterWait(worker: GraphWorker, cause: number, isForLock = false): number {
    const before = this.wait;
    const w = this.#waits;
    const depth = before < 0 ? 1 : w.depth[before] + 1;
    if (depth > DEEPEST_WAIT) return before;
    if (this.#waitCount === w.worker.length) widen(w, FIRST_ROWS);
    const at = this.#waitCount++;
    this.#ofLock[at] = isForLock || this.#isOfLock(before) ? 1 : 0;
    w.worker[at] = worker;
    w.cause[at] = cause;
    w.parent[at] = before;
    w.depth[at] = depth;
    this.wait = at;
    return before;
  }

  /** Notes that the path has reached `worker`: if it is one of the waiters, its own time is explained from here on. */
  comeTo(worker: GraphWorker): void {
    const { worker: waiting, parent } = this.#waits;
    for (let wait = this.wait; wait >= 0; wait = parent[wait]) {
      if (waiting[wait] === worker) this.wait = parent[wait];
    }
  }

  finish(): { readonly segments: Segments; readonly waits: Waits } {
    const segments = trimmed(this.#segments, this.length);
    for (const column of Object.values(segments)) column.reverse();
    for (let i = 0; i < this.length; i++) {
      const stays = i === 0 || segments.worker[i] === segments.worker[i - 1];
      if (stays) segments.via[i] = VIA_NOTHING;
      else if (segments.via[i] === VIA_NOTHING) segments.via[i] = VIA_WAIT;
    }
    return {
      segments: { length: this.length, ...segments },
      waits: { length: this.#waitCount, ...trimmed(this.#waits, this.#waitCount) },
    };
  }

  #isOfLock(wait: number): boolean {
    return wait >= 0 && this.#ofLock[wait] === 1;
  }

  /** Keeps `length` segments, the last of which begins at `time`. */
  #end(length: number, time: number): void {
    this.length = length;
    if (length === 0) return;
    this.#segments.from[length - 1] = time;
    this.#segments.via[length - 1] = VIA_NOTHING;
  }
}

/** Criteria of the active path (Giraldeau 2015, section 4.3.1); `walk.ts` tells how each returns from a jump. */
export const CRITERIA = ['main task', 'reconvergence', 'marked unrelated', 'exact', 'lock holder'] as const;

/** `lock holder` needs a graph with lock waits (`lock-graph.ts`). */
export type Criterion = (typeof CRITERIA)[number];

export interface PathRequest {
  readonly worker: GraphWorker;
  /** ns on the graph's axis. */
  readonly from: number;
  readonly to: number;
  readonly criterion: Criterion;
  readonly marked?: ReadonlySet<GraphWorker>;
  /** Folds the waits of event loops that end by timers (`folding.ts`). */
  readonly foldLoops?: boolean;
}

/** Criterion by its name, written with spaces or hyphens; undefined: there is none of that name. */
export function criterionOf(name: string): Criterion | undefined {
  const wanted = name.replaceAll('-', ' ');
  return CRITERIA.find((criterion) => criterion === wanted);
}
