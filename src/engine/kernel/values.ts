/**
 * The stored values of kernel state attributes: numbers, names and packing. Pure; the page and the command line use it
 * too.
 *
 * Thread state value: bits 0-3 state · bits 4-7 cause of a blocking (0: none or not ended yet) · bit 8 lossy ·
 * from bit 9 the detail: for cause `thread` the waker's thread index, otherwise an index of the history's strings
 * that names the interrupt, plus 1 each; 0: no detail.
 * CPU state value: bits 0-3 state · from bit 9, plus 1: for state `user?` the index of the thread, for `softirq` its
 * number, for `hardirq` and `timer` the index of the history's strings that names the device or vector; 0: no detail
 * (hrtimers).
 * Value of a thread's CPU: the CPU's number, or CPU_NOT_KNOWN.
 * CPU thread value: the index of the thread, plus 1; 0: unknown.
 * Request state value (`disks/DEV/SLOT/state`): 1 queued, 2 at the device.
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

/** Numbers of `cpus/N/state`. 7: user mode of a thread whose kind (kernel or user) was not known yet. */
export const CPU_STATES = [
  'unknown',
  'idle',
  'user',
  'kernel',
  'hardirq',
  'softirq',
  'timer',
  'user?',
] as const;

export const CPU_UNKNOWN = 0;
export const CPU_IDLE = 1;
export const CPU_USER = 2;
export const CPU_KERNEL = 3;
export const CPU_HARDIRQ = 4;
export const CPU_SOFTIRQ = 5;
export const CPU_TIMER = 6;
export const CPU_USER_UNSURE = 7;

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

/** The detail, or -1: above 2^31, so by division. */
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

/** Whether a CPU's value is one of an interrupt. */
export function isInterrupt(value: number): boolean {
  const state = stateOf(value);
  return state === CPU_HARDIRQ || state === CPU_SOFTIRQ || state === CPU_TIMER;
}

/** The stored thread value as it is meant: a kernel thread is never in user mode, whenever that became known. */
export function readThreadValue(value: number, isKernelThread: boolean): number {
  return isKernelThread && value === STATE_USER ? STATE_KERNEL : value;
}

/** The stored CPU value as it is meant; `isKernelThread` tells of a thread by its index. */
export function readCpuValue(value: number, isKernelThread: (thread: number) => boolean): number {
  if (stateOf(value) !== CPU_USER_UNSURE) return value;
  return isKernelThread(detailOf(value)) ? CPU_KERNEL : CPU_USER;
}

export const REQUEST_QUEUED = 1;
export const REQUEST_ISSUED = 2;
