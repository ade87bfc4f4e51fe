/** Numbers of labels and links on a path, and their words, as the page needs them to draw one. */
import { softirqName } from '../linux/events/interrupt-names.ts';

/** Labels of horizontal edges and of path segments. */
export const LABELS = ['running', 'preempted', 'blocked', 'unknown', 'network'] as const;

export const RUNNING = 0;
export const PREEMPTED = 1;
export const BLOCKED = 2;
export const UNKNOWN = 3;
/** Label of segments only: a packet in transit. */
export const NETWORK = 4;

/** How a path came to a segment from the one before it. This one: the same worker goes on, or it is the first segment. */
export const VIA_NOTHING = 0;
/** The worker before gave the signal that ended this worker's wait. */
export const VIA_WAKE_UP = 1;
/** A packet was sent from the worker before. */
export const VIA_NETWORK = 2;
/** The worker before created this one. */
export const VIA_FORK = 3;
/** No signal: the worker before begins to wait or is unknown, and this one works meanwhile. */
export const VIA_WAIT = 4;

/** Reasons why a segment is unknown. */
export const REASONS = [
  '',
  'trace begin',
  'lost events',
  'worker ended',
  'sender not known',
  'not traced',
] as const;

export const REASON_TRACE_BEGIN = 1;
export const REASON_LOST_EVENTS = 2;
export const REASON_WORKER_ENDED = 3;
export const REASON_SENDER_NOT_KNOWN = 4;
export const REASON_NOT_TRACED = 5;

/** Added to a cause that names a lock: the wait is in a deadlock; the path went into it, and nobody held the lock. */
export const DEADLOCK = 1;
export const NOT_HELD = 256;

/** Whether a cause that names a lock is part of a deadlock. */
export function isDeadlock(cause: number): boolean {
  return cause % 2 === DEADLOCK;
}

/** Whether nobody held the lock that a cause names. */
export function isNotHeld(cause: number): boolean {
  return Math.floor(cause / NOT_HELD) % 2 === 1;
}

/** Value of a packet in transit; others are stored values of thread states (`linux/events/values.ts`). */
export const PACKET_ON_ITS_WAY = -1;

/** Values of time in which a virtual CPU seemed to work while its thread on the host was ready but did not run, or waited. */
export const PREEMPTED_BY_HOST = -3;
export const BLOCKED_ON_HOST = -4;

/** Whether a value is of time that the host of a virtual machine took. */
export function isOnHost(value: number): boolean {
  return value === PREEMPTED_BY_HOST || value === BLOCKED_ON_HOST;
}

/** Values of time in which a softirq had been raised but did not run: this one less the softirq's number. */
const SOFTIRQ_WAITS = -16;

export function softirqWaitValue(vec: number): number {
  return SOFTIRQ_WAITS - vec;
}

/** Number of the softirq that waited in a part of this value; -1: none did. */
export function waitingSoftirq(value: number): number {
  return value <= SOFTIRQ_WAITS ? SOFTIRQ_WAITS - value : -1;
}

/** Name of the softirq that waited in a part of this value: `NET_RX`; '' if none did. */
export function waitingSoftirqName(value: number): string {
  const softirq = waitingSoftirq(value);
  return softirq < 0 ? '' : softirqName(softirq);
}

/** Value of frames without a state: workers, and blockers that are no workers. */
export const NO_STATE = -2;

/** Prefix of the reason why nobody took the time, or why it is not known, in place of a blocker's name. */
export const NOBODY_BUT = 'nobody: ';
export const NOBODY_KNOWN = 'nobody known';
