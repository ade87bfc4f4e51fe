import { expect, it } from 'vitest';
import { lockModel } from '../../../../../test/support/lock-model.ts';
import { CONTENDED, UNFINISHED } from '../model/lock-model.ts';
import { LockResults } from './lock-results.ts';
import { lockCycles } from './lock-order.ts';

/** Each of some threads holds a lock and waits for ever for those of all others, as no program can. */
function everybodyWaits(threads: number) {
  const all = [...Array(threads).keys()];
  const model = lockModel({
    threads: all.map((row) => ({ row, tid: row + 1 })),
    locks: all.map((lock) => ({ kind: 'mutex', process: 1, address: `0x${lock + 16}` })),
    waits: [
      ...all.map((thread) => ({ thread, lock: thread, request: 0, end: 1, flags: 0 })),
      ...all.flatMap((thread) =>
        all
          .filter((lock) => lock !== thread)
          .map((lock) => ({
            ...{ thread, lock, request: 10 + thread, end: 100, outcome: UNFINISHED },
            ...{ flags: CONTENDED, link: NaN },
          })),
      ),
    ],
  });
  all.forEach((row) => (model.waits.to[row] = 100));
  return lockCycles(new LockResults(model));
}

it('finds all cycles of few threads', () => {
  const { deadlocks, inversions, problems } = everybodyWaits(3);
  expect(deadlocks.map(({ waits }) => waits.length).sort()).toEqual([2, 2, 2, 3, 3]);
  expect(inversions).toHaveLength(5);
  expect(problems).toEqual({});
});

it('says that a search was cut short', () => {
  const { problems } = everybodyWaits(9);
  expect(problems['search for deadlocks cut short']).toBeGreaterThan(0);
});
