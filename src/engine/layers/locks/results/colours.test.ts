import { expect, it } from 'vitest';
import type { LockModel } from '../model/lock-model.ts';
import { lockColours, threadColours } from './colours.ts';

type Cell = readonly [lock: number, holder: number, ns: number];

function modelOf(locks: number, threads: number, cells: readonly Cell[]): LockModel {
  return {
    locks: { length: locks },
    threads: { length: threads },
    cells: {
      length: cells.length,
      lock: Int32Array.from(cells.map(([lock]) => lock)),
      holder: Int32Array.from(cells.map(([, holder]) => holder)),
      ns: Float64Array.from(cells.map(([, , ns]) => ns)),
    },
  } as unknown as LockModel;
}

it('what was waited for longest has the first colours, whoever is not known', () => {
  const model = modelOf(3, 4, [
    [1, 2, 10],
    [2, -1, 50],
    [1, 3, 30],
  ]);
  expect([...lockColours(model)]).toEqual([2, 1, 0]);
  expect([...threadColours(model)]).toEqual([5, 6, 4, 3]);
});

it('all others share the last colour', () => {
  const cells = Array.from({ length: 20 }, (_, i): Cell => [i, i, 100 - i]);
  const colours = lockColours(modelOf(20, 20, cells));
  expect(new Set(colours.subarray(0, 8)).size).toBe(8);
  expect([...colours.subarray(7)].every((colour) => colour === 7)).toBe(true);
});
