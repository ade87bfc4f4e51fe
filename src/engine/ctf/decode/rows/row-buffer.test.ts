import { expect, test } from 'vitest';
import { Machine } from '../run/interpreter.ts';
import { RowBuffer } from './row-buffer.ts';

test('columns that grow keep what was written, also before the length is told', () => {
  const rows = new RowBuffer(new Machine(new Int32Array(0), 0, undefined));
  const { length } = rows.time;
  for (let row = 0; row < length; row++) {
    rows.time[row] = row;
    rows.at[row] = 2 * row;
  }
  rows.grow();
  expect(rows.time.length).toBeGreaterThan(length);
  expect([rows.time[length - 1], rows.at[length - 1], rows.time[length]]).toEqual([
    length - 1,
    2 * length - 2,
    0,
  ]);
});

test('a chunk begins with words of 0', () => {
  const machine = new Machine(new Int32Array(0), 0, undefined);
  const rows = new RowBuffer(machine);
  machine.reserve(4);
  machine.words.fill(7, 0, 4);
  machine.out = 4;
  rows.clear();
  expect([machine.out, ...machine.words.slice(0, 4)]).toEqual([0, 0, 0, 0, 0]);
});
