/** The filter of the rows. */
import { expect } from 'vitest';
import { test } from './support.ts';
import { openExample } from './walk.ts';

test('a filter that leaves no row says so, and is cleared', async ({ visitor }) => {
  const page = await visitor.visit();
  await openExample(page, 'disk-io');
  const filter = page.getByLabel('Filter rows by name or tid');
  await filter.fill('zzzz');
  await page.getByText('No row has “zzzz” in its name').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.locator('.gutter').getByText('wk-writer', { exact: true }).first().waitFor();
  expect(await filter.inputValue()).toBe('');
  expect(await page.getByText('No row has').count()).toBe(0);
});

test('processes are shown below those that forked them, by choice', async ({ visitor }) => {
  const page = await visitor.visit();
  await openExample(page, 'imbalance-4t');
  await page.getByLabel('Filter rows by name or tid').fill('imb-80');
  const shown = () =>
    page
      .locator('.gutter-row')
      .evaluateAll((rows) =>
        rows
          .slice(1)
          .map((row) =>
            ['.gutter-name', '.gutter-id'].map((part) => row.querySelector(part)?.textContent).join(' '),
          ),
      );
  await expect.poll(shown).toEqual(['wk-imbalance 215', 'imb-80 219']);
  await page.getByTitle('Order and grouping of the rows').click();
  await page.getByRole('menuitemcheckbox', { name: 'Below what forked them' }).click();
  // As the events of forks and the state dump say.
  const above = ['guest-init.sh 1', 'guest-init.sh 152', 'sh 214'];
  await expect.poll(shown).toEqual([...above, 'wk-imbalance 215', 'imb-80 219']);
});
