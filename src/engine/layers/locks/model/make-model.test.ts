/** Waits and holds of logs written by hand, in which events are missing. */
import { expect, it } from 'vitest';
import { handLog, type HandRow } from '../../../../../test/support/hand-log.ts';
import * as lockLog from '../lock-log.ts';
import { CONTENDED, LOSSY, OUTCOMES } from './lock-model.ts';
import { lockModel } from './make-model.ts';

const END = 1000;
/** Rows of the log's locks. */
const [MUTEX, COND] = [0, 1];
const SEM = 2;

const logOf = (rows: readonly HandRow[]) =>
  handLog(
    rows,
    (['mutex', 'cond', 'sem'] as const).map((kind) => [kind, kind]),
    END,
  );

/** `mutex 7: 10-11 acquired, held to 20`, with who handed over. */
async function textOf(rows: readonly HandRow[]): Promise<string[]> {
  const { waits, threads, locks } = await lockModel(logOf(rows), { kernel: undefined, end: END });
  return Array.from({ length: waits.length }, (_, row) => {
    const times = `${waits.request[row]}-${waits.end[row]} ${OUTCOMES[waits.outcome[row]]}`;
    const held = Number.isNaN(waits.to[row]) ? '' : `, held to ${waits.to[row]}`;
    const isContended = (waits.flags[row] & CONTENDED) !== 0;
    const by = waits.by[row] < 0 ? 'nobody' : threads[waits.by[row]].tid;
    const lossy = (waits.flags[row] & LOSSY) === 0 ? '' : ', lossy';
    const { address } = locks[waits.lock[row]];
    return `${address} ${threads[waits.thread[row]].tid}: ${times}${held}${isContended ? `, by ${by}` : ''}${lossy}`;
  });
}

it('a lock that is destroyed had been released: what is released late hands over no other one', async () => {
  expect(
    await textOf([
      [10, lockLog.REQUEST, 7, MUTEX],
      [11, lockLog.ACQUIRE, 7, MUTEX],
      [20, lockLog.DESTROY, 8, MUTEX],
      [30, lockLog.REQUEST, 9, MUTEX],
      [40, lockLog.RELEASE, 7, MUTEX],
      [50, lockLog.ACQUIRE, 9, MUTEX],
      [60, lockLog.RELEASE, 9, MUTEX],
    ]),
  ).toEqual(['mutex 7: 10-11 acquired, held to 20', 'mutex 9: 30-50 acquired, held to 60']);
});

it('a mutex taken again behind a condition is waited for when its thread did not have it', async () => {
  expect(
    await textOf([
      [10, lockLog.COND_BEGIN, 7, COND, MUTEX],
      [20, lockLog.SIGNAL, 8, COND],
      // It went on, and waits again: neither was recorded.
      [30, lockLog.REQUEST, 7, MUTEX],
      [31, lockLog.ACQUIRE, 7, MUTEX],
      [40, lockLog.RELEASE, 7, MUTEX],
      [50, lockLog.COND_END, 7, COND, MUTEX],
    ]),
  ).toEqual([
    'cond 7: 10-50 acquired, by 8',
    'mutex 7: 30-31 acquired, held to 40',
    'mutex 7: 40-50 acquired, held to 1000',
  ]);
});

it('who tries does not wait any more for what was asked for before', async () => {
  expect(
    await textOf([
      [10, lockLog.REQUEST, 7, MUTEX],
      [11, lockLog.REQUEST, 7, SEM],
      [20, lockLog.TRY, 7, MUTEX],
      [21, lockLog.TRY, 7, SEM],
      [30, lockLog.RELEASE, 7, MUTEX],
    ]),
  ).toEqual([
    'mutex 7: 10-20 unfinished',
    'sem 7: 11-21 unfinished, by nobody',
    'mutex 7: 20-20 acquired, held to 30',
    'sem 7: 21-21 acquired',
  ]);
});

it('who asks for what it has holds it anew where it had lost it meanwhile', async () => {
  const asked: HandRow[] = [
    [10, lockLog.REQUEST, 7, MUTEX],
    [11, lockLog.ACQUIRE, 7, MUTEX],
    [20, lockLog.REQUEST, 7, MUTEX],
  ];
  const got: HandRow[] = [
    [40, lockLog.ACQUIRE, 7, MUTEX],
    [50, lockLog.RELEASE, 7, MUTEX],
  ];
  expect(await textOf([...asked, [30, lockLog.LOSS, -1, -1, 1], ...got])).toEqual([
    'mutex 7: 10-11 acquired, held to 30, lossy',
    'mutex 7: 20-40 acquired, held to 50, lossy',
  ]);
  const other: HandRow[] = [
    [25, lockLog.REQUEST, 8, MUTEX],
    [30, lockLog.ACQUIRE, 8, MUTEX],
  ];
  expect(await textOf([...asked, ...other, ...got])).toEqual([
    'mutex 7: 10-11 acquired, held to 30',
    'mutex 7: 20-40 acquired, held to 50, by 8',
    'mutex 8: 25-30 acquired, held to 40, by 7',
  ]);
});
