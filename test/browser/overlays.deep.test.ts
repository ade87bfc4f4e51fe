/** Overlays on the page: rows below their threads, a span's details, and the dialog that chooses them. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { LOOKS, screenshot } from './pictures.ts';
import { test } from './support.ts';
import { openExample, showRange, clickRowAt } from './walk.ts';

/** Names of the rows in the gutter, from the top. */
async function gutterNames(page: Page): Promise<string[]> {
  const names = await page.locator('.gutter-row .gutter-name').allInnerTexts();
  return names.map((name) => name.trim());
}

/** Opens the trace and shows the threads that answer requests. */
async function openRequests(page: Page): Promise<void> {
  await openExample(page, 'executions-lock');
  await page.getByLabel('Filter rows by name or tid').fill('wk_req');
  await expect.poll(() => gutterNames(page)).toContain('wk_req');
}

describe('overlays', () => {
  test.for(LOOKS)('$name', async ({ name, viewport, colorScheme }, { visitor }) => {
    const page = await visitor.visit({ viewport, colorScheme });
    await openRequests(page);
    await showRange(page, '1.64 s', '1.66 s');
    const rows = (await gutterNames(page)).filter((row) => /^worker|^wk_req/.test(row));
    expect(rows).toEqual(['worker-1', 'wk_req', 'worker-0', 'wk_req', 'worker-2', 'wk_req']);

    // Request 10, of worker-2, takes all of the first ms.
    await clickRowAt(page, page.locator('.gutter-row', { hasText: 'wk_req' }).last(), 0.05);
    await page.getByRole('tab', { name: 'Selection' }).click();
    const interval = page.getByRole('region', { name: 'Interval' });
    await interval.getByRole('heading', { name: /^id 10\s/ }).waitFor();
    await screenshot(page, `overlays-${name}`);
    // A span is asked as a range of its thread.
    await interval.getByRole('button', { name: 'Where did this time go?' }).click();
    await page.getByRole('heading', { name: /Where did the time of worker-2 go/ }).waitFor();
    await page.locator('.path-sum').waitFor();
  });

  test('are chosen in a dialog', async ({ visitor }) => {
    const page = await visitor.visit();
    await openRequests(page);
    await page.getByLabel('Filter rows by name or tid').fill('worker-1');
    const dialog = page.getByRole('dialog', { name: 'Overlays' });
    await page.locator('.gutter-row', { hasText: 'worker-1' }).click();
    await page.keyboard.press('o');
    await dialog.getByText('300 spans').waitFor();
    await dialog.getByRole('checkbox', { name: /^wk_req/ }).uncheck();
    await dialog.getByLabel('Begins with').fill('wk_req:begin');
    await dialog.getByLabel('Ends with').fill('wk_req:finish');
    await dialog.getByRole('button', { name: 'Add the pair' }).click();
    await dialog.getByRole('alert').getByText('No event of this trace is called wk_req:finish.').waitFor();
    // From the end of a request to the begin of the next.
    await dialog.getByLabel('Begins with').fill('wk_req:end');
    await dialog.getByLabel('Ends with').fill('wk_req:begin');
    await dialog.getByLabel('Name').fill('pause');
    await dialog.getByRole('button', { name: 'Add the pair' }).click();
    await screenshot(page, 'overlays-dialog');
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Filter rows by name or tid').fill('');
    await expect.poll(() => gutterNames(page)).toContain('pause');
    expect(await gutterNames(page)).not.toContain('wk_req');
    await page.locator('.gutter-row', { hasText: 'pause' }).first().click();
    await page.keyboard.press('o');
    await dialog.getByText('297 spans').waitFor();
  });
});
