/** One chunk → its failed calls (`failure-chunk.ts`), by compiled code (`src/wasm/aggregates/failures.ts`). */
import type { EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { noRows } from '../../../base/tables.ts';
import { aggregatesModule, type RowChunkReader } from '../../../analysis/compiled/chunk-reader.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_OPEN } from '../../events/values.ts';
import { addUp, callClasses, FAILURES, tellsCallsAlone, type FailuresOfChunk } from './failure-chunk.ts';

interface FailureExports extends RowExports {
  beginFailures(
    fields: number,
    failures: number,
    named: number,
    noCall: number,
    thread: number,
    call: number,
  ): void;
  readFailures(from: number, to: number): number;
  changeThread(thread: number): void;
  /** Moves those there are to the first rows, and returns how many. */
  packFailures(): number;
  readonly failureThread: WebAssembly.Global;
  readonly failureCall: WebAssembly.Global;
}

/** Numbers that the kernel reads: those of kinds, then fields. */
export const FAILURE_NUMBERS = ['switches', 'entries', 'exits', 'nextTid', 'ret'] as const;

/** Places for failures by thread, event class and number, half of which may be used; count 0: free. */
const SLOTS = 2 ** 13;

export function failureLayout(plan: ProjectionPlan) {
  return {
    switch: plan.kind('switch'),
    entry: plan.kind('syscall-entry'),
    exit: plan.kind('syscall-exit'),
    next_tid: plan.field('switch', 'next_tid'),
    ret: plan.field('syscall-exit', 'ret'),
  };
}

export type FailureLayout = ReturnType<typeof failureLayout>;

export class FailureChunkReader implements RowChunkReader<FailuresOfChunk> {
  readonly #kernel: RowKernel<FailureExports>;
  readonly #fields: Int32Array;
  // Of the chunk at hand.
  #names: readonly string[] = [];
  #slots = noRows(FAILURES);
  #isElsewhere = false;

  constructor({ switch: switches, entry, exit, next_tid, ret }: FailureLayout) {
    this.#kernel = new RowKernel(aggregatesModule());
    const [nextTid, returned] = packed([next_tid, ret]);
    const numbers = { switches, entries: entry, exits: exit, nextTid, ret: returned };
    this.#fields = Int32Array.from(FAILURE_NUMBERS, (name) => numbers[name]);
  }

  start({ rows, eventClasses }: EventBatch, scale: number): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    const { named, noCall, openCall, names } = callClasses(eventClasses);
    const slots = kernel.table(FAILURES, SLOTS * scale);
    const fields = kernel.copy(this.#fields);
    const classes = kernel.copy(named);
    if (kernel.isFull) return false;
    this.#names = names;
    this.#slots = slots.rows;
    slots.rows.count.fill(0);
    this.#isElsewhere = tellsCallsAlone(eventClasses);
    const thread = this.#isElsewhere ? THREAD_ELSEWHERE : THREAD_OPEN;
    kernel.exports.beginFailures(fields, slots.directory, classes, noCall, thread, openCall);
    return true;
  }

  read(from: number, to: number): boolean {
    return this.#kernel.exports.readFailures(from, to) === 1;
  }

  lose(): void {
    this.#kernel.exports.changeThread(this.#isElsewhere ? THREAD_ELSEWHERE : THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    const { exports } = this.#kernel;
    const length = exports.packFailures();
    return {
      endThread: exports.failureThread.value as number,
      endCall: this.#names[exports.failureCall.value as number],
      failures: addUp(this.#slots, length, this.#names),
    };
  }
}
