/** `FailureReader` of `call-failures.ts` as WebAssembly (`src/kernels/aggregates/failures.ts`). */
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { i32, noRows } from '../base/tables.ts';
import { aggregatesModule } from './aggregates-kernel.ts';
import type { FailureLayout } from './call-failures.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { FailureCounts, THREAD_LOST, THREAD_OPEN, type FailuresOfChunk } from './failure-leaf.ts';
import { addressesOf, packed, RowKernel, type RowExports } from './row-kernel.ts';

interface FailureExports extends RowExports {
  placeFailureFields(...meaningsAndFields: number[]): void;
  placeFailures(...columns: number[]): void;
  beginFailures(named: number, noCall: number, thread: number, call: number): void;
  readFailures(from: number, to: number): void;
  changeThread(thread: number): void;
  readonly failures: WebAssembly.Global;
  readonly failureThread: WebAssembly.Global;
  readonly failureCall: WebAssembly.Global;
}

const FAILURES = { thread: i32(), call: i32(), errno: i32() };

export class WasmFailureReader implements ChunkReader<FailuresOfChunk> {
  readonly #kernel: RowKernel<FailureExports>;
  readonly #fields: readonly number[];
  readonly #counts = new FailureCounts();
  /** One after the other. */
  #failures = noRows(FAILURES);

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, { switch: switches, entry, exit, next_tid, ret }: FailureLayout) {
    this.#kernel = new RowKernel(aggregatesModule(plan));
    this.#fields = [switches, entry, exit, packed(next_tid), packed(ret)];
  }

  start(batch: EventBatch): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(batch.rows)) return false;
    this.#counts.start(batch);
    this.#failures = kernel.table(FAILURES, batch.rows.length);
    const named = kernel.copy(this.#counts.named);
    if (kernel.isFull) return false;
    const { exports } = kernel;
    exports.placeFailureFields(...this.#fields);
    exports.placeFailures(...addressesOf(this.#failures));
    exports.beginFailures(named, this.#counts.noCall, THREAD_OPEN, this.#counts.openCall);
    return true;
  }

  read(from: number, to: number): boolean {
    this.#kernel.exports.readFailures(from, to);
    return true;
  }

  lose(): void {
    this.#kernel.exports.changeThread(THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    const { exports } = this.#kernel;
    const { thread, call, errno } = this.#failures;
    const length = exports.failures.value as number;
    for (let i = 0; i < length; i++) this.#counts.add(thread[i], call[i], errno[i]);
    return this.#counts.finish(exports.failureThread.value as number, exports.failureCall.value as number);
  }
}
