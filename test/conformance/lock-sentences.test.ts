/**
 * What is said of waits for locks: the sentence, the table, the matrix, its lists and the path of a wait have the same
 * holders and times, in every recording with locks.
 */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { unpackParts } from '../../src/engine/answers/paths/packed-parts.ts';
import { answerOf } from '../../src/engine/answers/queries.ts';
import type { QueryContext } from '../../src/engine/answers/context/query.ts';
import { addTo, addNumber } from '../../src/engine/base/group-by.ts';
import type {
  BlockingMatrix,
  LocksAnswer,
  LockTurns,
  LockWaitLine,
} from '../../src/engine/protocol/locks.ts';
import { lockPieces, turnPieces } from '../../src/app/path/lock-sentence.ts';
import { formatDuration } from '../../src/app/format/numbers.ts';
import { lockGoldenNames, lockGoldenTrace } from '../support/lock-goldens.ts';
import { lockContext } from '../support/lock-models.ts';
import { projectDir } from '../support/shared.ts';

/** Longest waits of each lock whose paths are followed. */
const PATHS = 3;

async function locksIn(context: QueryContext): Promise<LocksAnswer> {
  const answer = await answerOf(context, 'locks', {});
  if (answer === undefined) throw new Error('locks are not read');
  return answer;
}

const waitsIn = (context: QueryContext, lock: string, more: object = {}) =>
  answerOf(context, 'lockWaits', { lock, holders: true, order: 'longest', limit: Infinity, ...more });

/** Cells as text, to be compared whatever their order. */
function cellsOf({ length, waiter, holder, ns, waits }: BlockingMatrix): Map<string, [number, number]> {
  return new Map(
    Array.from({ length }, (_, i) => [`${waiter[i]} ${holder[i]}`, [ns[i], waits[i]] as [number, number]]),
  );
}

function addCell(cells: Map<string, [number, number]>, key: string, ns: number, waits: number): void {
  const [known, times] = cells.get(key) ?? [0, 0];
  cells.set(key, [known + ns, times + waits]);
}

async function expectOneAnswer(context: QueryContext): Promise<void> {
  const { locks, matrix, threads } = await locksIn(context);
  const all = new Map<string, [number, number]>();
  for (const { id, wait, contended, isIdle } of locks) {
    const detail = await answerOf(context, 'lock', { lock: id });
    const listed = await waitsIn(context, id);
    expect([listed.count, listed.totalNs]).toEqual([contended, wait.totalNs]);
    // The list as a whole adds up to the matrix, as its column of holders has it.
    const byHolders = new Map<string, [number, number]>();
    for (const line of listed.waits) {
      const { holders = [], turns } = line;
      expect(holders.reduce((sum, { ns }) => sum + ns, 0)).toBe(line.to - line.from);
      for (const { thread, ns } of holders) addCell(byHolders, `${line.waiter} ${thread}`, ns, 1);
      // Who held it in turn is among those that the wait was for.
      for (const { holder, ns } of turns?.turns ?? [])
        expect(holders.find(({ thread }) => thread === holder)?.ns ?? 0).toBeGreaterThanOrEqual(ns);
    }
    const cells = detail === undefined ? new Map() : cellsOf(detail.matrix);
    for (const [key, cell] of cells) if (cell[0] > 0) expect([key, byHolders.get(key)]).toEqual([key, cell]);
    if (isIdle !== true) for (const [key, [ns, waits]] of cells) addCell(all, key, ns, waits);
    const [longest] = listed.waits;
    expect(detail?.longestWait?.turns).toEqual(longest?.turns);
    // The list behind the largest cell is that cell.
    const [largest] = [...cells].sort(([, [a]], [, [b]]) => b - a);
    if (largest !== undefined) {
      const [waiter, holder] = largest[0].split(' ').map(Number);
      const cell = await waitsIn(context, id, {
        waiter: threads[waiter].row,
        holder: holder < 0 ? null : threads[holder].row,
      });
      expect([cell.totalNs, cell.count]).toEqual(largest[1]);
      for (const { holders = [], ns } of cell.waits)
        expect(holders.find(({ thread }) => thread === holder)?.ns).toBe(ns);
    }
    for (const line of listed.waits.slice(0, PATHS)) await expectPath(context, threads, line);
  }
  expect(new Map([...cellsOf(matrix)].sort())).toEqual(new Map([...all].sort()));
}

