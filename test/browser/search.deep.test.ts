import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test } from './support.ts';
import { visitExample } from './walk.ts';

async function search(page: Page, text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
}

const option = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group, exact: true }).getByRole('option', { name });

test('the search finds threads, calls, events and files, and leads to each', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await search(page, 'fsync');
  await option(page, 'Events', 'syscall_entry_fsync').waitFor();
  await option(page, 'System calls', 'fsync').click();
  const calls = page.getByRole('grid', { name: 'System calls' });
  await calls.getByRole('gridcell', { name: 'fsync', exact: true }).waitFor();
  expect(await calls.getByRole('row').count()).toBe(2);

  await search(page, 'wk-reader');
  await option(page, 'Rows', 'wk-reader').waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.gutter-row.selected').innerText()).toContain('wk-reader');

  await search(page, 'name=syscall_entry_fsync and thread=wk-writer');
  await option(page, 'Filter of events', 'name=syscall_entry_fsync').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('20 events', { exact: true }).waitFor();
});
