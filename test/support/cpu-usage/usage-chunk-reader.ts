/** One chunk → who ran on its CPU (`cpu-usage.ts`). */
import type { EventBatch, ProjectionPlan } from '../../../src/engine/analysis/contract.ts';
import type { RowChunkReader } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { type FieldPlace, placesOf, RowReader } from '../../../src/engine/linux/events/row-reader.ts';
import type { StreamPart } from '../../../src/engine/analysis/stream-merge.ts';
import { TextTable } from '../../../src/engine/linux/events/text-table.ts';
import { type Executions, ExecutionSums } from './execution-sums.ts';

/** tid where nobody knows who runs. */
export const THREAD_UNKNOWN = -1;

/** Chunks of one stream. */
export interface UsageStreamPart extends StreamPart {
  /** First and last event, HostNs; NaN none. */
  readonly from: number;
  readonly to: number;
  /** First event that tells who runs (a switch, a loss), NaN none; and who ran until then, THREAD_UNKNOWN. */
  readonly firstChange: number;
  readonly beginTid: number;
  /** Last such event, NaN none; and who runs since. */
  readonly lastChange: number;
  readonly endTid: number;
  readonly executions: Executions;
}

/** What the switches of a chunk tell. */
export type UsageOfChunk = Pick<
  UsageStreamPart,
  'firstChange' | 'beginTid' | 'lastChange' | 'endTid' | 'executions'
>;

export function usageLayout(plan: ProjectionPlan) {
  const places = placesOf(plan, 'switch', ['prev_tid', 'prev_comm', 'next_tid', 'next_comm']);
  return { kind: plan.kind('switch'), ...places };
}

export type UsageLayout = ReturnType<typeof usageLayout>;

export class UsageChunkReader implements RowChunkReader<UsageOfChunk> {
  readonly #layout: UsageLayout;
  readonly #rows = new RowReader();
  #texts = new TextTable();
  #sums = new ExecutionSums();
  #firstChange = NaN;
  #beginTid = THREAD_UNKNOWN;
  #lastChange = NaN;
  #endTid = THREAD_UNKNOWN;

  constructor(layout: UsageLayout) {
    this.#layout = layout;
  }

  start({ rows }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#texts = new TextTable();
    this.#sums = new ExecutionSums();
    this.#firstChange = NaN;
    this.#beginTid = THREAD_UNKNOWN;
    this.#lastChange = NaN;
    this.#endTid = THREAD_UNKNOWN;
    return true;
  }

  read(from: number, to: number): boolean {
    this.#readRows(from, to);
    return true;
  }

  /** Who runs is told by the next switch only. */
  lose(since: number): void {
    this.#change(since, THREAD_UNKNOWN, THREAD_UNKNOWN);
  }

  finish(): UsageOfChunk {
    this.#rows.close();
    return {
      firstChange: this.#firstChange,
      beginTid: this.#beginTid,
      lastChange: this.#lastChange,
      endTid: this.#endTid,
      executions: this.#sums.finish(this.#texts.texts),
    };
  }

  #readRows(from: number, to: number): void {
    const { kind } = this.#rows;
    const wanted = this.#layout.kind;
    for (let row = from; row < to; row++) if (kind[row] === wanted) this.#switch(row);
  }

  #switch(row: number): void {
    const { prev_tid, prev_comm, next_tid, next_comm } = this.#layout;
    const time = this.#rows.time[row];
    const leaves = this.#rows.int(row, prev_tid);
    const enters = this.#rows.int(row, next_tid);
    this.#change(time, leaves, enters);
    this.#nameThread(this.#sums.entryOf(leaves), row, prev_comm);
    const entered = this.#sums.entryOf(enters);
    this.#nameThread(entered, row, next_comm);
    this.#sums.countRun(entered);
  }

  #change(time: number, leaves: number, enters: number): void {
    if (Number.isNaN(this.#firstChange)) {
      this.#firstChange = time;
      this.#beginTid = leaves;
    } else if (this.#endTid !== THREAD_UNKNOWN) {
      this.#sums.addRun(this.#sums.entryOf(this.#endTid), time - this.#lastChange);
    }
    this.#lastChange = time;
    this.#endTid = enters;
  }

  #nameThread(entry: number, row: number, place: FieldPlace): void {
    const text = this.#rows.text(row, place, this.#texts, this.#sums.nameOf(entry));
    this.#sums.setName(entry, text, this.#rows.time[row]);
  }
}