/** The path of a wait says who held the lock in the words of the list, and its table adds up to the wait. */
async function expectPath(
  context: QueryContext,
  threads: LocksAnswer['threads'],
  { waiter, from, to, outcome, turns, ...wait }: LockWaitLine,
): Promise<void> {
  if (outcome !== 'acquired' || turns === undefined || turns.turns.length === 0) return;
  const path = await answerOf(context, 'path', {
    ...{ row: threads[waiter].row, range: { from, to }, criterion: 'lock-holder' },
  });
  const parts = path && (await answerOf(context, 'pathParts', { path: path.id }));
  if (path === undefined || parts === undefined) return;
  const [said, ...others] = path.lockWaits;
  // Within it the thread may have waited for another lock, in a signal handler.
  if (said === undefined || others.length > 0 || said.waits > 1 || path.from !== from || path.to !== to)
    return;
  const words = ({ turns: list }: Pick<LockTurns, 'turns'>, nameOf: (holder: number) => string) =>
    turnPieces({ turns: list }, true, (holder) => ({ text: nameOf(holder) }))
      .map(({ text }) => text)
      .join('');
  const isTraced = turns.turns.every(({ holder }) =>
    path.workers.some(({ row }) => row === threads[holder]?.row),
  );
  if (isTraced) {
    expect(words(said, (worker) => path.workers[worker].row ?? '')).toBe(
      words(turns, (holder) => threads[holder].row),
    );
    expect([said.ns, said.freeNs]).toEqual([(wait.handOverNs ?? to) - from, turns.freeNs]);
  }
  const table = unpackParts(parts.parts);
  expect(table.reduce((sum, { ns }) => sum + ns, 0)).toBe(to - from);
  const explained = { ...path, ...parts, parts: table };
  const own = path.workers.findIndex(({ row }) => row === path.row);
  const sentence = lockPieces(explained, own, 0)
    .map(({ text }) => text)
    .join('');
  expect(sentence).toContain(`It waited ${formatDuration(said.ns)} for ${said.lock}`);
  // A holder's time in the table is not below that of its turns.
  const byWorker = new Map<number, number>();
  for (const { worker, ns } of table) addNumber(byWorker, worker, ns);
  if (isTraced)
    for (const [holder, list] of groupedTurns(said))
      if (!path.workers.some((_, worker) => worker !== holder && worker !== own && !isHolder(said, worker)))
        expect(byWorker.get(holder) ?? 0).toBeGreaterThanOrEqual(list.reduce((sum, ns) => sum + ns, 0));
}

function groupedTurns({ turns }: Pick<LockTurns, 'turns'>): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { holder, ns } of turns) addTo(groups, holder, ns);
  return groups;
}

function isHolder({ turns }: Pick<LockTurns, 'turns'>, worker: number): boolean {
  return turns.some(({ holder }) => holder === worker);
}

describe('sentence, table, matrix, its lists and the path of waits for locks say the same', () => {
  test.each(lockGoldenNames())('%s', async (name) => {
    await expectOneAnswer(await lockContext(lockGoldenTrace(name)));
  });
});

it('says of the longest wait of lockfight-mutex who held the lock in turn', async () => {
  const context = await lockContext(join(projectDir(), 'public', 'examples', 'lockfight-mutex'));
  const { threads } = await locksIn(context);
  const { waits } = await waitsIn(context, '0:mutex:231:0x55bf0033f260', { limit: 1 });
  const [{ turns, holders = [], by, from, to }] = waits;
  expect([threads[waits[0].waiter].name, to - from]).toEqual(['fight-2', 25_148_294]);
  expect(turns?.turns.map(({ holder, times }) => [threads[holder].name, times])).toEqual([
    ['fight-1', 1],
    ['fight-0', 1],
    ['fight-3', 2],
    ['fight-0', 1],
  ]);
  expect(threads[by].name).toBe('fight-0');
  expect(Object.fromEntries(holders.map(({ thread, ns }) => [threads[thread].name, ns]))).toEqual({
    'fight-0': 13_156_495,
    'fight-1': 1_035_632,
    'fight-3': 10_956_167,
  });
});

it('names futexes and locks of the kernel, and lists their waits with who let the waiter in', async () => {
  const context = await lockContext(join(projectDir(), 'public', 'examples', 'lockfight-mutex'));
  const { futexes } = await locksIn(context);
  for (const { id, lock, waits, address } of futexes) {
    expect(address).toMatch(/^0x[0-9a-f]+$/);
    const listed = await waitsIn(context, id);
    if (lock === undefined) expect(listed.count).toBe(waits);
    else expect(id).toBe(lock);
  }
});
