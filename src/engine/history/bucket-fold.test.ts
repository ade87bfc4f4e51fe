import { describe, expect, it } from 'vitest';
import { BucketFold, SpanList } from './bucket-fold.ts';
import { groupTable } from './groups.ts';
import { MIX } from './mix.ts';
import { MIX_CAUSE } from './state-mix.ts';
import { GAP, MIXED } from './intervals.ts';

const GROUPS = groupTable({
  id: 'test',
  states: 16,
  groupOf: (value) => (value & 15) % 6,
  causeOf: (value) => value >> 4,
});

/** Spans of a row of width 10 within [-100, 100). */
function fold(
  feed: (fold: BucketFold) => void,
  cut = false,
): { spans: [number, number, number][]; list: SpanList } {
  const list = new SpanList();
  const bucketFold = new BucketFold(cut);
  bucketFold.begin(10, -100, 100, list);
  bucketFold.row(GROUPS);
  feed(bucketFold);
  bucketFold.finish();
  const spans = Array.from({ length: list.length }, (_, i): [number, number, number] => [
    list.begin[i],
    list.end[i],
    list.value[i],
  ]);
  return { spans, list };
}

describe('folding into buckets', () => {
  it('keeps what has one change in a bucket, to the nanosecond', () => {
    const { spans } = fold((row) => {
      row.pure(3, 17, 1);
      row.pure(17, 42, 2);
      row.pure(42, 51, 3);
    });
    expect(spans).toEqual([
      [3, 17, 1],
      [17, 42, 2],
      [42, 51, 3],
    ]);
  });

  it('mixes a bucket with two changes inside, with the time of each group and the longest wait', () => {
    const { spans, list } = fold((row) => {
      row.pure(0, 12, 1);
      row.pure(12, 15, 4 + 16 * 7);
      row.pure(15, 17, 1);
      row.pure(17, 18, 4 + 16 * 8);
      row.pure(18, 40, 2);
    });
    expect(spans).toEqual([
      [0, 10, 1],
      [10, 20, MIXED],
      [20, 40, 2],
    ]);
    expect([...list.mixNs.slice(0, MIX)]).toEqual([0, 4, 2, 0, 4, 0, 0, 0, 3, 7]);
  });

  it('takes a gap for a change like any other', () => {
    const { spans } = fold((row) => {
      row.pure(-20, 3, 1);
      row.pure(5, 20, 1);
      row.pure(20, 24, 2);
    });
    expect(spans).toEqual([
      [-20, 0, 1],
      [0, 10, MIXED],
      [10, 20, 1],
      [20, 24, 2],
    ]);
  });

  it('joins parts of narrower buckets, and does not take their borders for changes', () => {
    const mix = Float64Array.from([1, 0, 0, 0, 1, 0, 0, 0, 1, 9]);
    const { spans, list } = fold((row) => {
      row.pure(-5, 0, 1);
      row.mixed(0, 2, mix, 0);
      row.mixed(2, 4, mix, 0);
      row.pure(4, 10, 2);
      row.mixed(10, 12, mix, 0);
      row.pure(12, 23, 3);
    });
    expect(spans).toEqual([
      [-5, 0, 1],
      [0, 20, MIXED],
      [20, 23, 3],
    ]);
    expect([...list.mixNs.slice(0, MIX)]).toEqual([2, 0, 6, 0, 2, 0, 0, 0, 1, 9]);
    expect(list.mixNs[MIX + MIX_CAUSE]).toBe(9);
  });

  it('knows that an interval at a cut goes on beyond it', () => {
    const feed = (row: BucketFold): void => {
      row.pure(-100, -95, 1);
      row.pure(-95, 95, 2);
      row.pure(95, 100, 3);
    };
    expect(fold(feed, true).spans).toEqual([
      [-100, -95, 1],
      [-95, 95, 2],
      [95, 100, 3],
    ]);
  });

  it('clips to the range', () => {
    const { spans } = fold((row) => {
      row.pure(-1000, -50, 1);
      row.pure(-50, -40, GAP);
      row.pure(-40, 1000, 2);
    });
    expect(spans).toEqual([
      [-100, -50, 1],
      [-50, -40, GAP],
      [-40, 100, 2],
    ]);
  });
});
