/** Parts of segments while they are summed, and blockers: who took the time of a part. Equal parts of a segment are merged. */
import { GrowingTable } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows } from '../base/tables.ts';
import type { GraphWorker } from './execution-graph.ts';

const PARTS = {
  /** A stored value of a thread's state, or one of `path-codes.ts`. */
  value: i32(),
  /** System call that it was or waited in, as an index of the strings of its worker's host; -1: none. */
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

  /** Adds a part unless its length is 0. */
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

/** Progress of a request during a wait for it. */
export type RequestStep = 'not made yet' | 'queued' | 'at the device' | 'completed';

/** Reason why a worker waiting for a CPU was ready. */
export type Ready = 'woken' | 'preempted' | 'softirq';

export type Blocker =
  | { readonly kind: 'thread'; readonly worker: GraphWorker }
  /** The CPU was idle: a woken thread was waking up, a preempted one was not allowed to run (control group), a softirq waited. */
  | { readonly kind: 'idle'; readonly host: number; readonly cpu: number; readonly waits: Ready }
  | { readonly kind: 'interrupt'; readonly name: string }
  /** Cause other than a thread that ended a wait on the host of a virtual machine. */
  | { readonly kind: 'cause'; readonly name: string }
  /** `worker`: maker of the request; NOBODY: not known. */
  | {
      readonly kind: 'request';
      readonly device: string;
      readonly step: RequestStep;
      readonly worker: GraphWorker;
      readonly isFlush: boolean;
    }
  | { readonly kind: 'unknown' };

/** Distinct blockers by number. */
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
