/**
 * Who runs, in what call and how deep in interrupts, at each row of a chunk, as far as the chunk itself tells: computed
 * once per chunk for the analyses that use it. Unknown until the first event that tells, and again after each loss.
 */
import { NO_CONTEXT } from '../analysis/contract.ts';
import type { CpuContext, EventBatch, MeaningRequest, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { kernelMeaning, vectorStepsOf } from './meanings.ts';
import { RowReader, ROWS_A_CALL } from './row-reader.ts';
import type { FieldPlace } from './row-reader.ts';

export const THREAD_UNKNOWN = -1;
export const CALL_NONE = 0;
export const CALL_PENDING = 1;
export const CALL_UNKNOWN = 2;

/** What the context itself reads: every run asks for it that has an analysis which uses the context. */
export const CONTEXT_MEANINGS: readonly MeaningRequest[] = [
  kernelMeaning('switch', 'next_tid'),
  kernelMeaning('syscall-entry'),
  kernelMeaning('syscall-exit'),
  kernelMeaning('irq-entry'),
  kernelMeaning('irq-exit'),
  kernelMeaning('softirq-entry'),
  kernelMeaning('softirq-exit'),
  kernelMeaning('hrtimer-entry'),
  kernelMeaning('hrtimer-exit'),
  kernelMeaning('vector'),
];

/** What a row does to the context. */
const NOTHING = 0;
const SWITCH = 1;
const CALL = 2;
const RETURN = 3;
const ENTER = 4;
const LEAVE = 5;
/** Enters, leaves, or neither: the event class tells. */
const VECTOR = 6;

const EFFECTS: readonly (readonly [meaning: string, effect: number])[] = [
  ['switch', SWITCH],
  ['syscall-entry', CALL],
  ['syscall-exit', RETURN],
  ['irq-entry', ENTER],
  ['softirq-entry', ENTER],
  ['hrtimer-entry', ENTER],
  ['irq-exit', LEAVE],
  ['softirq-exit', LEAVE],
  ['hrtimer-exit', LEAVE],
  ['vector', VECTOR],
];

export function cpuContext(batch: EventBatch): CpuContext {
  return trackerOf(batch.plan).track(batch);
}

const trackerOf = oncePer((plan: ProjectionPlan) => new ContextTracker(plan));

const DEEPEST = 255;

/** Works with whatever the plan has: what nobody asked for stays unknown. */
class ContextTracker {
  /** By meaning. */
  readonly #effects: Uint8Array;
  readonly #nextTid: FieldPlace | undefined;
  readonly #rows = new RowReader();
  #context = NO_CONTEXT;
  #vectorSteps = new Int8Array(0);
  #thread = THREAD_UNKNOWN;
  #call = CALL_UNKNOWN;
  #depth = 0;

  constructor(plan: ProjectionPlan) {
    this.#effects = new Uint8Array(plan.request.meanings.length).fill(NOTHING);
    for (const [meaning, effect] of EFFECTS) {
      const number = plan.meaning(meaning);
      if (number >= 0) this.#effects[number] = effect;
    }
    this.#nextTid = plan.meaning('switch') < 0 ? undefined : plan.field('switch', 'next_tid');
  }

  track({ rows, packets, eventClasses }: EventBatch): CpuContext {
    const context = {
      thread: new Int32Array(rows.length),
      pendingCall: new Uint8Array(rows.length),
      depth: new Uint8Array(rows.length),
    };
    this.#context = context;
    this.#vectorSteps = vectorStepsOf(eventClasses);
    this.#rows.open(rows);
    this.#forget();
    for (let packet = 0; packet < packets.length; packet++) {
      const lost = packets.discardedEvents[packet] > 0;
      if (lost || packets.lostPackets[packet] > 0) this.#forget();
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#follow(row, Math.min(row + ROWS_A_CALL, end));
      if (lost) this.#forget();
    }
    this.#rows.close();
    return context;
  }

  /** Events were lost. */
  #forget(): void {
    this.#thread = THREAD_UNKNOWN;
    this.#call = CALL_UNKNOWN;
    this.#depth = 0;
  }

  /** Rows [from, to). */
  #follow(from: number, to: number): void {
    const { thread, pendingCall, depth } = this.#context;
    const { meaning } = this.#rows;
    const effects = this.#effects;
    for (let row = from; row < to; row++) {
      thread[row] = this.#thread;
      pendingCall[row] = this.#call;
      depth[row] = this.#depth;
      if (effects[meaning[row]] !== NOTHING) this.#apply(effects[meaning[row]], row);
    }
  }

  #apply(effect: number, row: number): void {
    switch (effect) {
      case SWITCH:
        this.#switchIn(row);
        break;
      case CALL:
        this.#call = CALL_PENDING;
        break;
      case RETURN:
        this.#call = CALL_NONE;
        break;
      case ENTER:
        this.#nest(1);
        break;
      case LEAVE:
        this.#nest(-1);
        break;
      default:
        this.#nest(this.#vectorSteps[this.#rows.eventClass[row]]);
    }
  }

  #switchIn(row: number): void {
    this.#thread = this.#nextTid === undefined ? THREAD_UNKNOWN : this.#rows.int(row, this.#nextTid);
    // The next thread may be inside a call it made elsewhere; the idle thread makes none.
    this.#call = this.#thread === 0 ? CALL_NONE : CALL_UNKNOWN;
    this.#depth = 0;
  }

  #nest(step: number): void {
    this.#depth = Math.min(Math.max(this.#depth + step, 0), DEEPEST);
  }
}
