/**
 * Threads that wait for a CPU while switches are lost, on whichever CPU: any may have run them, so nothing is known of them
 * until the next event that tells of them (engine/linux/states/RULES.md).
 */
import { HIDES_SWITCHES } from '../../../trace/loss-subjects.ts';
import { CAUSE_LOST, STATE_NEW, STATE_PREEMPTED, STATE_UNKNOWN, STATE_WOKEN } from '../../events/values.ts';
import type { KernelModel } from './kernel-model.ts';
import { addLost } from './late-log.ts';
import type { LossPiece } from './losses.ts';
import { setState } from './thread-states.ts';
import { threadCount } from './thread-table.ts';

/** A piece that may hide switches begins now: it is the last of the log. */
export function loseRunnable(kernel: KernelModel): void {
  const { losses, now } = kernel;
  // It may have run since it became ready, where that was in a piece already.
  const earlier = losses.pieces.filter(({ from, hidden }) => from < now && (hidden & HIDES_SWITCHES) !== 0);
  eachRunnable(kernel, (thread, since) => {
    if (earlier.some(({ from, to }) => from <= since && since < to)) loseSince(kernel, thread, since);
    else setState(kernel, thread, STATE_UNKNOWN);
    kernel.threads.pendingCause[thread] = 0;
  });
}

/** A piece ends now: who became ready in it and was not seen since may have run in it. */
export function loseUnseen(kernel: KernelModel, { from, to }: LossPiece): void {
  eachRunnable(kernel, (thread, since) => {
    if (from <= since && since < to) loseSince(kernel, thread, since);
  });
}

function eachRunnable({ threads }: KernelModel, lose: (thread: number, since: number) => void): void {
  const { state, since, tid, replaced } = threads;
  for (let thread = threadCount(threads) - 1; thread >= 0; thread--) {
    const isReady =
      state[thread] === STATE_PREEMPTED || state[thread] === STATE_WOKEN || state[thread] === STATE_NEW;
    if (isReady && tid[thread] !== 0 && Number.isNaN(replaced[thread])) lose(thread, since[thread]);
  }
}

/** Nothing is known of the thread since it seemed to become ready. */
function loseSince(kernel: KernelModel, thread: number, since: number): void {
  const { threads, sink } = kernel;
  addLost(kernel, thread, since);
  sink.settle(threads.stateAttribute[thread], threads.state[thread] + CAUSE_LOST * 16, STATE_UNKNOWN);
  threads.state[thread] = STATE_UNKNOWN;
  threads.since[thread] = kernel.now;
}
