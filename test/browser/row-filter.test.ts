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
