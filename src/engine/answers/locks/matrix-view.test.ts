import { describe, expect, it } from 'vitest';
import { sum } from '../../../../test/support/sum.ts';
import type { BlockingMatrix } from '../../protocol/locks.ts';
import { matrixView, NOBODY_KNOWN, OTHERS } from './matrix-view.ts';

type Cell = readonly [waiter: number, holder: number, ns: number, waits: number];

function matrixOf(...cells: readonly Cell[]): BlockingMatrix {
  const column = (at: 0 | 1 | 2 | 3) => cells.map((cell) => cell[at]);
  return {
    length: cells.length,
    waiter: Int32Array.from(column(0)),
    holder: Int32Array.from(column(1)),
    ns: Float64Array.from(column(2)),
    waits: Int32Array.from(column(3)),
  };
}

describe('the blocking matrix', () => {
  const matrix = matrixOf([0, 1, 10, 1], [0, 2, 30, 2], [1, NOBODY_KNOWN, 7, 1], [2, 1, 50, 3]);

  it('has those first for whom others waited longest, and a column for holders not known', () => {
    const { waiters, holders, ns, waits, most } = matrixView(matrix, 4);
    expect([waiters, holders]).toEqual([
      [1, 2, 0],
      [1, 2, NOBODY_KNOWN],
    ]);
    expect([...ns]).toEqual([0, 0, 7, 50, 0, 0, 10, 30, 0]);
    expect([...waits]).toEqual([0, 0, 1, 3, 0, 0, 1, 2, 0]);
    expect(most).toBe(50);
  });

  it('is empty where nobody waited', () => {
    expect(matrixView(matrixOf(), 3)).toMatchObject({ waiters: [], holders: [], most: 0 });
  });

  it('sums the threads beyond the first ones, and loses no time', () => {
    const count = 40;
    const all = Array.from({ length: count }, (_, i) => i);
    const cells = all.flatMap((waiter) => all.map((holder): Cell => [waiter, holder, 1 + holder, 1]));
    const view = matrixView(matrixOf(...cells), count);
    expect([view.waiters.at(-1), view.holders.at(-1)]).toEqual([OTHERS, OTHERS]);
    expect(view.otherWaiters + view.waiters.length - 1).toBe(count);
    // The most blamed one is the last, as each waited for it longest.
    expect(view.holders[0]).toBe(count - 1);
    expect(sum(view.ns)).toBe(sum(cells.map(([, , ns]) => ns)));
    expect(sum(view.waits)).toBe(count * count);
  });
});
