import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ByteSource, SourceRef } from './byte-source.ts';
import { openNodeSource } from './node-source.ts';
import { openSource } from './open-source.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const BYTES = Uint8Array.from({ length: 100 }, (_, i) => i);
const folder = temporaryFolder();

function pathRef(name: string): SourceRef & { readonly kind: 'path' } {
  return { kind: 'path', path: name, size: BYTES.length, absolute: join(folder, name) };
}

async function opened(ref: SourceRef): Promise<ByteSource> {
  const source = await openNodeSource(ref);
  if (!source.ok) throw new Error(JSON.stringify(source.fault));
  return source.value;
}

writeFileSync(join(folder, 'data'), BYTES);

const REFS: readonly SourceRef[] = [
  { kind: 'memory', path: 'data', size: BYTES.length, bytes: BYTES },
  { kind: 'file', path: 'data', size: BYTES.length, file: new Blob([BYTES]) },
  pathRef('data'),
  {
    kind: 'part',
    path: 'data',
    size: BYTES.length,
    of: { kind: 'memory', path: 'a', size: 102, bytes: Uint8Array.from([9, ...BYTES, 9]) },
    offset: 1,
  },
];

describe.each(REFS)('a source of kind $kind', (ref) => {
  it('gives bytes in a buffer of their own, and says where it ends', async () => {
    const source = await opened(ref);
    expect(source).toMatchObject({ name: 'data', size: 100 });
    const read = await source.read(10, 5);
    expect(read).toEqual({ ok: true, value: BYTES.slice(10, 15) });
    if (read.ok) expect(read.value.buffer.byteLength).toBe(5);
    expect(await source.read(100, 0)).toEqual({ ok: true, value: new Uint8Array(0) });
    expect(await source.read(90, 20)).toEqual({
      ok: false,
      fault: {
        code: 'truncated',
        place: { file: 'data', byte: 100 },
        expected: '110 bytes',
        found: '100 bytes',
      },
    });
    await source.close?.();
  });
});

describe.each(REFS)('a source of kind $kind that is read on', (ref) => {
  it('gives pieces at the begin of the memory that it gets, also those asked for ahead', async () => {
    const source = await opened(ref);
    const pieces = source.readOn?.(10, 100);
    const read = await Promise.all([5, 0, 70].map((length) => pieces?.next(length, new ArrayBuffer(80))));
    expect(read).toEqual([
      { ok: true, value: BYTES.slice(10, 15) },
      { ok: true, value: new Uint8Array(0) },
      { ok: true, value: BYTES.slice(15, 85) },
    ]);
    for (const piece of read)
      expect(piece?.ok && [piece.value.byteOffset, piece.value.buffer.byteLength]).toEqual([0, 80]);
    pieces?.close();
  });

  it('says where it ends', async () => {
    const source = await opened(ref);
    const pieces = source.readOn?.(90, 100);
    expect(await pieces?.next(20, new ArrayBuffer(20))).toMatchObject({
      ok: false,
      fault: { code: 'truncated', place: { file: 'data', byte: 100 }, expected: '110 bytes' },
    });
    pieces?.close();
  });

  it('ends what was asked for before it closes', async () => {
    const source = await opened(ref);
    const pieces = source.readOn?.(0, 100);
    const piece = pieces?.next(100, new ArrayBuffer(100));
    pieces?.close();
    expect(await piece).toEqual({ ok: true, value: BYTES });
  });
});

describe('files that are not what they were', () => {
  it('cannot be opened when they are gone', async () => {
    const source = await openNodeSource(pathRef('gone'));
    expect(source).toMatchObject({ ok: false, fault: { code: 'file-unreadable', place: { file: 'gone' } } });
  });

  it('end earlier when they were cut meanwhile', async () => {
    writeFileSync(join(folder, 'cut'), BYTES);
    const source = await opened(pathRef('cut'));
    truncateSync(join(folder, 'cut'), 50);
    expect(await source.read(40, 20)).toMatchObject({
      ok: false,
      fault: { code: 'truncated', place: { byte: 50 } },
    });
    await source.close?.();
  });

  it('tell what the browser says', async () => {
    const file = {
      size: 10,
      slice: () => ({ arrayBuffer: () => Promise.reject(new Error('NotFoundError')) }),
    };
    const source = await openSource({ kind: 'file', path: 'x', size: 10, file: file as unknown as Blob });
    expect(source.ok && (await source.value.read(4, 2))).toEqual({
      ok: false,
      fault: {
        code: 'file-unreadable',
        place: { file: 'x', byte: 4 },
        expected: 'a readable file',
        found: 'NotFoundError',
      },
    });
  });

  it('are refused as paths by the browser', async () => {
    expect(await openSource(pathRef('data'))).toMatchObject({
      ok: false,
      fault: { code: 'file-unreadable' },
    });
  });
});
