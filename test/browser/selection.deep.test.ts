/** The tab Selection: what is said of a thread, of a system call and of an interval, and where that leads. */
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { clickRow, findThread, showRange, visitExample, textsOf } from './walk.ts';

/** The value beside a name in a list of pairs. */
function valueOf(part: Locator, name: string): Locator {
  return part.locator('dt', { hasText: new RegExp(`^${name}$`) }).locator('+ dd');
}

/** Lines of a list. */
function linesOf(part: Locator, list: string): Promise<string[]> {
  return textsOf(part.getByRole('region', { name: list, exact: true }).getByRole('listitem'));
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
    const page = await visitExample(visitor, 'disk-io');
    const row = await showThread(page, 'wk-writer');
    await row.getByRole('region', { name: 'Files' }).getByText('/').first().waitFor();
    await valueOf(row, 'Priority').waitFor();
    expect(await valueOf(row, 'Priority').innerText()).toBe('20 over time');
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
    const page = await visitExample(visitor, 'imbalance-4t');
    const row = await showThread(page, 'imb-80');
    await valueOf(row, 'Exited').waitFor();
    const creator = valueOf(row, 'Created by').getByRole('button');
    const name = await creator.innerText();
    await creator.click();
    await row.getByRole('heading', { name: `Thread ${name.replace(/\s+/g, ' ')}` }).waitFor();
  });
});

test('a process says what its threads did together, and leads to each', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await page.getByRole('tab', { name: 'Selection' }).click();
  await page.locator('.gutter-row', { hasText: /wk-imbalance\s*215\s*5 threads/ }).click();
  const row = page.getByRole('region', { name: 'Row', exact: true });
  await row.getByRole('region', { name: 'States' }).getByText('Blocked, thread').waitFor();
  expect(await valueOf(row, 'Threads').innerText()).toBe('5');
  const onCpu = await linesOf(row, 'Threads by time on a CPU');
  expect(onCpu.map((line) => line.split(' ')[0])).toEqual([
    ...['imb-80', 'imb-40', 'imb-20', 'imb-10', 'wk-imbalance'],
  ]);
  const shares = onCpu.map((line) => Number(/([\d.]+) %$/.exec(line)?.[1]));
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100, 0);
  await inLooks(page, 'selected-process', ['1024-light', '1440-dark']);
  await row.getByRole('button', { name: /^imb-80/ }).click();
  await row.getByRole('heading', { name: 'Thread imb-80 219' }).waitFor();
});

test('an interval says whom the thread woke within it, and leads to its events', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  // Where the last of the threads comes to the barrier, it wakes the others.
  const row = await showThread(page, 'imb-80');
  await row.getByRole('region', { name: 'System calls' }).getByRole('button', { name: 'futex' }).click();
  const call = page.getByRole('region', { name: 'System call', exact: true });
  await valueOf(call, 'Returned').waitFor();
  await call.getByRole('button', { name: 'Events inside' }).click();
  const found = page.getByRole('grid', { name: 'Events' });
  await found.getByText('syscall_entry_futex').first().waitFor();
  const box = page.getByRole('combobox', { name: 'Filter of events' });
  expect(await box.inputValue()).toMatch(/^tid=\d+ and time in sel$/);
});

describe('the menu', () => {
  const items = (page: Page) => page.getByRole('menu', { name: 'What can be done' }).getByRole('menuitem');

  test('of a row: filters, hides and shows it again; by pointer and by keys', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    const name = page.locator('.gutter-row', { hasText: 'imb-40' });
    await name.click({ button: 'right' });
    await inLooks(page, 'menu-of-a-row', ['1024-light', '1440-dark']);
    expect(await items(page).allInnerTexts()).toEqual([
      ...[
        'Where did its time go?',
        'Events of this',
        'Fit',
        'Pin',
        'Filter rows to this',
        'Hide',
        'Copy name',
      ],
    ]);
    expect(
      await items(page)
        .first()
        .evaluate((item) => item === document.activeElement),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await items(page).first().waitFor({ state: 'detached' });

    await name.click({ button: 'right' });
    await items(page).getByText('Hide', { exact: true }).click();
    await name.waitFor({ state: 'detached' });

    await findThread(page, 'imb-80');
    await page.locator('#timeline-rows').focus();
    await page.keyboard.press('Shift+F10');
    await items(page).getByText('Show hidden rows (1)').click();
    await name.waitFor();

    await name.click({ button: 'right' });
    await items(page).getByText('Filter rows to this').click();
    await expect
      .poll(() => page.locator('.gutter-row .gutter-name').allInnerTexts())
      .toEqual(['imbalance-4t', 'wk-imbalance', 'imb-40']);
  });

  test('of a row of a table leads to the timeline, and copies it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await page.getByRole('radio', { name: 'CPU time' }).waitFor();
    const line = page
      .getByRole('grid', { name: 'CPU time by thread' })
      .getByRole('row')
      .filter({ hasText: 'imb-40' });
    await line.click({ button: 'right' });
    expect(await items(page).allInnerTexts()).toContain('Copy row');
    await items(page).getByText('Fit', { exact: true }).click();
    await page.locator('.gutter-row.selected', { hasText: 'imb-40' }).waitFor();
  });

  test('of an interval asks why it waited', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await findThread(page, 'wk-writer');
    await showRange(page, '300 ms', '320 ms');
    await clickRow(page, 'wk-writer', 'right');
    await items(page).getByText('Why did it wait?').click();
    await page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ }).waitFor();
  });
});
