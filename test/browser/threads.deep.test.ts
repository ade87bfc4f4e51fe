/** A trace of user space alone: rows of its threads, told apart by their context, without states. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test } from './support.ts';
import { findThread, opened, clickRow, visitExample, gutterRows } from './walk.ts';

/** What is seen of each row's name. */
const gutterText = (page: Page) => gutterRows(page, '.gutter-name, .gutter-id, .gutter-right');

test('has rows of the threads, of which each shows its events', async ({ visitor }) => {
  const page = await visitExample(visitor, 'executions-lock/ust');
  await page.locator('.gutter-row').filter({ hasText: '257' }).waitFor();
  const threads = (await gutterText(page)).filter((text) => !text.includes('wk_req'));
  expect(threads.slice(1)).toEqual([
    'wk-server 253 4 threads',
    'wk-server 257 234',
    'wk-server 258 202',
    'wk-server 256 164',
    'wk-server 254 24',
  ]);

  await findThread(page, '258');
  await page.getByRole('tab', { name: 'Selection' }).click();
  await page.getByRole('heading', { name: 'Thread wk-server 258' }).waitFor();
  await page.getByRole('button', { name: 'Its events' }).click();
  await page.getByText('of Thread wk-server 258').waitFor();
  const lines = page.getByRole('grid', { name: 'Events', exact: true }).getByRole('row');
  await lines.filter({ hasText: 'vtid=258' }).first().waitFor();
  expect(await lines.filter({ hasText: 'vtid=257' }).count()).toBe(0);
  const amount = page.getByRole('tabpanel').getByRole('status');
  await expect.poll(() => amount.innerText()).toBe('202 events');
  await page.getByRole('button', { name: 'Of all rows' }).click();
  await expect.poll(() => amount.innerText()).toMatch(/^[6-9]\d\d events$/);

  await clickRow(page, '256');
  await page.getByText('of Thread wk-server 256').waitFor();
  const card = page.locator('.hover-card');
  await card.getByText('164 events').waitFor();

  const before = await gutterText(page);
  await page.reload();
  await opened(page);
  await expect.poll(() => gutterText(page)).toEqual(before);
  await page
    .getByText('Thread 256 wk-server, in the 362.906 ms shown: about 164 events')
    .waitFor({ state: 'attached' });
});
