/**
 * Threads that wait while switches are lost on any CPU: those that wait for a CPU may have run, and one that waits
 * for something else and next appears as if it had been woken was woken. So nothing is known of them until their next
 * event (engine/linux/states/RULES.md).
 */
import { STATE_NEW, STATE_PREEMPTED, STATE_UNKNOWN, STATE_WOKEN } from '../../events/values.ts';
import type { KernelModel } from './kernel-model.ts';
import { overrule } from './late-log.ts';
import { firstLost, isInLoss, lostUntil, type LossPiece } from './losses.ts';
import { endBlocking, setState, unknownCause } from './thread-states.ts';
import { threadCount } from './thread-table.ts';

/** Handles the begin of a loss that may hide switches. */
export function loseRunnable(kernel: KernelModel): void {
  eachRunnable(kernel, (thread, since) => {
    // It may have run since it became ready, if that was already in a loss.
    loseReady(kernel, thread, isInLoss(kernel.losses, since, kernel.now) ? since : kernel.now);
    kernel.threads.pendingCause[thread] = 0;
  });
}

/** Handles the end of a loss: threads that became ready in it and were not seen since may have run in it. */
export function loseUnseen(kernel: KernelModel, { from, to }: LossPiece): void {
  eachRunnable(kernel, (thread, since) => {
    if (from <= since && since < to) loseReady(kernel, thread, since);
  });
}

/** Notes that a thread has run since now, the end of a loss on its CPU, which hid its switch-in. */
export function loseSwitchIn(kernel: KernelModel, thread: number, cpu: number): void {
  const { threads, cpus, losses, now } = kernel;
  if (!isReady(kernel, thread)) return;
  const endsNow = losses.switches.some((piece) => piece.to === now && piece.cpu === cpus.number[cpu]);
  if (endsNow) loseReady(kernel, thread, threads.since[thread]);
}

function eachRunnable(kernel: KernelModel, lose: (thread: number, since: number) => void): void {
  const { threads } = kernel;
  for (let thread = threadCount(threads) - 1; thread >= 0; thread--)
    if (isReady(kernel, thread) && Number.isNaN(threads.replaced[thread]))
      lose(thread, threads.since[thread]);
}

function isReady({ threads }: KernelModel, thread: number): boolean {
  const state = threads.state[thread];
  const isRunnable = state === STATE_PREEMPTED || state === STATE_WOKEN || state === STATE_NEW;
  return isRunnable && threads.tid[thread] !== 0;
}

/** Makes a thread unknown since it seemed to wait for a CPU at `from`. */
function loseReady(kernel: KernelModel, thread: number, from: number): void {
  const { threads, now } = kernel;
  const hole = threads.state[thread] === STATE_PREEMPTED ? STATE_PREEMPTED : STATE_WOKEN;
  overrule(kernel, thread, from, now, STATE_UNKNOWN);
  setState(kernel, thread, STATE_UNKNOWN);
  threads.hole[thread] = hole;
}

/**
 * Ends a blocking without a recorded wake-up, which must have been in a loss, if there is one: the thread is unknown
 * from there on; then `next` begins.
 * @param goesOn whether it goes on a CPU
 */
export function endUnexplained(
  kernel: KernelModel,
  thread: number,
  next: number,
  why: string,
  goesOn = false,
): void {
  const { threads, now } = kernel;
  const since = threads.blockedSince[thread];
  const lost = firstLost(kernel.losses, since, now);
  if (Number.isNaN(lost)) {
    endBlocking(kernel, thread, unknownCause(kernel, why), next);
    return;
  }
  const ready = goesOn ? readySince(kernel, lost) : now;
  overrule(kernel, thread, since, lost, threads.state[thread] + unknownCause(kernel, 'lost events') + 256);
  overrule(kernel, thread, lost, ready, STATE_UNKNOWN);
  overrule(kernel, thread, ready, now, STATE_WOKEN);
  setState(kernel, thread, next);
  threads.blockedSince[thread] = NaN;
}

/**
 * Ends the unknown time of a thread that goes on a CPU and was lost while it waited for one: nobody woke it since all
 * was seen.
 */
export function endHole(kernel: KernelModel, thread: number): void {
  const { threads, now } = kernel;
  if (threads.state[thread] !== STATE_UNKNOWN || threads.hole[thread] === 0) return;
  overrule(kernel, thread, readySince(kernel, threads.since[thread]), now, threads.hole[thread]);
}

/** Time since which all was seen, for a thread that goes on a CPU now and was lost at `lost`, HostNs. */
function readySince({ losses, now, cpus, hasWaking }: KernelModel, lost: number): number {
  const recordsWakeUps = hasWaking || cpus.seen.wakeUps[0] === 1;
  return recordsWakeUps ? Math.min(now, Math.max(lost, lostUntil(losses, now))) : now;
}
