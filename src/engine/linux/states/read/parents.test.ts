import { describe, expect, it } from 'vitest';
import { Parents } from './parents.ts';

/** Of each thread: tid, pid, pid of the parent that the state dump names, thread that forked it, first mention. */
type Row = readonly [tid: number, pid: number, ppid: number, parent: number, first: number];

function forkedBy(rows: readonly Row[]): Parents {
  const column = (at: 0 | 1 | 2 | 3) => Int32Array.from(rows, (row) => row[at]);
  const [tid, pid, ppid, parent] = [column(0), column(1), column(2), column(3)];
  const table = { length: rows.length, tid, pid, ppid, parent };
  return new Parents(
    table,
    Float64Array.from(rows, (row) => row[4]),
  );
}

describe('the process that forked another one', () => {
  it('is no later life of its number', () => {
    const of = forkedBy([
      [10, 10, 1, -1, 0],
      [20, 20, 10, -1, 5],
      // It has the number of the first one, which ended.
      [10, 10, -1, 1, 9],
      [30, 30, -1, 2, 12],
    ]);
    expect(of.lifeOf(1)).toBe(0);
    expect(of.pidOf(1)).toBe(10);
    expect(of.pidOf(3)).toBe(10);
  });

  it('may be mentioned later, where it is the only life and was not forked then', () => {
    expect(
      forkedBy([
        [20, 20, 10, -1, 0],
        [10, 10, 1, -1, 5],
      ]).lifeOf(0),
    ).toBe(1);
    expect(
      forkedBy([
        [20, 20, 10, -1, 0],
        [10, 10, -1, 0, 5],
      ]).lifeOf(0),
    ).toBe(-1);
  });

  it('is not known where all of several lives were mentioned later', () => {
    const of = forkedBy([
      [20, 20, 10, -1, 0],
      [10, 10, 1, -1, 5],
      [10, 10, 1, -1, 7],
    ]);
    expect([of.lifeOf(0), of.pidOf(0), of.pidOf(1)]).toEqual([-1, undefined, undefined]);
  });
});
