/** Notes: what is marked is found again, by the keyboard alone and with the pointer, on the next visit and in another tab. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { clickRow, findThread, opened, showRange } from './walk.ts';

const EXAMPLES = join(projectDir(), 'public', 'examples');

const flags = (page: Page) => page.getByRole('group', { name: 'Notes', exact: true }).getByRole('button');
const field = (page: Page) => page.getByRole('textbox', { name: 'Text of the note' });
const table = (page: Page) => page.getByRole('grid', { name: 'Notes' }).getByRole('row');
/** As they are kept. */
const kept = (page: Page) =>
  page.evaluate(() =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith('wakepath.notes.'))
      .flatMap((name) => JSON.parse(localStorage.getItem(name) ?? '[]') as Record<string, unknown>[]),
  );

async function write(page: Page, text: string): Promise<void> {
  await page.keyboard.press('m');
  await field(page).waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await field(page).waitFor({ state: 'detached' });
}

/** The middle of the rows, where the pointer is on no flag. */
async function pointAt(page: Page, share: number): Promise<void> {
  const rows = await page.locator('.rows-area').boundingBox();
  if (rows === null) throw new Error('no rows');
  await page.mouse.move(rows.x + rows.width * share, rows.y + rows.height / 2);
}

describe('notes', () => {
  test('are written, found again after a reload, gone to and deleted', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [join(EXAMPLES, 'imbalance-4t')]);
    await opened(page);
    await findThread(page, 'imb-80');
    // In user mode from 261 820 170 to 267 839 448 ns.
    await showRange(page, '262 ms', '267 ms');
    await clickRow(page, 'imb-80');
    await page.getByRole('region', { name: 'Interval' }).getByText('imb-80').first().waitFor();
    await write(page, 'The others wait for this');
    expect(await kept(page)).toMatchObject(
      [{ from: 261_820_170, to: 267_839_448, text: 'The others wait for this', row: /^thread:/ }].map(
        ({ row, ...rest }) => ({ ...rest, row: expect.stringMatching(row) }),
      ),
    );

    // A moment, and one that is given up.
    await page.keyboard.press('Escape');
    await showRange(page, '400 ms', '410 ms');
    await pointAt(page, 0.5);
    await write(page, 'A moment');
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
    await table(page).getByText('A moment').click();
    await flags(page).getByText('A moment').click();
    await page.getByRole('button', { name: 'Delete the note' }).click();
    await expect.poll(() => kept(page)).toMatchObject([{ text: 'The others wait for this' }]);
    await table(page).getByText('The others wait for this').click();
    await flags(page).click();
    await page.getByRole('button', { name: 'Delete the note' }).click();
    await flags(page).waitFor({ state: 'detached' });
    expect(await kept(page)).toEqual([]);
    expect(await page.getByRole('tab', { name: /^Notes/ }).count()).toBe(0);
  });

  test('are those of another tab, too, and made from the palette', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [join(EXAMPLES, 'imbalance-4t')]);
    await opened(page);
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

  test('are seen in both themes', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [join(EXAMPLES, 'imbalance-4t')]);
    await opened(page);
    await findThread(page, 'imb-80');
    await showRange(page, '220 ms', '400 ms');
    await clickRow(page, 'imb-80');
    await page.getByRole('region', { name: 'Interval' }).getByText('imb-80').first().waitFor();
    await write(
      page,
      'imb-80 computes for as long as the others wait at the barrier: its part is four times as large',
    );
    await page.keyboard.press('Escape');
    for (const [share, text] of [
      [0.1, 'First barrier'],
      [0.62, ''],
      [0.625, 'Two close to each other'],
      [0.8, 'All are woken here'],
    ] as const) {
      await pointAt(page, share);
      await write(page, text);
    }
    await page.getByRole('tab', { name: /^Notes 5/ }).click();
    await inLooks(page, 'notes');
    await page.keyboard.press('.');
    await page.keyboard.press('.');
    await page
      .getByRole('status')
      .getByText(/imb-80 computes/)
      .waitFor();
    await inLooks(page, 'note-card', ['1440-light', '1024-dark']);
    await page.keyboard.press('Shift+M');
    await field(page).waitFor();
    await inLooks(page, 'note-field', ['1440-light', '1024-dark']);
  });
});
