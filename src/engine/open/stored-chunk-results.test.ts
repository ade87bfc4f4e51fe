import { describe, expect, it } from 'vitest';
import { ChunkResults } from '../analysis/chunk-results.ts';
import type { AnyAggregate } from '../analysis/analysis-set.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import type { HistoryRecords } from '../history/persist.ts';
import type { Chunk } from '../trace/types.ts';
import type { OnDamage } from './damage.ts';
import { StoredChunkResults, openStoredChunkResults } from './stored-chunk-results.ts';

/** Two batches that are written while reading goes on, and a rest. */
const CHUNKS = 40;
const BATCHED = 32;
const ANALYSES = ['letters', 'numbers'];

/** Merging is joining, so that every result shows what it is of. */
function joining(id: string): AnyAggregate {
  return {
    id,
    version: 1,
    reads: { kinds: [] },
    map: () => '',
    merge: (chunkResults) => chunkResults.join(''),
    empty: '',
    finish: (chunkResult) => chunkResult,
  };
}

const chunks = Array.from({ length: CHUNKS }, (_, id): Chunk => {
  return { id, host: 0, trace: 0, stream: 0, sequence: id, extents: [], bytes: 1, from: id, to: id };
});

function recordsIn(written: Map<string, unknown>, { refuses = false, copies = true } = {}): HistoryRecords {
  return {
    write: (records) => {
      if (refuses) return Promise.resolve(fail({ code: 'store-full', place: {} }));
      for (const { name, value } of records) written.set(name, structuredClone(value));
      return Promise.resolve(ok(undefined));
    },
    read: (name) => Promise.resolve(written.get(name)),
    copies: () => copies,
  };
}

function putAll(kept: StoredChunkResults, from: number, to: number): void {
  for (let id = from; id < to; id++) {
    const chunkResults = new Map([
      ['letters', String.fromCharCode(65 + id)],
      ['numbers', `${id};`],
    ]);
    kept.chunkResults.put(id, { first: id, last: id }, chunkResults);
    kept.add(id);
  }
}

/** What the session does at the end. */
async function finish(kept: StoredChunkResults, records: HistoryRecords): Promise<Result<void>> {
  const left = await kept.rest();
  return left.ok ? records.write(left.value) : left;
}

async function whole(kept: StoredChunkResults, id: string): Promise<string> {
  return (await kept.load(id)).whole(joining(id), 0) as string;
}

const unexpected: OnDamage = (part) => {
  throw new Error(`damage of ${part}`);
};

const LETTERS = Array.from({ length: CHUNKS }, (_, id) => String.fromCharCode(65 + id));

describe('kept chunk results', () => {
  it('leave memory when they are written, and come back for who asks', async () => {
    const records = recordsIn(new Map());
    const kept = new StoredChunkResults(new ChunkResults(chunks), ANALYSES, records, unexpected);
    putAll(kept, 0, CHUNKS);
    expect(await finish(kept, records)).toEqual(ok(undefined));
    expect(kept.chunkResults.chunkResultOf(0, 'letters')).toBeUndefined();
    expect(kept.chunkResults.chunkResultOf(CHUNKS - 1, 'letters')).toBe(LETTERS[CHUNKS - 1]);
    expect(await whole(kept, 'letters')).toBe(LETTERS.join(''));
    expect(kept.chunkResults.chunkResultOf(0, 'numbers')).toBeUndefined();
  });

  it('stay once they were asked for, while others arrive', async () => {
    const records = recordsIn(new Map());
    const kept = new StoredChunkResults(new ChunkResults(chunks), ANALYSES, records, unexpected);
    putAll(kept, 0, 20);
    expect(await whole(kept, 'letters')).toBe(LETTERS.slice(0, 20).join(''));
    putAll(kept, 20, CHUNKS);
    await finish(kept, records);
    expect(await whole(kept, 'letters')).toBe(LETTERS.join(''));
    expect(kept.chunkResults.chunkResultOf(BATCHED - 1, 'numbers')).toBeUndefined();
  });

  it('are the same from the store', async () => {
    const written = new Map<string, unknown>();
    const kept = new StoredChunkResults(new ChunkResults(chunks), ANALYSES, recordsIn(written), unexpected);
    putAll(kept, 0, CHUNKS);
    await finish(kept, recordsIn(written));
    const opened = await openStoredChunkResults(recordsIn(written), ANALYSES, unexpected);
    expect(await whole(opened, 'letters')).toBe(LETTERS.join(''));
    expect(opened.chunkResults.spanOf(7)).toEqual({ first: 7, last: 7 });
  });

  it('are as many as can be read, and what is missing is told', async () => {
    const written = new Map<string, unknown>();
    const kept = new StoredChunkResults(new ChunkResults(chunks), ANALYSES, recordsIn(written), unexpected);
    putAll(kept, 0, CHUNKS);
    await finish(kept, recordsIn(written));
    written.delete('leaves/letters/1');
    const log: string[] = [];
    const tell: OnDamage = (part, { place }) => log.push(`${part}: ${place.file}`);
    const opened = await openStoredChunkResults(recordsIn(written), ANALYSES, tell);
    await whole(opened, 'numbers');
    expect(log).toEqual([]);
    expect(await whole(opened, 'letters')).toBe([...LETTERS.slice(0, 16), ...LETTERS.slice(32)].join(''));
    expect(log).toEqual(['letters: leaves/letters/1']);
    const none = await openStoredChunkResults(recordsIn(new Map()), ANALYSES, tell);
    expect(await whole(none, 'letters')).toBe('');
    expect(log.slice(1)).toEqual(['letters: leaves', 'numbers: leaves']);
  });

  it('give their memory back where the store has copies', async () => {
    for (const copies of [true, false]) {
      const columns = chunks.map(({ id }) => Float64Array.of(id));
      const records = recordsIn(new Map(), { copies });
      const kept = new StoredChunkResults(new ChunkResults(chunks), ['letters'], records, unexpected);
      for (const [id, column] of columns.entries()) {
        kept.chunkResults.put(id, { first: id, last: id }, new Map([['letters', { column }]]));
        kept.add(id);
      }
      await finish(kept, records);
      const lengths = columns.slice(0, BATCHED).map(({ length }) => length);
      expect(lengths.every((length) => length === (copies ? 0 : 1))).toBe(true);
    }
  });

  it('stay in memory where the store refuses them', async () => {
    const records = recordsIn(new Map(), { refuses: true });
    const kept = new StoredChunkResults(new ChunkResults(chunks), ANALYSES, records, unexpected);
    putAll(kept, 0, CHUNKS);
    expect((await kept.rest()).ok).toBe(false);
    expect(await whole(kept, 'letters')).toBe(LETTERS.join(''));
  });
});
