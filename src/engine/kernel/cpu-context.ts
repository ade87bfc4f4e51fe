/**
 * Who runs at each row of a chunk, as far as the chunk itself tells: computed once where only a part of the chunk is
 * mapped, for the analyses that use it. Unknown until the first switch, and again after each loss.
 */
import { NO_CONTEXT } from '../analysis/contract.ts';
import type { CpuContext, EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import { RowReader, ROWS_A_CALL } from './row-reader.ts';
import type { FieldPlace } from './row-reader.ts';

export const THREAD_UNKNOWN = -1;

export function cpuContext(batch: EventBatch): CpuContext {
  return trackerOf(batch.plan).track(batch);
}

const trackerOf = oncePer((plan: ProjectionPlan) => new ContextTracker(plan));

/** Works with whatever the plan has: without switches the thread stays unknown. */
class ContextTracker {
  /** Number of the meaning in rows, -1 when nobody asked for switches. */
  readonly #switch: number;
  readonly #nextTid: FieldPlace | undefined;
  readonly #rows = new RowReader();
  #context = NO_CONTEXT;
  #thread = THREAD_UNKNOWN;

  constructor(plan: ProjectionPlan) {
    this.#switch = plan.meaning('switch');
    this.#nextTid = this.#switch < 0 ? undefined : plan.field('switch', 'next_tid');
  }

  track({ rows, packets }: EventBatch): CpuContext {
    const context = { thread: new Int32Array(rows.length) };
    this.#context = context;
    this.#rows.open(rows);
    this.#thread = THREAD_UNKNOWN;
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) this.#thread = THREAD_UNKNOWN;
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#follow(row, Math.min(row + ROWS_A_CALL, end));
      if (losesWithin(packets, packet)) this.#thread = THREAD_UNKNOWN;
    }
    this.#rows.close();
    return context;
  }

  /** Rows [from, to). */
  #follow(from: number, to: number): void {
    const { thread } = this.#context;
    const { meaning } = this.#rows;
    for (let row = from; row < to; row++) {
      thread[row] = this.#thread;
      if (meaning[row] === this.#switch && this.#nextTid !== undefined)
        this.#thread = this.#rows.int(row, this.#nextTid);
    }
  }
}
