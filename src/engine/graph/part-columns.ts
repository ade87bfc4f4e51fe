/** Parts of segments while they are added up, equal ones of a segment as one, and blockers: who took the time of a part. */
import { GrowingTable } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows } from '../base/tables.ts';
import type { GraphWorker } from './execution-graph.ts';

const PARTS = {
  /** A stored value of a thread's state, or one of `path-codes.ts`. */
  value: i32(),
  /** The system call that it was in or waited in, as an index of the strings of its worker's host; -1: none. */
  call: i32(),
  /** Number of the blocker that took the time; -1: the worker itself. */
  blocker: i32(),
  ns: f64(),
};

export interface Parts extends ReadRows<typeof PARTS> {
  /** Parts of segment i are rows [start[i], start[i + 1]). */
  readonly start: Int32Array;
}

export class PartColumns {
  readonly #start: number[] = [];
  readonly #table = new GrowingTable(noRows(PARTS));

  /** Begins the parts of the next segment. */
  begin(): void {
    this.#start.push(this.#table.length);
  }

  /** Nothing is added for a part without length. */
  add(value: number, call: number, blocker: number, ns: number): void {
    if (!(ns > 0)) return;
    const { rows, length } = this.#table;
    for (let i = this.#start[this.#start.length - 1]; i < length; i++) {
      if (rows.value[i] === value && rows.call[i] === call && rows.blocker[i] === blocker) {
        rows.ns[i] += ns;
        return;
      }
    }
    const at = this.#table.addRow();
    rows.value[at] = value;
    rows.call[at] = call;
    rows.blocker[at] = blocker;
    rows.ns[at] = ns;
  }

  finish(): Parts {
    return { start: Int32Array.from([...this.#start, this.#table.length]), ...this.#table.toTable() };
  }
}

/** Progress of a request while somebody waited for it. */
export type RequestStep = 'not made yet' | 'queued' | 'at the device' | 'completed';

/** Why who waited for a CPU was ready. */
export type Ready = 'woken' | 'preempted' | 'softirq';

export type Blocker =
  | { readonly kind: 'thread'; readonly worker: GraphWorker }
  /** The CPU was idle: a woken thread was waking up, a preempted one may not run (its control group), a softirq waited. */
  | { readonly kind: 'idle'; readonly host: number; readonly cpu: number; readonly waits: Ready }
  | { readonly kind: 'interrupt'; readonly name: string }
  /** Cause that ended a wait on the host of a virtual machine, where no thread did. */
  | { readonly kind: 'cause'; readonly name: string }
  /** `worker`: who made the request, NOBODY unknown. */
  | {
      readonly kind: 'request';
      readonly device: string;
      readonly step: RequestStep;
      readonly worker: GraphWorker;
      readonly isFlush: boolean;
    }
  | { readonly kind: 'unknown' };

/** Blockers by number, each once. */
export class BlockerList {
  readonly list: Blocker[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(blocker: Blocker): number {
    const key = Object.values(blocker).join(' ');
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.list.length);
    return this.list.push(blocker) - 1;
  }
}
