/** Which rows are shown: by name, by what forked them or their program, and those that are active in view. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test } from './support.ts';
import { visitExample, findThread, opened, showRange } from './walk.ts';
import { screenshot } from './pictures.ts';

test('a filter that leaves no row says so, and is cleared', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  const filter = page.getByLabel('Filter rows by name or tid');
  await filter.fill('zzzz');
  await page.getByText('No row has “zzzz” in its name').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.locator('.gutter').getByText('wk-writer', { exact: true }).first().waitFor();
  expect(await filter.inputValue()).toBe('');
  expect(await page.getByText('No row has').count()).toBe(0);
});

/** "name tid" of the rows below the host. */
function shownRows(page: Page): Promise<string[]> {
  return page.locator('.gutter-row').evaluateAll((rows) =>
    rows.slice(1).map((row) =>
      ['.gutter-name', '.gutter-id']
        .map((part) => row.querySelector(part)?.textContent ?? '')
        .join(' ')
        .trim(),
    ),
  );
}

test('processes are shown below those that forked them, by choice', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await page.getByLabel('Filter rows by name or tid').fill('imb-80');
  const shown = () => shownRows(page);
  await expect.poll(shown).toEqual(['wk-imbalance 215', 'imb-80 219']);
  await page.getByTitle('Order and grouping of the rows').click();
  await page.getByRole('menuitemcheckbox', { name: 'Below what forked them' }).click();
  // As the events of forks and the state dump say.
  const above = ['guest-init.sh 1', 'guest-init.sh 152', 'sh 214'];
  await expect.poll(shown).toEqual([...above, 'wk-imbalance 215', 'imb-80 219']);
});

test('processes of one program stand below a row for it, by choice', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  const filter = page.getByLabel('Filter rows by name or tid');
  await filter.fill('sed');
  await expect.poll(() => shownRows(page)).toEqual(['sed 222', 'sed 213']);
  await page.getByTitle('Order and grouping of the rows').click();
  await page.getByRole('menuitemcheckbox', { name: 'Group by program' }).click();
  await expect.poll(() => shownRows(page)).toEqual(['sed', 'sed 222', 'sed 213']);
  const program = page.locator('.gutter-row').filter({ hasText: '2 processes' });
  await program.click();
  await page.getByRole('tab', { name: 'Selection' }).click();
  await page.getByRole('region', { name: 'Row' }).getByText('Program sed').waitFor();
  // Below what forked them they do not stand below their program.
  await page.getByTitle('Order and grouping of the rows').click();
  await page.getByRole('menuitemcheckbox', { name: 'Below what forked them' }).click();
  await filter.fill('wk-imbalance');
  await expect.poll(() => shownRows(page)).toContain('guest-init.sh 152');
  expect(await page.locator('[data-row^="program:"]').count()).toBe(0);
});

test('only rows that are active in view are shown where the reader wants that', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  const gutter = page.locator('.gutter');
  const row = (name: string) => gutter.getByText(name, { exact: true });
  const hidden = gutter.getByText(/\d+ rows not active here/);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'CPU time', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: item }).click();
  };
  await row('wk-reader').waitFor();
  await choose('Active in view only');
  // In this part the reader waits all the time.
  await showRange(page, '306.6 ms', '306.7 ms');
  await hidden.waitFor();
  await row('wk-reader').waitFor({ state: 'detached' });
  await screenshot(page, 'rows-in-view');
  // Who is looked for is shown, and stays.
  await findThread(page, 'wk-reader');
  await row('wk-reader').waitFor();
  // The address follows a moment later.
  await page.waitForFunction(() => /&row=.*&rows=active/.test(window.location.hash));
  await page.reload();
  await opened(page);
  await hidden.waitFor();
  await row('wk-reader').waitFor();
  await gutter.getByRole('button', { name: 'Show all' }).click();
  await hidden.waitFor({ state: 'detached' });
  await row('wk-writer').waitFor();
});
