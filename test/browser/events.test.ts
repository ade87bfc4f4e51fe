/** The list of events: it says of how many it is a part, and each leads to its row and time. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test } from './support.ts';
import { openExample, showRange } from './walk.ts';

const list = (page: Page) => page.getByRole('grid', { name: 'Events around the pointer' });

test('an event leads to its row and time, by click and by key', async ({ visitor }) => {
  const page = await visitor.visit();
  await openExample(page, 'disk-io');
  await showRange(page, '310.00 ms', '310.01 ms');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByText(/^400 of \d+\s\d{3}, those around 310\.005/).waitFor();
  const before = await page.locator('.range-button').innerText();

  // The first in the document lies before what is visible.
  const first = list(page).getByRole('row').nth(1);
  const cpu = await first.getByRole('gridcell').nth(2).innerText();
  await first.click();
  await expect.poll(() => page.locator('.gutter-row.selected .gutter-name').innerText()).toBe(`CPU ${cpu}`);
  await expect.poll(() => page.locator('.range-button').innerText()).not.toBe(before);
  // Still those of all, around the one gone to.
  await page.getByText(/^400 of \d+\s\d{3}, those around (?!310\.005)/).waitFor();
  expect(await page.getByRole('button', { name: 'Of all rows' }).count()).toBe(0);

  const there = await page.locator('.range-button').innerText();
  await list(page).getByRole('row', { selected: true }).focus();
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.range-button').innerText()).not.toBe(there);
});

test('an event of user space leads to its thread', async ({ visitor }) => {
  const page = await visitor.visit();
  await openExample(page, 'executions-lock/ust');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await list(page).getByRole('row').filter({ hasText: 'vtid=258' }).first().click();
  await expect.poll(() => page.locator('.gutter-row.selected .gutter-id').innerText()).toBe('258');
});
