/**
 * Stored values of kernel state attributes: numbers, names and packing. Pure; the page and the command line use it
 * too.
 * Thread state value: bits 0-3 state · bits 4-7 cause of a blocking (0: none or not ended yet) · bit 8 lossy · from
 * bit 9 the detail, plus 1: for cause `thread` the waker's thread index, otherwise an index of the history's strings
 * that names the interrupt; 0: no detail. State `RUNNING` with a detail, its row of `LateRows`, is resolved on reading.
 * CPU state value: bits 0-3 state · from bit 9 the detail, plus 1: for `user`, `kernel` and `running` the index of
 * the thread whose mode it is, if that may change; for `late` the row of `LateRows`; for `softirq` its number; for
 * `hardirq` and `timer` the index of the history's strings that names the device or vector; 0: no detail (hrtimers).
 * Value of a thread's CPU: the CPU's number, or CPU_NOT_KNOWN.
 * CPU thread value: the index of the thread, plus 1; 0: unknown.
 * Request state value (`disks/DEV/SLOT/state`): 1 queued, 2 at the device, 3 queued again.
 */
export const THREAD_STATES = [
  'unknown',
  'running in user mode',
  'running in the kernel',
  'interrupted',
  'runnable, preempted',
  'runnable, woken',
  'blocked, interruptible',
  'blocked, uninterruptible',
  'stopped or traced',
  'idle kernel thread',
  'parked',
  'new',
  'zombie',
  'dead',
  'running guest',
  'running, mode not known',
] as const;

export const STATE_UNKNOWN = 0;
export const STATE_USER = 1;
export const STATE_KERNEL = 2;
export const STATE_INTERRUPTED = 3;
export const STATE_PREEMPTED = 4;
export const STATE_WOKEN = 5;
export const STATE_BLOCKED_S = 6;
export const STATE_BLOCKED_D = 7;
export const STATE_STOPPED = 8;
export const STATE_IDLE_KTHREAD = 9;
export const STATE_PARKED = 10;
export const STATE_NEW = 11;
export const STATE_ZOMBIE = 12;
export const STATE_DEAD = 13;
/** A virtual CPU executes the code of its machine. */
export const STATE_GUEST = 14;
/**
 * The thread is in no system call, and nothing tells whether it is a kernel thread. Stored: in user mode or in the
 * kernel, decided by what the thread does later.
 */
export const STATE_RUNNING = 15;

/** States of a thread that has a CPU for itself. */
export const OWN_TIME_STATES = [STATE_USER, STATE_KERNEL, STATE_GUEST, STATE_RUNNING] as const;

/** Causes of a blocking; the drawn colour of a wait. */
export const CAUSES = [
  'none',
  'thread',
  'timer',
  'disk',
  'network',
  'user input',
  'lock',
  'other',
  'unknown',
] as const;

export const CAUSE_NONE = 0;
export const CAUSE_THREAD = 1;
export const CAUSE_TIMER = 2;
export const CAUSE_DISK = 3;
export const CAUSE_NETWORK = 4;
export const CAUSE_INPUT = 5;
export const CAUSE_LOCK = 6;
export const CAUSE_OTHER = 7;
export const CAUSE_UNKNOWN = 8;
/** Cause on paths only: a softirq had been raised but did not run yet; the detail is its number. */
export const CAUSE_SOFTIRQ = 10;

/** Numbers of `cpus/N/state`. 7: the mode of its thread is not known. 8: decided later, like state `RUNNING`; in no answer. */
export const CPU_STATES = [
  'unknown',
  'idle',
  'user',
  'kernel',
  'hardirq',
  'softirq',
  'timer',
  'running',
  'late',
  'guest',
] as const;

export const CPU_UNKNOWN = 0;
export const CPU_IDLE = 1;
export const CPU_USER = 2;
export const CPU_KERNEL = 3;
export const CPU_HARDIRQ = 4;
export const CPU_SOFTIRQ = 5;
export const CPU_TIMER = 6;
export const CPU_RUNNING = 7;
export const CPU_LATE = 8;
export const CPU_GUEST = 9;

/** A thread was queued on some CPU and has not run yet. */
export const CPU_NOT_KNOWN = 2 ** 31 - 1;

export function stateOf(value: number): number {
  return value & 15;
}

export function causeOf(value: number): number {
  return (value >>> 4) & 15;
}

export function isLossy(value: number): boolean {
  return (value & 256) !== 0;
}

/** Whether a thread in this state is on a CPU. */
export function isRunning(state: number): boolean {
  return (state >= STATE_USER && state <= STATE_INTERRUPTED) || state >= STATE_GUEST;
}

/** Whether a thread with this value waits for a CPU. */
export function isRunnable(value: number): boolean {
  const state = stateOf(value);
  return state === STATE_PREEMPTED || state === STATE_WOKEN;
}

