/** The columns of a `LockLog` while they are written. */
import { trimmed, widen } from '../../base/columns.ts';
import type { LockLog } from './lock-log.ts';

type Columns = Pick<LockLog, 'time' | 'op' | 'thread' | 'lock' | 'other' | 'value' | 'mode'>;

export class LogWriter {
  length = 0;
  /** Threads that have rows, in order of their first one: as they were given. */
  readonly threads: number[] = [];
  /** Place in `threads` by thread as it is given. */
  readonly #placeOf: number[] = [];
  readonly #columns = {
    time: new Float64Array(0),
    op: new Uint8Array(0),
    thread: new Int32Array(0),
    lock: new Int32Array(0),
    other: new Int32Array(0),
    value: new Int32Array(0),
    mode: new Uint8Array(0),
  };

  /** A row, with `other`, `value` and `mode` as the operation has them (`lock-log.ts`). */
  add(
    time: number,
    op: number,
    thread: number,
    lock: number,
    other: number,
    value: number,
    mode: number,
  ): void {
    const columns = this.#columns;
    if (this.length === columns.time.length) widen(columns);
    const row = this.length++;
    columns.time[row] = time;
    columns.op[row] = op;
    columns.thread[row] = thread < 0 ? thread : this.#place(thread);
    columns.lock[row] = lock;
    columns.other[row] = other;
    columns.value[row] = value;
    columns.mode[row] = mode;
  }

  #place(thread: number): number {
    this.#placeOf[thread] ??= this.threads.push(thread) - 1;
    return this.#placeOf[thread];
  }

  /** Columns of what was written, in buffers of their own. */
  columns(): Columns {
    return trimmed(this.#columns, this.length);
  }
}
