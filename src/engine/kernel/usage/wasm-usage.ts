/** `UsageTally` of `usage-tally.ts` as WebAssembly (`src/kernels/aggregates/usage.ts`). */
import type { EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { i32, noRows } from '../../base/tables.ts';
import { aggregatesModule, INDEX, MOST_TEXTS, MOST_THREADS, THREAD_SLOTS } from '../aggregates-kernel.ts';
import type { RowTally } from '../chunk-reader.ts';
import { packed, type RowExports, RowKernel } from '../row-kernel.ts';
import { EXECUTIONS, executionsOf } from './execution-sums.ts';
import { THREAD_UNKNOWN, type UsageLayout, type UsageOfChunk } from './usage-tally.ts';

interface UsageExports extends RowExports {
  beginUsage(fields: number, executions: number, names: number, index: number): void;
  readUsage(from: number, to: number, textBase: number): number;
  changeRunning(time: number, leaves: number, enters: number): void;
  nameExecutions(): number;
  readonly threads: WebAssembly.Global;
  readonly firstChange: WebAssembly.Global;
  readonly beginTid: WebAssembly.Global;
  readonly lastChange: WebAssembly.Global;
  readonly endTid: WebAssembly.Global;
}

/** Where the name of an entry lies: only those that threads have in the end become texts. */
const NAME_PLACES = { address: i32(), length: i32() };

export class WasmUsageTally implements RowTally<UsageOfChunk> {
  readonly #kernel: RowKernel<UsageExports>;
  readonly #fields: Int32Array;
  #executions = noRows(EXECUTIONS);

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, { meaning, prev_tid, prev_comm, next_tid, next_comm }: UsageLayout) {
    this.#kernel = new RowKernel(aggregatesModule(plan));
    this.#fields = Int32Array.of(meaning, ...packed([prev_tid, prev_comm, next_tid, next_comm]));
  }

  start({ rows }: EventBatch): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    kernel.openTexts(MOST_TEXTS);
    const index = kernel.table(INDEX, THREAD_SLOTS);
    const names = kernel.table(NAME_PLACES, MOST_THREADS);
    const executions = kernel.table(EXECUTIONS, MOST_THREADS);
    const fields = kernel.copy(this.#fields);
    if (kernel.isFull) return false;
    index.rows.values.fill(-1);
    this.#executions = executions.rows;
    kernel.exports.beginUsage(fields, executions.directory, names.directory, index.directory);
    return true;
  }

  read(from: number, to: number, packet: number): boolean {
    const kernel = this.#kernel;
    return kernel.exports.readUsage(from, to, kernel.textBase(packet)) === 1;
  }

  lose(since: number): void {
    this.#kernel.exports.changeRunning(since, THREAD_UNKNOWN, THREAD_UNKNOWN);
  }

  finish(): UsageOfChunk | undefined {
    const { exports } = this.#kernel;
    if (exports.nameExecutions() === 0) return undefined;
    const threads = exports.threads.value as number;
    return {
      firstChange: exports.firstChange.value as number,
      beginTid: exports.beginTid.value as number,
      lastChange: exports.lastChange.value as number,
      endTid: exports.endTid.value as number,
      executions: executionsOf(this.#executions, threads, this.#kernel.texts()),
    };
  }
}
