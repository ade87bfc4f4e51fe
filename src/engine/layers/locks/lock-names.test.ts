import { expect, it, test } from 'vitest';
import { kernelLockKind, kernelLockMode, kernelLockWords } from './lock-names.ts';

test.each([
  [0, 'semaphore'],
  [1, 'spinlock'],
  [2, 'rwsem', 'read'],
  [3, 'rwlock', 'read'],
  [4, 'rwsem', 'write'],
  [5, 'rwlock', 'write'],
  [8, 'rtmutex'],
  [18, 'percpu-rwsem', 'read'],
  [20, 'percpu-rwsem', 'write'],
  [32, 'mutex'],
  [33, 'mutex'],
  [6, 'flags 6'],
  [64, 'flags 64'],
])('%i: %s', (flags, kind, mode = undefined) => {
  expect([kernelLockKind([flags]), kernelLockMode(flags)]).toEqual([kind, mode]);
});

it('names each kind once, whatever the order of waits', () => {
  expect(kernelLockKind([4, 2, 4])).toBe('rwsem');
  expect(kernelLockKind([4, 33])).toBe('rwsem or mutex');
  expect(kernelLockWords({ process: -1, address: '0xff2240fc8231d5f0' }, [4, 2])).toBe(
    'rwsem 0x…d5f0 of the kernel',
  );
  expect(kernelLockKind([33, 32, 33])).toBe('mutex');
  expect(kernelLockKind([])).toBe('');
});
