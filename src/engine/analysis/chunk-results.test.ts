import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../trace/types.ts';
import { ChunkResults } from './chunk-results.ts';
import type { AnyAggregate } from './analysis-set.ts';
import { forAll } from '../../../test/support/for-all.ts';

/** Merging is joining, so that every result shows its order. */
const joining: AnyAggregate = {
  id: 'joining',
  version: 1,
  reads: { kinds: [] },
  map: () => '',
  merge: (chunkResults) => chunkResults.join(''),
  empty: '',
  finish: (chunkResult) => chunkResult,
};

/** Chunks of two hosts in turn, chunk i with its events in [10 i, 10 i + 15]. */
function chunksOf(count: number): Chunk[] {
  return Array.from({ length: count }, (_, id) => {
    const from = 10 * id;
    return {
      id,
      host: id % 2,
      trace: id % 2,
      stream: 0,
      sequence: id >> 1,
      extents: [],
      bytes: 1,
      from,
      to: from + 15,
    };
  });
}

const nameOf = (id: number): string => `${id};`;

function filled(count: number, order: readonly number[]): ChunkResults {
  const chunkResults = new ChunkResults(chunksOf(count));
  for (const id of order) {
    chunkResults.put(id, { first: 10 * id, last: 10 * id + 15 }, new Map([[joining.id, nameOf(id)]]));
  }
  return chunkResults;
}

describe('chunk results of aggregates', () => {
  it('are merged in order of chunks, whatever the order of arrival', async () => {
    const orders = fc.shuffledSubarray([...Array(13).keys()], { minLength: 13 });
    await forAll(100, [orders], (order) => {
      expect(filled(13, order).whole(joining, 0)).toBe('0;2;4;6;8;10;12;');
      expect(filled(13, order).whole(joining, 1)).toBe('1;3;5;7;9;11;');
    });
  });

  it('of a range are whole chunks and what was decoded again of the cut ones', () => {
    const chunkResults = filled(8, [...Array(8).keys()]);
    const window = { from: 20, to: 60 };
    expect(chunkResults.cutChunks(0, window).map(({ id }) => id)).toEqual([]);
    expect(chunkResults.cutChunks(0, { from: 21, to: 60 }).map(({ id }) => id)).toEqual([2]);
    expect(chunkResults.cutChunks(1, window).map(({ id }) => id)).toEqual([1, 5]);
    const cut = new Map([
      [1, 'one;'],
      [5, 'five;'],
    ]);
    expect(chunkResults.range(joining, 0, window, new Map())).toBe('2;4;');
    expect(chunkResults.range(joining, 1, window, cut)).toBe('one;3;five;');
  });

  it('are empty where nothing has arrived', () => {
    expect(filled(4, []).whole(joining, 0)).toBe('');
    expect(filled(4, [2]).whole(joining, 0)).toBe('2;');
  });
});
