/** Traces of other shapes than the examples on the start page: several roots, user space alone, damaged. */
import { cpSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { screenshot } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import {
  clickRow,
  findThread,
  selectInRow,
  selectWithin,
  visitExample,
  visitPaths,
  textOf,
  boxOf,
} from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const EXAMPLES = join(projectDir(), 'public', 'examples');

describe('a thread', () => {
  test('is found by name, and a click gives its interval to the nanosecond', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    // In user mode from 261 820 170 to 267 839 448 ns.
    await selectWithin(page, 'imb-80', '262 ms', '267 ms');
    const selection = page.getByRole('region', { name: 'Interval' });
    await selection.getByText('imb-80').first().waitFor();
    await screenshot(page, 'selected-running');
    const text = await textOf(selection);
    expect(text).toContain('6.019 278 ms');
    expect(text).toContain('0.261 820 170 s');
    // Its CPU tells who ran there, at the same times.
    await selectInRow(page, 'CPU 0');
    await selection.getByRole('button', { name: 'CPU 0' }).waitFor();
    await selection.getByRole('button', { name: 'imb-80' }).waitFor();
    expect(await textOf(selection)).toContain('0.261 820 170 s');
    // What is selected does not open the drawer again once it is closed, and another choice does.
    await page.getByRole('button', { name: 'Close the drawer' }).click();
    await selection.waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
    expect(await selection.count()).toBe(0);
    await clickRow(page, 'imb-80');
    await selection.getByText('imb-80').first().waitFor();
  });

  test('is explained by a key on a narrow screen, where the drawer is closed', async ({ visitor }) => {
    const page = await visitor.visit({ viewport: { width: 720, height: 450 } });
    await dropPaths(page, [join(EXAMPLES, 'imbalance-4t')]);
    await page.locator('.gutter').getByText('imb-40', { exact: true }).waitFor();
    await page.locator('.progress-row').waitFor({ state: 'detached' });
    await clickRow(page, 'imb-40');
    await page.waitForTimeout(300);
    expect(await page.getByRole('tabpanel').count()).toBe(0);
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /imb-40/ }).waitFor();
    expect(await page.getByRole('tab', { name: /^Path/ }).getAttribute('aria-selected')).toBe('true');
    await screenshot(page, 'path-narrow');
  });
});

test('two folders at once are the hosts of one experiment', async ({ visitor }) => {
  const page = await visitExample(visitor, 'two-hosts-http/client', 'two-hosts-http/server');
  await page.getByRole('heading', { name: 'client, server' }).waitFor();
  const gutter = page.locator('.gutter');
  await gutter.getByText('client', { exact: true }).waitFor();
  await page.getByRole('tab', { name: /^Info/ }).click();
  const panel = page.getByRole('tabpanel');
  for (const host of ['client', 'server']) await panel.getByText(host).first().waitFor();
  await screenshot(page, 'two-hosts');
});

test('a trace of user space alone has rows of threads, and events at the pointer', async ({ visitor }) => {
  const page = await visitExample(visitor, 'lockfight-mutex/ust');
  for (const tid of [231, 233, 235, 236, 237, 238])
    await page.locator('.gutter-id').getByText(`${tid}`, { exact: true }).first().waitFor();
  await page.getByRole('tab', { name: /^Events/ }).click();
  const events = page.getByRole('grid', { name: 'Events', exact: true });
  const first = events.getByRole('row').nth(1);
  await first
    .getByText(/lttng_ust_/)
    .first()
    .waitFor();
  const before = await first.innerText();
  const rows = await boxOf(page.locator('.timeline-rows'));
  await page.mouse.move(rows.x + rows.width * 0.9, rows.y + 20);
  await expect.poll(() => first.innerText()).not.toBe(before);
  await screenshot(page, 'user-space');
});

test('a damaged trace shows what can be read, and tells what not and where', async ({ visitor }) => {
  const copy = join(folder, 'cut-short');
  cpSync(join(EXAMPLES, 'imbalance-4t'), copy, { recursive: true });
  const stream = join(copy, 'kernel', 'kernel_3');
  truncateSync(stream, statSync(stream).size - 5000);
  const page = await visitPaths(visitor, copy);
  await page.getByRole('tab', { name: /problem/ }).click();
  const card = page.getByRole('alert').filter({ hasText: 'The file ends within a packet' });
  await card.waitFor();
  expect(await card.innerText()).toContain('cut-short/kernel/kernel_3, packet 2');
  await screenshot(page, 'damaged');
  await findThread(page, 'imb-80');
  await page.locator('.gutter').getByText('imb-80', { exact: true }).first().waitFor();
});