/** Whether a thread with this value sleeps until something wakes it. */
export function isBlocked(value: number): boolean {
  const state = stateOf(value);
  return state === STATE_BLOCKED_S || state === STATE_BLOCKED_D;
}

/** Whether a thread of this state is off the CPUs until something lets it go on: blocked, stopped, idle or parked. */
export function isAsleep(value: number): boolean {
  const state = stateOf(value);
  return state >= STATE_BLOCKED_S && state <= STATE_PARKED;
}

/** The detail, or -1. By division, as it exceeds 31 bits. */
export function detailOf(value: number): number {
  return Math.floor(value / 512) - 1;
}

export function blockedValue(state: number, cause: number, detail: number): number {
  return state + cause * 16 + (detail + 1) * 512;
}

/** `detail`: as above, -1 none. */
export function cpuValue(state: number, detail: number): number {
  return state + (detail + 1) * 512;
}

/** Whether a CPU's value is that of an interrupt. */
export function isInterrupt(value: number): boolean {
  const state = stateOf(value);
  return state === CPU_HARDIRQ || state === CPU_SOFTIRQ || state === CPU_TIMER;
}

/** Time in the states of OWN_TIME_STATES, ns, in a row of times by state that begins at `at`. */
export function ownTime(ns: ArrayLike<number>, at: number): number {
  return OWN_TIME_STATES.reduce((sum, state) => sum + ns[at + state], 0);
}

/** State of a thread outside of system calls and interrupts, by its kind of thread. */
export type OwnMode = typeof STATE_USER | typeof STATE_KERNEL | typeof STATE_RUNNING;

/** State of the CPU by mode of its thread. */
export const CPU_OF_MODE = {
  [STATE_USER]: CPU_USER,
  [STATE_KERNEL]: CPU_KERNEL,
  [STATE_RUNNING]: CPU_RUNNING,
} as const;

export const REQUEST_QUEUED = 1;
export const REQUEST_ISSUED = 2;
/** The request was at the device and is queued again. */
export const REQUEST_AGAIN = 3;

/** Bits of a disk request's flags in LTTng (`rwbs`), unlike the letters of ftrace. */
export const REQUEST_WRITE = 1 << 0;
export const REQUEST_DISCARD = 1 << 1;
/** Letters of the bits in ftrace, in the order in which it writes them. */
export const REQUEST_LETTERS: readonly (readonly [bit: number, letter: string])[] = [
  [1 << 10, 'F'],
  [REQUEST_WRITE, 'W'],
  [REQUEST_DISCARD, 'D'],
  [1 << 7, 'E'],
  [1 << 2, 'R'],
  [1 << 8, 'F'],
  [1 << 9, 'F'],
  [1 << 3, 'A'],
  [1 << 4, 'B'],
  [1 << 5, 'S'],
  [1 << 6, 'M'],
];

/** Directions of a disk request: others or not known; reads; writes; flushes; discards. */
export const DIRECTION_OTHER = 0;
export const DIRECTION_READ = 1;
export const DIRECTION_WRITE = 2;
export const DIRECTION_FLUSH = 3;
export const DIRECTION_DISCARD = 4;

const FLUSH_BITS = (1 << 8) | (1 << 10);
const READ_BITS = (1 << 2) | (1 << 3);

/** Direction of a request. @param flags as in LTTng, -1 not known */
export function directionOf(flags: number, sectors: number): number {
  if (flags < 0) return sectors === 0 ? DIRECTION_FLUSH : DIRECTION_OTHER;
  if (sectors === 0 && (flags & FLUSH_BITS) !== 0) return DIRECTION_FLUSH;
  if ((flags & REQUEST_DISCARD) !== 0) return DIRECTION_DISCARD;
  if ((flags & REQUEST_WRITE) !== 0) return DIRECTION_WRITE;
  return (flags & READ_BITS) !== 0 ? DIRECTION_READ : DIRECTION_OTHER;
}

/** Flags of a request in LTTng's form, from the letters of ftrace and perf; a leading `F` is a flush. */
export function flagsOfLetters(letters: string): number {
  return Array.from(letters).reduce((flags, letter, i) => {
    if (letter === 'F') return flags | (i === 0 ? 1 << 10 : 1 << 9);
    return flags | (REQUEST_LETTERS.find((each) => each[1] === letter)?.[0] ?? 0);
  }, 0);
}

/** Thread before the first switch of a part: the one that ran at the end of the chunk before. */
export const THREAD_OPEN = -1;

/** Thread after a loss, or between two: not known. */
export const THREAD_LOST = -2;

/** Thread of a stream without switches: another stream may tell who ran. */
export const THREAD_ELSEWHERE = -3;

/** Thread since a loss: the next switch names it as the one that leaves. */
export const THREAD_NEXT = -4;
