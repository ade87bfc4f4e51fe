/** Notes: what is marked is found again, by the keyboard alone and with the pointer, on the next visit and in another tab. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { dropPaths, test } from './support.ts';
import {
  findThread,
  noteField as field,
  opened,
  pointAt,
  selectInRow,
  showRange,
  writeNote,
  visitExample,
} from './walk.ts';

const flags = (page: Page) => page.getByRole('button', { name: /^Note at / });
const table = (page: Page) => page.getByRole('grid', { name: 'Notes' }).getByRole('row');
/** As they are kept. */
const kept = (page: Page) =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith('wakepath.notes.'))
      .flatMap((name) => JSON.parse(localStorage.getItem(name) ?? '[]') as Record<string, unknown>[]),
  );

describe('notes', () => {
  test('are written, found again after a reload, gone to and deleted', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await findThread(page, 'imb-80');
    // In user mode from 261 820 170 to 267 839 448 ns.
    await showRange(page, '262 ms', '267 ms');
    await selectInRow(page, 'imb-80');
    await page.getByRole('region', { name: 'Interval' }).getByText('imb-80').first().waitFor();
    await writeNote(page, 'The others wait for this');
    const row = expect.stringMatching(/^thread:/) as string;
    const stretch = { from: 261_820_170, to: 267_839_448, row, text: 'The others wait for this' };
    expect(await kept(page)).toMatchObject([stretch]);

    // A moment, and one that is given up.
    await page.keyboard.press('Escape');
    await showRange(page, '400 ms', '410 ms');
    await pointAt(page, 0.5);
    await writeNote(page, 'A moment');
    await page.keyboard.press('m');
    await page.keyboard.type('no');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    const [, moment] = await kept(page);
    expect(await kept(page)).toHaveLength(2);
    expect(moment.from).toBe(moment.to);
    expect(Math.abs(Number(moment.from) - 405_000_000)).toBeLessThan(100_000);
    await page.getByRole('tab', { name: /^Notes 2/ }).click();
    await table(page).getByText('imb-80').waitFor();

    await expect.poll(() => page.evaluate(() => location.hash)).toContain('view=400000000');
    await page.reload();
    await opened(page);
    await page.keyboard.press('0');
    await expect.poll(() => page.locator('.range-button').innerText()).toMatch(/^0.s to 1\.528/);
    await expect.poll(() => flags(page).count()).toBe(2);
    await page
      .getByRole('button', { name: /^Note at 0.261.820.170.s, .* of imb-80.*: The others/ })
      .waitFor();

    // By the keyboard: to it, its field, back.
    await page.keyboard.press(',');
    await page.getByRole('status').getByText('A moment').waitFor();
    await page.keyboard.press(',');
    await page.getByRole('status').getByText('The others wait for this').waitFor();
    await expect.poll(() => page.locator('.range-button').innerText()).toMatch(/^261\.519/);
    await page.keyboard.press('Shift+M');
    await expect.poll(() => field(page).inputValue()).toBe('The others wait for this');
    await page.keyboard.press('End');
    await page.keyboard.type(', not');
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await flags(page).getByText('The others wait for this', { exact: true }).waitFor();

    // With the pointer.
    await page.getByRole('tab', { name: /^Locks/ }).waitFor();
    // Its number is that of its place, which other tabs change when they come.
    await expect
      .poll(async () => {
        const titles = await page.getByRole('tab').allInnerTexts();
        await page.keyboard.press(String(titles.findIndex((title) => title.startsWith('Notes')) + 1));
        return table(page).first().isVisible();
      })
      .toBe(true);
    await table(page).getByText('A moment').click();
    await flags(page).getByText('A moment').click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect.poll(() => kept(page)).toMatchObject([stretch]);
    await table(page).getByText('The others wait for this').click();
    await flags(page).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await flags(page).waitFor({ state: 'detached' });
    expect(await kept(page)).toEqual([]);
    expect(await page.getByRole('tab', { name: /^Notes/ }).count()).toBe(0);
  });

  test('are those of another tab, too, and made from the palette', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('trace=');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await opened(other);
    await other.keyboard.press('Control+k');
    await other.keyboard.type('mark');
    await other.keyboard.press('Enter');
    await field(other).waitFor();
    await other.keyboard.type('From the other tab');
    await flags(page).getByText('From the other tab').waitFor();
    await other.close();
  });
});

test('notes go to another browser as a file; those of another trace are refused', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await showRange(page, '262 ms', '267 ms');
  await pointAt(page, 0.5);
  await writeNote(page, 'Look here');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Notes as JSON' }).click();
  const file = await (await saved).path();

  const take = (to: Page) => dropPaths(to, [file]);
  const other = await visitExample(visitor, 'imbalance-4t');
  await take(other);
  await other.getByRole('status').getByText('1 of 1 note in the file added').waitFor();
  await table(other).getByText('Look here').waitFor();
  expect(await kept(other)).toEqual(await kept(page));

  const third = await visitExample(visitor, 'disk-io');
  await take(third);
  await third.getByText('These notes are of another trace.').waitFor();
  expect(await kept(third)).toEqual([]);
});
