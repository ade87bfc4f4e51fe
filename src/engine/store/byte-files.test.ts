import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { ByteFile, ByteFiles } from './byte-files.ts';
import { forAll } from '../../../test/support/for-all.ts';

/** A file in memory, which takes up to `most` bytes. */
function memoryFile(most = Infinity) {
  let bytes = Buffer.alloc(0);
  const writes: number[] = [];
  const access = {
    getSize: () => bytes.length,
    write(part: Uint8Array, { at }: { at: number }) {
      const taken = part.subarray(0, Math.max(0, most - at));
      bytes = Buffer.concat([bytes.subarray(0, at), taken]);
      writes.push(part.length);
      return taken.length;
    },
    read: (into: Uint8Array, { at }: { at: number }) => bytes.copy(into, 0, at),
  };
  return { file: new ByteFile('file', access as unknown as FileSystemSyncAccessHandle), writes };
}

/** Bytes that tell where they stand. */
function partOf(length: number, seed: number): Uint8Array {
  const part = new Uint8Array(length);
  for (let i = 0; i < length; i++) part[i] = i * 31 + seed;
  return part;
}

const LENGTHS = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.integer({ min: 400_000, max: 2_400_000 })), {
  maxLength: 6,
});

it('appends parts of any size one after the other', () =>
  forAll(20, [LENGTHS, LENGTHS], (first, second) => {
    const { file } = memoryFile();
    for (const lengths of [first, second]) {
      const parts = lengths.map(partOf);
      const at = file.append(parts);
      const all = Buffer.concat(parts);
      const kept = file.read(at, all.length) ?? new ArrayBuffer(0);
      expect(all.equals(new Uint8Array(kept))).toBe(true);
    }
  }));

it('writes small parts together, and nothing for empty ones', () => {
  const { file, writes } = memoryFile();
  file.append([100, 0, 5000, 1_100_000, 0, 7].map(partOf));
  expect(writes).toEqual([5100, 1_100_000, 7]);
});

it('takes all parts or none', () => {
  const { file } = memoryFile(1000);
  expect(file.append([partOf(600, 0)])).toBe(0);
  expect(() => file.append([partOf(300, 0), partOf(200, 0)])).toThrow(DOMException);
  expect(file.append([partOf(400, 0)])).toBe(600);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('looks for its folder again when it could not be opened', async () => {
  const folder = { keys: () => ['a'] };
  const root = { getDirectoryHandle: () => Promise.resolve(folder) };
  const getDirectory = vi.fn().mockRejectedValueOnce(new Error('busy')).mockResolvedValue(root);
  vi.stubGlobal('navigator', { storage: { getDirectory } });
  const files = new ByteFiles('x');
  expect(await files.names()).toEqual([]);
  expect(await files.names()).toEqual(['a']);
  await files.names();
  expect(getDirectory).toHaveBeenCalledTimes(2);
});

it('asks nothing more of a browser that does not answer, and lets go of what comes too late', async () => {
  vi.useFakeTimers();
  const access = { getSize: () => 0, close: vi.fn() };
  let answer: (late: typeof access) => void = () => undefined;
  const createSyncAccessHandle = vi.fn(() => new Promise((resolve) => (answer = resolve)));
  const getFileHandle = vi.fn(() => Promise.resolve({ createSyncAccessHandle }));
  const folder = { getFileHandle, keys: () => ['a'] };
  const root = { getDirectoryHandle: () => Promise.resolve(folder) };
  vi.stubGlobal('navigator', { storage: { getDirectory: () => Promise.resolve(root) } });
  const files = new ByteFiles('x');
  const opening = files.open('a');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await opening).toBeUndefined();
  answer(access);
  await vi.advanceTimersByTimeAsync(0);
  expect(access.close).toHaveBeenCalledOnce();
  expect(await files.read('a', 0, 1)).toBeUndefined();
  expect(await files.names()).toEqual([]);
  await files.remove('a');
  expect(getFileHandle).toHaveBeenCalledOnce();
});
