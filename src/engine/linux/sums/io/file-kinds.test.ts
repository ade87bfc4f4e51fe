import { expect, test } from 'vitest';
import { fileKind } from './file-kinds.ts';

test.each([
  ['/data/write.dat', 'file'],
  ['pipe.txt', 'file'],
  ['/dev/shm', 'device'],
  ['pipe:[10743]', 'pipe'],
  ['pipe', 'pipe'],
  ['socket', 'socket'],
  ['socket:[1]', 'socket'],
  ['anon_inode:[eventfd]', 'memory'],
  ['/memfd:x (deleted)', 'memory'],
  ['/dev/shm/x', 'memory'],
  ['/dev/zero', 'device'],
  ['/proc/self/status', 'kernel'],
  ['/lib/x86_64-linux-gnu/libc.so.6', 'library'],
  ['/usr/lib/notes.sock', 'file'],
  ['unknown', 'unknown'],
  ['', 'unknown'],
])('%s is of kind %s', (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});
