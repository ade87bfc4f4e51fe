/** Critical sections of logs written by hand. */
import { expect, it } from 'vitest';
import { handLog, type HandRow } from '../../../../../test/support/hand-log.ts';
import * as lockLog from '../lock-log.ts';
import { lockModel } from '../model/make-model.ts';
import { criticalSections } from './critical-sections.ts';

/** Rows of the log's locks. */
const [A, B] = [0, 1];

/** `7 > hold A > wait B 5`: ns of each section, sections within included. */
async function sectionsOf(rows: readonly HandRow[]): Promise<string[]> {
  const locks = Array.from({ length: 20 }, (_, i) => ['mutex', 'AB'[i] ?? `lock ${i}`] as const);
  const model = await lockModel(handLog(rows, locks, 100), { kernel: undefined, end: 100 });
  const texts: string[] = [];
  const sections = criticalSections(model);
  return sections.map(({ parent, kind, of, ns }, i) => {
    const own = kind === 'thread' ? String(model.threads[of].tid) : `${kind} ${model.locks[of].address}`;
    texts[i] = parent < 0 ? own : `${texts[parent]} > ${own}`;
    return `${texts[i]} ${ns}`;
  });
}

it('nest by the locks that are held, also where they are released in another order', async () => {
  expect(
    await sectionsOf([
      [10, lockLog.TRY, 7, A],
      [12, lockLog.TRY, 7, B],
      [15, lockLog.RELEASE, 7, A],
      [20, lockLog.RELEASE, 7, B],
      [30, lockLog.TRY, 7, A],
      [31, lockLog.RELEASE, 7, A],
    ]),
  ).toEqual(['7 11', '7 > hold A 6', '7 > hold A > hold B 3', '7 > hold B 5']);
});

it('have the waits of their thread for further locks, but none outside of a section', async () => {
  expect(
    await sectionsOf([
      [5, lockLog.TRY, 8, B],
      [10, lockLog.TRY, 7, A],
      [12, lockLog.REQUEST, 7, B],
      [14, lockLog.REQUEST, 9, A],
      [20, lockLog.RELEASE, 8, B],
      [20, lockLog.ACQUIRE, 7, B],
      [21, lockLog.RELEASE, 7, B],
      [22, lockLog.RELEASE, 7, A],
      [22, lockLog.ACQUIRE, 9, A],
      [25, lockLog.RELEASE, 9, A],
    ]),
  ).toEqual([
    ...['8 15', '8 > hold B 15'],
    ...['7 12', '7 > hold A 12', '7 > hold A > wait B 8', '9 3', '7 > hold A > hold B 1', '9 > hold A 3'],
  ]);
});

it('of more locks at one time than are told apart count for the last of these', async () => {
  const many = Array.from({ length: 20 }, (_, i): HandRow => [i, lockLog.TRY, 7, i]);
  const sections = await sectionsOf(many);
  expect(sections).toHaveLength(17);
  expect(sections.at(-1)).toMatch(/hold lock 15 85$/);
});
