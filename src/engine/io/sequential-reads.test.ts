import { describe, expect, it } from 'vitest';
import type { ByteSource, SourceOpener, SourceRef } from './byte-source.ts';
import { SequentialReads } from './sequential-reads.ts';
import { openSource } from './open-source.ts';

const BYTES = new Uint8Array(9000).map((_, i) => i % 251);
const BUFFER_BYTES = 2 ** 22;

function fileOf(path: string, bytes = BYTES): SourceRef {
  return { kind: 'file', path, size: bytes.length, file: new Blob([bytes]) };
}

/** Opens files as a browser does, and keeps what is read on: file, first byte, end. */
class Ways {
  readonly begun: string[] = [];
  closed = 0;
  open: SourceOpener = async (ref) => {
    const source = await openSource(ref);
    if (!source.ok) return source;
    const readOn: ByteSource['readOn'] = (from, to) => {
      this.begun.push(`${ref.path} ${from}-${to}`);
      const pieces = source.value.readOn?.(from, to);
      if (pieces === undefined) throw new Error('no pieces');
      return {
        next: (length, memory) => pieces.next(length, memory),
        close: () => {
          this.closed++;
          pieces.close();
        },
      };
    };
    return { ok: true, value: { ...source.value, readOn } };
  };
}

async function expectBytes(
  reads: SequentialReads,
  ref: SourceRef,
  from: number,
  to: number,
  goesOn?: boolean,
) {
  const read = await reads.read(ref, from, to - from, goesOn);
  expect(read.ok && Buffer.compare(read.value, BYTES.subarray(from, to))).toBe(0);
  if (!read.ok) return;
  expect(read.value.buffer.byteLength).toBe(BUFFER_BYTES);
  reads.giveBack(read.value);
}

describe('files that are gone through', () => {
  it('have one way for all pieces, also empty ones, asked for one by one or ahead', async () => {
    const ways = new Ways();
    const reads = new SequentialReads(ways.open);
    const file = fileOf('a');
    await expectBytes(reads, file, 0, 4000, true);
    await expectBytes(reads, file, 4000, 4000, true);
    await Promise.all([
      expectBytes(reads, file, 4000, 4003, true),
      expectBytes(reads, file, 4003, 8000, true),
    ]);
    await expectBytes(reads, file, 8000, 9000, true);
    expect(ways).toMatchObject({ begun: ['a 0-9000'], closed: 1 });
  });

  it('are read anew behind a gap, before the place, and after the end', async () => {
    const ways = new Ways();
    const reads = new SequentialReads(ways.open);
    const file = fileOf('a');
    await expectBytes(reads, file, 0, 10, true);
    await expectBytes(reads, file, 20, 30, true);
    await expectBytes(reads, file, 5, 9, true);
    await expectBytes(reads, file, 9, 9000 - 1, true);
    await expectBytes(reads, file, 9, 12);
    await expectBytes(reads, file, 0, 3);
    expect(ways.begun).toEqual(['a 0-9000', 'a 20-9000', 'a 5-9000', 'a 9-12', 'a 0-3']);
    expect(ways.closed).toBe(4);
  });

  it('are left where they are when no file is gone through any further', async () => {
    const ways = new Ways();
    const reads = new SequentialReads(ways.open);
    await expectBytes(reads, fileOf('a'), 0, 10, true);
    await expectBytes(reads, fileOf('b'), 0, 10, true);
    reads.close();
    expect(ways.closed).toBe(2);
  });

  it('are few: others are read in slices, until one was not read for long', async () => {
    const ways = new Ways();
    const reads = new SequentialReads(ways.open);
    const files = Array.from({ length: 9 }, (_, i) => fileOf(String(i)));
    for (const file of files) await expectBytes(reads, file, 0, 10, true);
    expect(ways.begun.filter((way) => way.endsWith('-9000'))).toHaveLength(8);
    expect(ways.begun.at(-1)).toBe('8 0-10');
    for (let at = 10; at < 60; at++) await expectBytes(reads, files[8], at, at + 1, true);
    // The first of the eight gave way.
    expect(ways.begun.at(-1)).toMatch(/^8 \d+-9000$/);
    await expectBytes(reads, files[1], 10, 20, true);
    expect(ways.begun.at(-1)).toMatch(/^8/);
    await expectBytes(reads, files[0], 10, 20);
    expect(ways.begun.at(-1)).toBe('0 10-20');
  });

  it('say where they end, and what the browser says, and are opened anew then', async () => {
    const reads = new SequentialReads(openSource);
    const file = fileOf('a');
    await expectBytes(reads, file, 7, 7);
    await expectBytes(reads, file, 0, 8990, true);
    expect(await reads.read(file, 8990, 20, true)).toMatchObject({
      ok: false,
      fault: { code: 'truncated', place: { file: 'a', byte: 9000 }, found: '9000 bytes' },
    });
    await expectBytes(reads, file, 8990, 9000, true);
    const gone = { kind: 'file', path: 'gone', size: 30, file: vanishing(BYTES.slice(0, 30)) } as const;
    expect(await reads.read(gone, 0, 10, true)).toMatchObject({ ok: true });
    expect(await reads.read(gone, 10, 10, true)).toMatchObject({
      ok: false,
      fault: { code: 'file-unreadable', place: { file: 'gone', byte: 10 }, found: 'NotFoundError' },
    });
    expect(await reads.read(gone, 10, 20, true)).toMatchObject({ ok: true });
  });

  it('have memory of their own for a piece that is large', async () => {
    const bytes = new Uint8Array(BUFFER_BYTES + 2).map((_, i) => i % 249);
    const reads = new SequentialReads(openSource);
    const read = await reads.read(fileOf('large', bytes), 1, BUFFER_BYTES + 1, true);
    expect(read.ok && Buffer.compare(read.value, bytes.subarray(1))).toBe(0);
    expect(read.ok && read.value.buffer.byteLength).toBe(BUFFER_BYTES + 1);
  });
});

/** A file that is gone when the first stream of it has given ten bytes, and there again for the next one. */
function vanishing(bytes: Uint8Array<ArrayBuffer>): Blob {
  let streams = 0;
  const streamOf = (part: Uint8Array<ArrayBuffer>, isFirst: boolean) => {
    let given = 0;
    return new ReadableStream({
      type: 'bytes',
      pull(controller) {
        if (isFirst && given === 10) throw new Error('NotFoundError');
        const end = isFirst ? 10 : part.length;
        controller.enqueue(part.slice(given, end));
        given = end;
        if (!isFirst) controller.close();
      },
    });
  };
  const slice = (from: number, to: number) => ({
    stream: () => streamOf(bytes.slice(from, to), streams++ === 0),
  });
  return { size: bytes.length, slice } as unknown as Blob;
}
