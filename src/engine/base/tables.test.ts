import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { f64, i32, TableLog, TableMemory, u8 } from './tables.ts';

const FORM = { flag: u8(7), time: f64(NaN), pair: i32(-1, 2) };

/** Address behind all columns. */
function endOf(...tables: readonly object[]): number {
  const columns = tables.flatMap((table) => Object.values(table) as readonly Uint8Array[]);
  return Math.max(...columns.map(({ byteOffset, byteLength }) => byteOffset + byteLength));
}

afterEach(() => vi.unstubAllGlobals());

describe.each([
  ['WebAssembly', WebAssembly],
  ['an ordinary buffer', undefined],
])('tables in a memory of %s', (_, webAssembly) => {
  function newMemory(): TableMemory {
    vi.stubGlobal('WebAssembly', webAssembly);
    return new TableMemory();
  }

  it('hold what new rows hold, at addresses that fit their numbers', () => {
    const memory = newMemory();
    const table = memory.table(FORM, 3);
    expect([...table.flag]).toEqual([7, 7, 7]);
    expect([...table.time]).toEqual([NaN, NaN, NaN]);
    expect([...table.pair]).toEqual([-1, -1, -1, -1, -1, -1]);
    for (const { byteOffset } of Object.values(table)) expect(byteOffset % 8).toBe(0);
    expect(memory.wasm === undefined).toBe(webAssembly === undefined);
  });

  it('keep their rows when they or the memory grow', () => {
    const memory = newMemory();
    const [first, second] = [memory.table(FORM, 2), memory.table(FORM, 2)];
    first.pair.set([1, 2, 3, 4]);
    second.time.set([5, 6]);
    const { moves } = memory;
    memory.widen(first, 100_000);
    expect(memory.moves).toBeGreaterThan(moves);
    expect([...first.pair.subarray(0, 6)]).toEqual([1, 2, 3, 4, -1, -1]);
    expect(first.flag.at(-1)).toBe(7);
    expect([...second.time]).toEqual([5, 6]);
    second.time[1] = 8;
    expect(first.time.every(Number.isNaN)).toBe(true);
  });

  it('leave columns of others as they are when the memory has room', () => {
    const memory = newMemory();
    const [first, second] = [memory.table(FORM, 2), memory.table(FORM, 2)];
    const [old, kept] = [first.time, second.time];
    memory.widen(first, 100);
    expect([first.time === old, second.time === kept]).toEqual([false, true]);
    memory.widen(first, 100_000);
    expect(second.time === kept).toBe(false);
  });

  it('take the room that others left side by side, as new', () => {
    const memory = newMemory();
    const [first, second] = [memory.table(FORM, 1), memory.table(FORM, 1)];
    for (const rows of [1000, 10_000]) for (const table of [first, second]) memory.widen(table, rows);
    for (const { pair } of [first, second]) pair.fill(9);
    const end = endOf(first, second);
    const third = memory.table(FORM, 500);
    expect(endOf(third)).toBeLessThan(end);
    expect(third.flag.every((value) => value === 7)).toBe(true);
    expect(third.time.every(Number.isNaN)).toBe(true);
    third.pair.fill(5);
    for (const { pair } of [first, second]) expect(pair.every((value) => value === 9)).toBe(true);
  });

  it('have columns that take the room of those before them when they get more rows', () => {
    const memory = newMemory();
    const table = memory.table({ a: i32(-1), b: i32(), c: i32(), d: i32() }, 1000);
    for (const column of Object.values(table)) column.set([1, 2, 3]);
    const begin = table.a.byteOffset;
    memory.widen(table, 2000);
    // A column's worth of room is left over, not the four that the table took before.
    expect(endOf(table) - begin).toBe(5 * 2000 * 4);
    for (const [name, column] of Object.entries(table)) {
      expect([...column.subarray(0, 4)]).toEqual([1, 2, 3, name === 'a' ? -1 : 0]);
      expect(column[1999]).toBe(name === 'a' ? -1 : 0);
    }
  });

  it('tell their places in directories that stay', () => {
    const memory = newMemory();
    const table = memory.table(FORM, 3);
    const directory = memory.directoryOf(table);
    for (const capacity of [3, 100_000]) {
      if (capacity > 3) memory.widen(table, capacity);
      const places = Object.values(table).map(({ byteOffset }) => byteOffset);
      const words = new Uint32Array(table.flag.buffer, memory.directoryOf(table), 4);
      expect([...words]).toEqual([...places, capacity]);
      expect(memory.directoryOf(table)).toBe(directory);
    }
  });

  it('are logs whose rows leave the memory when it is full, and stay as they were', () => {
    const memory = newMemory();
    const log = new TableLog(memory, FORM, 4);
    const { moves } = memory;
    for (let n = 0; n < 11; n++) {
      expect(log.length).toBe(n);
      const row = log.add();
      log.rows.time[row] = n;
      log.rows.pair.set([n, -n], 2 * row);
    }
    expect(memory.moves).toBe(moves);
    for (const length of [0, 3, 4, 5, 8, 11]) {
      const { time, pair, flag } = log.first(length);
      const numbers = Array.from({ length }, (_, n) => n);
      expect([...time]).toEqual(numbers);
      expect([...pair]).toEqual(numbers.flatMap((n) => [n, 0 - n]));
      expect(flag.length).toBe(length);
      for (const { buffer, byteLength } of [time, pair, flag]) expect(buffer.byteLength).toBe(byteLength);
    }
  });

  it('are still made when one was too large', () => {
    const memory = newMemory();
    const bytes = { value: u8() };
    const { value: before } = memory.table(bytes, 8);
    expect(() => memory.table(bytes, 2 ** 53)).toThrow();
    const { value: after } = memory.table(bytes, 8);
    expect(after.byteOffset - before.byteOffset).toBeLessThan(100);
  });

  it('are logs whose rows are given to who keeps them', () => {
    const given: number[][] = [];
    const log = new TableLog(newMemory(), FORM, 4, ({ length, columns }) =>
      given.push([length, ...columns.time]),
    );
    for (let n = 0; n < 11; n++) log.rows.time[log.add()] = n;
    expect(given).toEqual([
      [4, 0, 1, 2, 3],
      [4, 4, 5, 6, 7],
    ]);
    expect([log.kept, log.length]).toEqual([8, 11]);
    expect([...log.first(2).time]).toEqual([8, 9]);
    expect([...log.all().time]).toEqual([8, 9, 10]);
    expect(log.length).toBe(11);
  });

  it('keep logged rows where they are all together, and free those that were apart', () => {
    const log = new TableLog(newMemory(), FORM, 4);
    for (let n = 0; n < 11; n++) log.rows.time[log.add()] = n;
    const all = log.all();
    expect([...all.time]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(log.length).toBe(11);
    log.rows.time[log.add()] = 11;
    expect([...log.first(12).time.subarray(9)]).toEqual([9, 10, 11]);
    expect([...log.first(6).time]).toEqual([0, 1, 2, 3, 4, 5]);
    expect([...log.all().time]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(all.time.byteLength).toBe(0);
  });
});

test('a memory that cannot be doubled any more grows as far as it can', () => {
  const memory = new TableMemory();
  // Nobody touches these: the system gives no pages for them.
  memory.table({ value: u8() }, 2.5 * 2 ** 30);
  expect(memory.table({ value: u8(7) }, 100_000).value.at(-1)).toBe(7);
  expect(memory.wasm?.buffer.byteLength).toBe(2 ** 32);
});
