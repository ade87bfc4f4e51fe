/** One chunk → its failed calls (`failure-chunk.ts`): the definition of what `call-failures.ts` has compiled code for. */
import type { EventBatch } from '../../../src/engine/analysis/contract.ts';
import { noRows } from '../../../src/engine/base/tables.ts';
import type { RowChunkReader } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { widen } from '../../../src/engine/base/columns.ts';
import { RowReader } from '../../../src/engine/linux/events/row-reader.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_OPEN } from '../../../src/engine/linux/events/values.ts';
import type { FailureLayout } from '../../../src/engine/linux/sums/calls/call-failures.ts';
import {
  addUp,
  callClasses,
  FAILURES,
  type FailuresOfChunk,
  MOST_ERRORS,
  tellsCallsAlone,
} from '../../../src/engine/linux/sums/calls/failure-chunk.ts';

export class FailureDefinition implements RowChunkReader<FailuresOfChunk> {
  readonly #layout: FailureLayout;
  readonly #rows = new RowReader();
  #classes = callClasses([]);
  #thread = THREAD_OPEN;
  /** Event class of the pending call's entry; old tracers do not name the call that returns. */
  #pending = 0;
  readonly #failures = noRows(FAILURES);
  #length = 0;

  constructor(layout: FailureLayout) {
    this.#layout = layout;
  }

  start({ rows, eventClasses }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#classes = callClasses(eventClasses);
    this.#thread = tellsCallsAlone(eventClasses) ? THREAD_ELSEWHERE : THREAD_OPEN;
    this.#pending = this.#classes.openCall;
    this.#length = 0;
    return true;
  }

  read(from: number, to: number): boolean {
    this.#readRows(from, to);
    return true;
  }

  lose(): void {
    this.#change(this.#thread === THREAD_ELSEWHERE ? THREAD_ELSEWHERE : THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    this.#rows.close();
    const { names } = this.#classes;
    return {
      endThread: this.#thread,
      endCall: names[this.#pending],
      failures: addUp(this.#failures, this.#length, names),
    };
  }

  #readRows(from: number, to: number): void {
    const rows = this.#rows;
    const { kind: eventKind, eventClass } = rows;
    const { ret, nextTid, entries, exits, switches } = this.#layout;
    for (let row = from; row < to; row++) {
      const kind = eventKind[row];
      if (kind === entries) this.#pending = eventClass[row];
      else if (kind === switches) this.#change(rows.int(row, nextTid));
      else if (kind === exits) {
        const value = rows.wide(row, ret, 0);
        if (value < 0 && value > -MOST_ERRORS) this.#fail(row, -value);
        this.#pending = this.#classes.noCall;
      }
    }
  }

  #change(thread: number): void {
    this.#thread = thread;
    this.#pending = this.#classes.noCall;
  }

  #fail(row: number, errno: number): void {
    const failures = this.#failures;
    const { named, noCall } = this.#classes;
    if (this.#length === failures.tid.length) widen(failures);
    const failure = this.#length++;
    const exit = this.#rows.eventClass[row];
    const isElsewhere = this.#thread === THREAD_ELSEWHERE;
    // The pending call may be another thread's.
    const unnamed = isElsewhere ? noCall : this.#pending;
    failures.tid[failure] = this.#thread;
    failures.call[failure] = named[exit] === 0 ? unnamed : exit;
    failures.errno[failure] = errno;
    failures.count[failure] = 1;
    failures.time[failure] = isElsewhere ? this.#rows.time[row] : 0;
  }
}
