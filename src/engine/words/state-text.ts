/** Words for states and causes, on cards, in tables and on the command line. */
import * as values from '../linux/events/values.ts';

const THREAD_TEXT = [
  'Unknown',
  'Running, user',
  'Running, kernel',
  'Interrupted',
  'Runnable, preempted',
  'Runnable, woken',
  'Blocked',
  'Blocked, uninterruptible',
  'Stopped or traced',
  'Idle kernel thread',
  'Parked',
  'New, not yet run',
  'Zombie',
  'Dead',
  'Running, guest',
  'Running, mode not known',
];

const CPU_TEXT = [
  'Unknown',
  'Idle',
  'Running, user',
  'Running, kernel',
  'Hard interrupt',
  'Soft interrupt',
  'Timer interrupt',
  'Running, mode not known',
  'Running, mode not known',
  'Running, guest',
];

const CAUSE_TEXT: Record<number, string> = {
  [values.CAUSE_TIMER]: 'a timer',
  [values.CAUSE_DISK]: 'the disk',
  [values.CAUSE_NETWORK]: 'the network',
  [values.CAUSE_INPUT]: 'user input',
  [values.CAUSE_LOCK]: 'a lock',
};

/**
 * Ends of waits by the names that the state reducer gives them (`causeOfSignal`, `unknownCause`). Some wake-ups give the
 * CPU at most: no thread ran on it and no interrupt was seen, or another CPU had asked it to wake the thread and what ran
 * there was not recorded.
 */
const END_TEXT: ReadonlyMap<string, string> = new Map([
  ['idle context', 'woken from an idle CPU, waker unknown'],
  ['ipi', 'woken at the request of another CPU, waker unknown'],
  ['itself', 'woken, waker unknown: its CPU still had this thread'],
  ['current thread unknown', 'woken, waker unknown: what ran on its CPU is not known'],
  ['no wake-up recorded', 'ended without a recorded wake-up'],
  ['thread not recorded', 'ended by a thread that was not recorded'],
  ['new incarnation', 'end not recorded: its id was given to another thread'],
  ['freed while blocked', 'not ended: the thread was removed while it waited'],
]);

export function threadStateText(value: number): string {
  const state = values.stateOf(value);
  const cause = CAUSE_TEXT[values.causeOf(value)];
  return cause !== undefined && values.isBlocked(value)
    ? `${THREAD_TEXT[state]}, on ${cause}`
    : THREAD_TEXT[state];
}

export function cpuStateText(value: number): string {
  return CPU_TEXT[values.stateOf(value)];
}

/** Words for who ended a wait, as the end of a sentence; undefined: it did not end, or is none. Texts are by number. */
export function causeText(
  value: number,
  workerName: (thread: number) => string,
  text: (string: number) => string,
): string | undefined {
  const cause = values.causeOf(value);
  const detail = values.detailOf(value);
  const lossy = values.isLossy(value) ? ' (events were lost meanwhile)' : '';
  if (cause === values.CAUSE_NONE) return undefined;
  if (cause === values.CAUSE_THREAD)
    return `woken by ${detail < 0 ? 'a thread' : workerName(detail)}${lossy}`;
  const how = detail < 0 ? '' : text(detail);
  if (cause in CAUSE_TEXT) return `ended by ${CAUSE_TEXT[cause]}${how ? ` (${how})` : ''}${lossy}`;
  const otherwise =
    cause === values.CAUSE_OTHER ? `ended by ${how || 'an interrupt'}` : 'ended by something unknown';
  return `${END_TEXT.get(how) ?? otherwise}${lossy}`;
}
