import { describe, expect, it } from 'vitest';
import { fail, ok } from '../base/fault.ts';
import type { LogRows } from '../base/tables.ts';
import type { HistoryRecords } from '../history/persist.ts';
import { StoredRows } from './stored-logs.ts';

const BATCH = 10;
const REFUSED = fail({ code: 'store-full', place: {} });

function recordsIn(written: Map<string, unknown>, { room = Infinity, copies = true } = {}): HistoryRecords {
  return {
    write: (records) => {
      if (written.size >= room) return Promise.resolve(REFUSED);
      for (const { name, value } of records) written.set(name, copies ? structuredClone(value) : value);
      return Promise.resolve(ok(undefined));
    },
    read: (name) => Promise.resolve(written.get(name)),
    copies: () => copies,
  };
}

/** Rows [from, to), with a column of two numbers a row. */
function rowsOf(from: number, to: number): LogRows {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const pair = Int32Array.from(numbers.flatMap((n) => [n, -n]));
  return { length: to - from, columns: { time: Float64Array.from(numbers), pair } };
}

/** In pieces of 4, which do not divide a batch. */
function addAll(kept: StoredRows, count: number): LogRows[] {
  const pieces = Array.from({ length: count / 4 }, (_, piece) => rowsOf(4 * piece, 4 * piece + 4));
  for (const piece of pieces) kept.add(piece);
  return pieces;
}

describe('kept rows', () => {
  it('come back in order, as many as are asked for, with others behind them', async () => {
    const kept = new StoredRows(recordsIn(new Map()), 'log', 0, BATCH);
    addAll(kept, 40);
    expect(kept.batches).toBe(3);
    for (const count of [1, 12, 13, 36, 40]) {
      const { length, columns } = rowsOf(0, count);
      const rest = rowsOf(100, 103);
      const expected = [...columns.pair, ...rest.columns.pair];
      const found = await kept.read(count, rest);
      expect(found?.length).toBe(length + 3);
      expect([...(found?.columns.pair ?? [])]).toEqual(expected);
      expect([...(found?.columns.time ?? [])]).toEqual([...columns.time, 100, 101, 102]);
    }
    expect(await kept.read(41, rowsOf(100, 103))).toBeUndefined();
  });

  it('leave memory when they are written, and are the same from the store', async () => {
    const written = new Map<string, unknown>();
    const kept = new StoredRows(recordsIn(written), 'log', 0, BATCH);
    const pieces = addAll(kept, 28);
    expect(pieces.map(({ columns }) => columns.time.length)).toEqual([0, 0, 0, 0, 0, 0, 4]);
    expect(await kept.finish()).toEqual(ok(undefined));
    expect([...written.keys()]).toEqual(['log/0', 'log/1', 'log/2']);
    const found = await new StoredRows(recordsIn(written), 'log', kept.batches).read(28, rowsOf(28, 30));
    expect(found).toEqual(rowsOf(0, 30));
    written.delete('log/1');
    expect(await kept.read(28, rowsOf(28, 30))).toBeUndefined();
  });

  it('come back whole while more are added, which makes another batch', async () => {
    const records = recordsIn(new Map());
    let more = [16, 20, 24];
    const adding: HistoryRecords = {
      ...records,
      read(name) {
        for (const from of more) kept.add(rowsOf(from, from + 4));
        more = [];
        return records.read(name);
      },
    };
    const kept = new StoredRows(adding, 'log', 0, BATCH);
    addAll(kept, 16);
    expect(await kept.read(16, rowsOf(16, 17))).toEqual(rowsOf(0, 17));
    expect(await kept.read(28, rowsOf(28, 29))).toEqual(rowsOf(0, 29));
  });

  it.each([
    ['the store refuses them', { room: 1 }, REFUSED],
    ['the store has them as they are', { copies: false }, ok(undefined)],
  ])('stay in memory where %s', async (_, options, finished) => {
    const kept = new StoredRows(recordsIn(new Map(), options), 'log', 0, BATCH);
    addAll(kept, 40);
    expect(await kept.finish()).toEqual(finished);
    for (let again = 0; again < 2; again++)
      expect(await kept.read(40, rowsOf(40, 41))).toEqual(rowsOf(0, 41));
  });
});
