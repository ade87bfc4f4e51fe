import { expect, it } from 'vitest';
import type { SourceOpener, SourceRef } from './byte-source.ts';
import { openSource } from './open-source.ts';
import { readCache } from './read-cache.ts';

const BYTES = Uint8Array.from({ length: 10_000 }, (_, i) => i * 7);
const REF: SourceRef = { kind: 'memory', path: 'data', size: BYTES.length, bytes: BYTES };

/** A cache over an opener that notes what is read: offset and length. */
function countedReads(): { cache: ReturnType<typeof readCache>; reads: number[][] } {
  const reads: number[][] = [];
  const open: SourceOpener = async (ref) => {
    const source = await openSource(ref);
    if (!source.ok) return source;
    const { value } = source;
    const read = (offset: number, length: number) => {
      reads.push([offset, length]);
      return value.read(offset, length);
    };
    return { ok: true, value: { ...value, read } };
  };
  return { cache: readCache(open), reads };
}

async function read(cache: ReturnType<typeof readCache>, offset: number, length: number): Promise<unknown> {
  const source = await cache.open(REF);
  return source.ok ? source.value.read(offset, length) : source;
}

it('reads the first piece and the one asked for last once, whoever opens the file', async () => {
  const { cache, reads } = countedReads();
  await cache.expect([REF]);
  expect(await read(cache, 0, 10)).toEqual({ ok: true, value: BYTES.slice(0, 10) });
  expect(await read(cache, 8000, 20)).toEqual({ ok: true, value: BYTES.slice(8000, 8020) });
  expect(await read(cache, 8000, 2000)).toEqual({ ok: true, value: BYTES.slice(8000) });
  expect(await read(cache, 0, 4096)).toEqual({ ok: true, value: BYTES.slice(0, 4096) });
  expect(reads).toEqual([
    [0, 4096],
    [8000, 2000],
  ]);
});

it('gives bytes that the caller owns', async () => {
  const { cache } = countedReads();
  const first = (await read(cache, 0, 4)) as { value: Uint8Array };
  first.value.fill(9);
  expect(await read(cache, 0, 4)).toEqual({ ok: true, value: BYTES.slice(0, 4) });
});

it('leaves what is longer, or beyond the end, to the file', async () => {
  const { cache, reads } = countedReads();
  expect(await read(cache, 0, 5000)).toEqual({ ok: true, value: BYTES.slice(0, 5000) });
  const source = await openSource(REF);
  const beyond = source.ok ? await source.value.read(9990, 20) : source;
  expect(await read(cache, 9990, 20)).toEqual(beyond);
  expect(reads).toEqual([
    [0, 5000],
    [9990, 20],
  ]);
});

it('forgets files when there are many', async () => {
  const { cache, reads } = countedReads();
  await read(cache, 0, 1);
  for (let i = 0; i < 256; i++) await cache.open({ ...REF, path: String(i) });
  await read(cache, 0, 1);
  expect(reads.length).toBe(2);
});
