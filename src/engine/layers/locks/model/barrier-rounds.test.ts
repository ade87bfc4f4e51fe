/** Rounds of a barrier from waits written by hand. */
import { expect, it } from 'vitest';
import { barrierRounds } from './barrier-rounds.ts';
import { ACQUIRED } from './lock-model.ts';
import { WaitTable } from './model-tables.ts';

const NO_WAKES = { start: new Int32Array(10), time: new Float64Array(0), by: new Int32Array(0) };

/** Threads of each round, its last one first. */
function roundsOf(
  waits: readonly (readonly [thread: number, from: number, to: number, isSerial?: boolean])[],
): number[][] {
  const table = new WaitTable();
  const serial = new Set<number>();
  for (const [thread, from, to, isSerial = false] of waits) {
    const row = table.addPlain(0, thread, from, 0);
    table.finish(row, to, ACQUIRED);
    if (isSerial) serial.add(row);
  }
  const rows = waits.map((_, row) => row);
  const rounds: number[][] = [];
  const isSerial = (row: number) => serial.has(row);
  barrierRounds(table.rows, { rows, isSerial }, NO_WAKES, { left: 1000 }, (last, round) => {
    const threads = round.map((row) => table.rows.thread[row]);
    rounds.push([table.rows.thread[last], ...threads.sort((a, b) => a - b)]);
  });
  return rounds;
}

it('who is told that it is the one of its round was its last; who came after it is of the next', () => {
  expect(
    roundsOf([
      [0, 10, 54],
      [1, 50, 52, true],
      [2, 51, 94],
      [3, 90, 92, true],
    ]),
  ).toEqual([
    [1, 0, 1],
    [3, 2, 3],
  ]);
});

it('without that all that are there have met, and the last to come let the others go', () => {
  expect(
    roundsOf([
      [0, 10, 54],
      [1, 50, 52],
      [0, 60, 92],
      [1, 90, 91],
    ]),
  ).toEqual([
    [1, 0, 1],
    [1, 0, 1],
  ]);
});

it('a thread that comes again as it goes does not meet itself', () => {
  expect(
    roundsOf([
      [0, 10, 50],
      [1, 40, 50],
      [0, 50, 90],
      [1, 80, 90],
    ]),
  ).toEqual([
    [1, 0, 1],
    [1, 0, 1],
  ]);
});
