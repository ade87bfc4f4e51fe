/** What is asked about: the newest of an interval, a range, a system call and a thread; links keep it. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { findThread, opened, selectWithin, showRange, visitExample, clickRowAt, boxOf } from './walk.ts';

/** A fragment of the page's address, once it holds this part. */
async function linkWith(page: Page, part: string): Promise<string> {
  await page.waitForFunction((wanted) => window.location.hash.includes(wanted), part);
  return page.evaluate(() => window.location.hash);
}

/** The visible range in plain spaces. */
async function visibleRange(page: Page): Promise<string> {
  return (await page.locator('.range-button').innerText()).replace(/\s/g, ' ');
}

/** Drags with the pointer over a part of the page, from and to shares of its width. */
async function dragOver(page: Page, part: string, from: number, to: number): Promise<void> {
  const box = await boxOf(page.locator(part));
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + from * box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + ((from + to) / 2) * box.width, y);
  await page.mouse.move(box.x + to * box.width, y);
  await page.mouse.up();
}

describe('the newest question', () => {
  test('is a range drawn after an interval was selected', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    const interval = page.getByRole('region', { name: 'Interval' });
    await interval.waitFor();
    await page.keyboard.press('r');
    await interval.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Range' }).getByRole('heading', { name: /20/ }).waitFor();
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /Where did the time of wk-writer go\? 20.000.ms/ }).waitFor();
    await page.getByText('equals the time asked for').waitFor();

    // Also where the path of an interval is shown.
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ }).waitFor();
    await dragOver(page, '.ruler', 0.25, 0.5);
    await page.getByRole('heading', { name: /Where did the time of wk-writer go\? [45]\.\d+.ms/ }).waitFor();
    await page.getByText('equals the time asked for').waitFor();
  });

  test('is a system call chosen from a table, from entry to return', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'System calls' }).click();
    const calls = page.getByRole('grid', { name: 'System calls' });
    await calls.getByText('fsync', { exact: true }).click();
    const longest = page.getByRole('region', { name: 'Longest calls' }).getByRole('button').first();
    await longest.getByText(/25\.572/).click();
    await page.getByRole('tab', { name: 'Selection' }).click();
    const call = page.getByRole('region', { name: 'System call' });
    await call.getByRole('heading', { name: /^fsync 25\.572.ms/ }).waitFor();
    await inLooks(page, 'system-call');
    await page.keyboard.press('p');
    const title = page.getByRole('heading', {
      name: /Where did the time of wk-writer in fsync go\? 25\.572.ms/,
    });
    await title.waitFor();
    await page.getByText('equals the time asked for').waitFor();
    await inLooks(page, 'system-call-path', ['1440-light', '1024-dark']);

    await linkWith(page, 'path-call=1');
    await page.reload();
    await title.waitFor();
    await page.getByRole('tab', { name: 'Selection' }).click();
    await call.getByRole('heading', { name: /^fsync 25\.572.ms/ }).waitFor();
  });

  test('is what F fits: a thread, its path', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await showRange(page, '1 s', '1.1 s');
    await findThread(page, 'imb-80');
    await page.keyboard.press('f');
    // From 163.786 ms to the end of the trace, with a margin before.
    await expect.poll(() => visibleRange(page)).toMatch(/^95\.\d+ ms to 1\.528 s$/);
    await showRange(page, '1 s', '1.1 s');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /Where did the time of imb-80 go/ }).waitFor();
    await page.keyboard.press('f');
    // Until it exited.
    await expect.poll(() => visibleRange(page)).toMatch(/^114\.\d+ ms to 1\.195 s$/);
  });

  test('is brought into view with P where it is a small part of that', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await findThread(page, 'tail');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /Where did the time of tail( \(\d+\))? go/ }).waitFor();
    await expect.poll(() => visibleRange(page)).toMatch(/^[78]\d\d\.\d+ ms to 9\d\d\.\d+ ms$/);
    // Once: the reader may look at more of what is around it.
    await page.keyboard.press('0');
    await expect.poll(() => visibleRange(page)).toMatch(/^0 s to 1\.27\d s$/);
  });
});

test('the overview selects where it is dragged outside the window, which stays', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await dragOver(page, '.overview-picture', 0.25, 0.75);
  await page.getByRole('tab', { name: 'Selection' }).click();
  const range = page.getByRole('region', { name: 'Range' });
  await range.getByRole('heading', { name: /Range of 763\.\d+.ms/ }).waitFor();
  expect(await visibleRange(page)).toBe('0 s to 1.528 s');

  await showRange(page, '1 s', '1.2 s');
  await dragOver(page, '.overview-picture', 0.1, 0.2);
  await range.getByRole('heading', { name: /Range of 152\.\d+.ms/ }).waitFor();
  expect(await visibleRange(page)).toBe('1.000 s to 1.200 s');

  // The window is moved beyond both ends.
  await dragOver(page, '.overview-picture', 0.72, 0.05);
  await expect.poll(() => visibleRange(page)).toMatch(/^0 s to 200/);
  await dragOver(page, '.overview-picture', 0.06, 0.99);
  await expect.poll(() => visibleRange(page)).toMatch(/ to 1\.52[78]/);
  for (let i = 0; i < 4; i++) await page.keyboard.press('d');
  expect(await visibleRange(page)).toMatch(/ to 1\.52[78]/);
});

describe('a link', () => {
  test('to an example opens it in a browser that never saw it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await findThread(page, 'imb-80');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: /Where did the time of imb-80 go/ }).waitFor();
    const link = await linkWith(page, 'path=');

    const fresh = await visitor.visit({ path: link });
    await opened(fresh);
    await fresh.getByRole('heading', { name: /Where did the time of imb-80 go/ }).waitFor();

    // Of another trace of that name the folder is asked for.
    const other = await visitor.visit({ path: link.replace(/trace=[^&]+/, 'trace=another') });
    await other.getByText('This link shows a place in “imbalance-4t”').waitFor();
  });

  test('to a row of an overlay keeps its selection and path', async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByLabel('Filter rows by name or tid').fill('wk_req');
    const row = page.locator('.gutter-row', { hasText: 'wk_req' }).last();
    await row.waitFor();
    await showRange(page, '1.64 s', '1.66 s');
    await clickRowAt(page, row, 0.05);
    await page.getByRole('tab', { name: 'Selection' }).click();
    await page.getByRole('heading', { name: /^id 10\s/ }).waitFor();
    await page.keyboard.press('p');
    const title = page.getByRole('heading', { name: /Where did the time of worker-2 go/ });
    await title.waitFor();
    await linkWith(page, 'path=overlay');
    const link = await linkWith(page, 'row=overlay');

    const fresh = await visitor.visit({ path: link });
    await fresh.getByRole('heading', { name: /Where did the time of worker-2 go/ }).waitFor();
    await fresh.getByRole('tab', { name: 'Selection' }).click();
    await fresh.getByRole('heading', { name: /^id 10\s/ }).waitFor();
  });
});
