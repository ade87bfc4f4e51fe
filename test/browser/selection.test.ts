/** The tab Selection: what is said of a thread, of a system call and of an interval, and where that leads. */
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { findThread, openExample } from './walk.ts';

/** The value beside a name in a list of pairs. */
function valueOf(part: Locator, name: string): Locator {
  return part.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd');
}

/** Lines of a list in plain spaces. */
async function linesOf(part: Locator, list: string): Promise<string[]> {
  const texts = await part
    .getByRole('region', { name: list, exact: true })
    .getByRole('listitem')
    .allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}

async function showThread(page: Page, query: string): Promise<Locator> {
  await findThread(page, query);
  await page.getByRole('tab', { name: 'Selection' }).click();
  const row = page.getByRole('region', { name: 'Row', exact: true });
  await row.getByRole('region', { name: 'States' }).waitFor();
  return row;
}

describe('a thread', () => {
  test('says where it comes from, what it did, who woke it, and what it called', async ({ visitor }) => {
    const page = await visitor.visit();
    await openExample(page, 'disk-io');
    const row = await showThread(page, 'wk-writer');
    await row.getByRole('region', { name: 'Files' }).getByText('/').first().waitFor();
    await valueOf(row, 'Priority').waitFor();
    expect(await valueOf(row, 'Priority').innerText()).toBe('20');
    const states = await linesOf(row, 'States');
    expect(states.some((line) => line.startsWith('Blocked, disk'))).toBe(true);
    const shares = states.map((line) => Number(/([\d.]+) %$/.exec(line)?.[1]));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
    await inLooks(page, 'selected-thread');

    // Each of them leads on.
    const calls = row.getByRole('region', { name: 'System calls' });
    const [most] = await linesOf(row, 'System calls');
    expect(most).toBe('write 231.371 ms 21 ×');
    await calls.getByRole('button', { name: 'fsync' }).click();
    const call = page.getByRole('region', { name: 'System call', exact: true });
    await call.getByRole('heading', { name: /^fsync 25\.572.ms/ }).waitFor();
    await valueOf(call, 'Arguments')
      .getByText(/^fd=\d+$/)
      .waitFor();
    await valueOf(call, 'File').getByText(/^\//).waitFor();
    expect(await valueOf(call, 'Returned').innerText()).toBe('0');

    await showThread(page, 'wk-writer');
    await calls.getByRole('button', { name: 'all' }).click();
    const table = page.getByRole('grid', { name: 'System calls' });
    await table.getByText('fsync', { exact: true }).waitFor();
    const names = await table.locator('.table-row [role=gridcell]:first-child').allInnerTexts();
    expect(new Set(names)).toEqual(new Set(['wk-writer']));
  });

  test('leads to the thread that created it, and to those that it woke', async ({ visitor }) => {
    const page = await visitor.visit();
    await openExample(page, 'imbalance-4t');
    const row = await showThread(page, 'imb-80');
    await valueOf(row, 'Exited').waitFor();
    const creator = valueOf(row, 'Created by').getByRole('button');
    const name = await creator.innerText();
    await creator.click();
    await row.getByRole('heading', { name: `Thread ${name.replace(/\s+/g, ' ')}` }).waitFor();
  });
});
