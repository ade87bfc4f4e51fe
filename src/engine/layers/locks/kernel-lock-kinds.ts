/** Kinds of locks of the kernel in words, by the flags that `contention_begin` has (LCB_F_… in Linux's trace/events/lock.h). */

const SPIN = 1;
const READ = 2;
const WRITE = 4;
const RT = 8;
const PERCPU = 16;
const MUTEX = 32;

/** All combinations that Linux gives. A mutex spins while its owner runs; of real-time kernels all locks are `RT`. */
const WORDS: ReadonlyMap<number, string> = new Map([
  [0, 'semaphore'],
  [SPIN, 'spinlock'],
  [SPIN | READ, 'rwlock read'],
  [SPIN | WRITE, 'rwlock write'],
  [READ, 'rwsem read'],
  [WRITE, 'rwsem write'],
  [RT, 'rtmutex'],
  [RT | READ, 'rt rwlock read'],
  [RT | WRITE, 'rt rwlock write'],
  [PERCPU | READ, 'percpu-rwsem read'],
  [PERCPU | WRITE, 'percpu-rwsem write'],
  [MUTEX, 'mutex'],
  [MUTEX | SPIN, 'mutex'],
]);

/** @param flags of waits for one lock; `rwsem read or rwsem write` where they differ, `flags 64` where they are not known */
export function kernelLockKinds(flags: Iterable<number>): string {
  const inOrder = [...new Set(flags)].sort((a, b) => a - b);
  return [...new Set(inOrder.map((value) => WORDS.get(value) ?? `flags ${value}`))].join(' or ');
}
