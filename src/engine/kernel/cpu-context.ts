/**
 * Who runs, in what call and how deep in interrupts, at each row of a chunk, as far as the chunk itself tells: computed
 * once per chunk for all analyses. Unknown until the first event that tells, and again after each loss.
 */
import type { CpuContext, EventBatch, MeaningRequest } from '../analysis/contract.ts';
import { kernelMeaning, vectorOf } from './meanings.ts';
import { intAt } from './row-fields.ts';

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

const ENTRIES = ['irq-entry', 'softirq-entry', 'hrtimer-entry'] as const;
const EXITS = ['irq-exit', 'softirq-exit', 'hrtimer-exit'] as const;

/** Works with whatever the plan has: what nobody asked for stays unknown. */
export function cpuContext(batch: EventBatch): CpuContext {
  const { rows, packets } = batch;
  const thread = new Int32Array(rows.length);
  const pendingCall = new Uint8Array(rows.length);
  const depth = new Uint8Array(rows.length);
  const effectOf = rowEffects(batch);
  const nextTid = batch.plan.meaning('switch') < 0 ? undefined : batch.plan.field('switch', 'next_tid');
  let currentThread = THREAD_UNKNOWN;
  let currentCall = CALL_UNKNOWN;
  let currentDepth = 0;
  const forget = () => {
    currentThread = THREAD_UNKNOWN;
    currentCall = CALL_UNKNOWN;
    currentDepth = 0;
  };

  for (let packet = 0; packet < packets.length; packet++) {
    const lost = packets.discardedEvents[packet] > 0 || packets.lostPackets[packet] > 0;
    if (lost) forget();
    for (let row = packets.firstRow[packet]; row < packets.firstRow[packet + 1]; row++) {
      thread[row] = currentThread;
      pendingCall[row] = currentCall;
      depth[row] = currentDepth;
      switch (effectOf(row)) {
        case SWITCH:
          currentThread =
            nextTid === undefined ? THREAD_UNKNOWN : intAt(rows, rows.at[row], nextTid, THREAD_UNKNOWN);
          // The next thread may be inside a call it made elsewhere; the idle thread makes none.
          currentCall = currentThread === 0 ? CALL_NONE : CALL_UNKNOWN;
          currentDepth = 0;
          break;
        case CALL:
          currentCall = CALL_PENDING;
          break;
        case RETURN:
          currentCall = CALL_NONE;
          break;
        case ENTER:
          if (currentDepth < 255) currentDepth++;
          break;
        case LEAVE:
          if (currentDepth > 0) currentDepth--;
          break;
      }
    }
    if (packets.discardedEvents[packet] > 0) forget();
  }
  return { thread, pendingCall, depth };
}

const NOTHING = 0;
const SWITCH = 1;
const CALL = 2;
const RETURN = 3;
const ENTER = 4;
const LEAVE = 5;

/** What a row does to the context, by its meaning; vectors by their event class. */
function rowEffects(batch: EventBatch): (row: number) => number {
  const { plan, rows, eventClasses } = batch;
  const effects = new Uint8Array(plan.request.meanings.length);
  const give = (meaning: string, effect: number) => {
    const number = plan.meaning(meaning);
    if (number >= 0) effects[number] = effect;
  };
  give('switch', SWITCH);
  give('syscall-entry', CALL);
  give('syscall-exit', RETURN);
  for (const meaning of ENTRIES) give(meaning, ENTER);
  for (const meaning of EXITS) give(meaning, LEAVE);
  const vectorMeaning = plan.meaning('vector');
  const classEffects = eventClasses.map(({ name = '' }) => {
    const vector = vectorOf(name);
    return vector === undefined ? NOTHING : vector.entry ? ENTER : LEAVE;
  });
  return (row) => {
    const meaning = rows.meaning[row];
    return meaning === vectorMeaning ? classEffects[rows.eventClass[row]] : effects[meaning];
  };
}
