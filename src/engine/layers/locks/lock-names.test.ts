import { expect, it, test } from 'vitest';
import { kernelLockKinds } from './lock-names.ts';

test.each([
  [0, 'semaphore'],
  [1, 'spinlock'],
  [2, 'rwsem read'],
  [3, 'rwlock read'],
  [4, 'rwsem write'],
  [5, 'rwlock write'],
  [8, 'rtmutex'],
  [18, 'percpu-rwsem read'],
  [20, 'percpu-rwsem write'],
  [32, 'mutex'],
  [33, 'mutex'],
  [6, 'flags 6'],
  [64, 'flags 64'],
])('%i: %s', (flags, words) => {
  expect(kernelLockKinds([flags])).toBe(words);
});

it('names each kind once, whatever the order of waits', () => {
  expect(kernelLockKinds([4, 2, 4])).toBe('rwsem read or rwsem write');
  expect(kernelLockKinds([33, 32, 33])).toBe('mutex');
  expect(kernelLockKinds([])).toBe('');
});
