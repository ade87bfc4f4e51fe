/** `FailureTally` of `call-failures.ts` as WebAssembly (`src/kernels/aggregates/failures.ts`). */
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { i32, noRows } from '../base/tables.ts';
import { aggregatesModule } from './aggregates-kernel.ts';
import type { FailureLayout } from './call-failures.ts';
import type { RowTally } from './chunk-reader.ts';
import { FailureCounts, THREAD_LOST, THREAD_OPEN, type FailuresOfChunk } from './failure-leaf.ts';
import { packed, RowKernel, type RowExports } from './row-kernel.ts';

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
  readonly failureThread: WebAssembly.Global;
  readonly failureCall: WebAssembly.Global;
}

/** Places for failures by thread, event class and number, half of which may be used; count 0: free. */
const FAILURES = { thread: i32(), call: i32(), errno: i32(), count: i32() };
const SLOTS = 2 ** 13;

export class WasmFailureTally implements RowTally<FailuresOfChunk> {
  readonly #kernel: RowKernel<FailureExports>;
  readonly #fields: Int32Array;
  readonly #counts = new FailureCounts();
  #failures = noRows(FAILURES);

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, { switch: switches, entry, exit, next_tid, ret }: FailureLayout) {
    this.#kernel = new RowKernel(aggregatesModule(plan));
    this.#fields = Int32Array.of(switches, entry, exit, ...packed([next_tid, ret]));
  }

  start(batch: EventBatch): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(batch.rows)) return false;
    this.#counts.start(batch);
    const { named, noCall, openCall } = this.#counts;
    const { rows, directory } = kernel.table(FAILURES, SLOTS);
    const fields = kernel.copy(this.#fields);
    const classes = kernel.copy(named);
    if (kernel.isFull) return false;
    rows.count.fill(0);
    this.#failures = rows;
    kernel.exports.beginFailures(fields, directory, classes, noCall, THREAD_OPEN, openCall);
    return true;
  }

  read(from: number, to: number): boolean {
    return this.#kernel.exports.readFailures(from, to) === 1;
  }

  lose(): void {
    this.#kernel.exports.changeThread(THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    const { exports } = this.#kernel;
    const { thread, call, errno, count } = this.#failures;
    for (let slot = 0; slot < SLOTS; slot++)
      if (count[slot] > 0) this.#counts.add(thread[slot], call[slot], errno[slot], count[slot]);
    return this.#counts.finish(exports.failureThread.value as number, exports.failureCall.value as number);
  }
}
