/** Executions of two traces on the tab Compare: opened together, by files of executions, and by what is kept. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test, firstItem } from './support.ts';
import { opened, visitExample, visitPaths } from './walk.ts';

const REQUESTS = /^wk_req:begin to wk_req:end/;
const shared = sharedDir();
const trace = (name: string) => join(shared ?? '', 'traces', name);

/** Takes the requests of an open trace. */
async function compareRequests(page: Page, count: number): Promise<void> {
  await page.getByRole('tab', { name: /^Compare/ }).click();
  await page.getByRole('button', { name: REQUESTS }).click();
  await page.getByRole('tab', { name: `Compare ${count}` }).waitFor();
}

/** What explains group B. For which locks it waited only its trace tells, no file of executions. */
async function ranking(page: Page): Promise<readonly string[]> {
  await firstItem(page, 'Where').waitFor();
  const lists = ['Where', 'In which threads', 'Metrics'];
  return Promise.all(lists.map((name) => page.getByRole('list', { name, exact: true }).innerText()));
}

/** Saves the executions that are shown; the path of the file. */
async function saved(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as file' }).click(),
  ]);
  return download.path();
}

test('executions that were saved say the same in a fresh profile without trace', async ({ visitor }) => {
  const page = await visitExample(visitor, 'executions-lock');
  await compareRequests(page, 300);
  const before = await ranking(page);
  const file = await saved(page);
  const fresh = await visitor.visit();
  await dropPaths(fresh, [file]);
  await fresh.getByRole('heading', { name: /^executions-lock, executions without their trace/ }).waitFor();
  expect(await ranking(fresh)).toEqual(before);
  expect(await fresh.getByRole('tab').count()).toBe(0);
  await inLooks(fresh, 'compare-file', ['1440-light', '1024-dark']);
  // With their own trace beside them nothing differs, and a link says so where they are kept.
  await dropPaths(page, [file]);
  await page.getByRole('button', { name: 'A: executions-lock' }).waitFor();
  await page.getByText('0 s more than in A on average').waitFor();
});

test('a file of executions that is cut off is refused, and what is open stays', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new TextEncoder().encode('wakepath-exec\u0001cut')], 'cut.executions'));
    for (const type of ['dragover', 'drop'])
      document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
      );
  });
  await page.getByText('This file of executions cannot be read').waitFor();
});

describe.skipIf(shared === undefined)(`two versions of a program (else: ${WITHOUT_SHARED})`, () => {
  test('opened together they are compared, and the new function is named first', async ({ visitor }) => {
    const page = await visitPaths(visitor, trace('regression-a'), trace('regression-b'));
    await compareRequests(page, 160);
    await expect
      .poll(() => firstItem(page, 'Where').innerText())
      .toMatch(/^parse_header_v2, in main ▸ process_message/);
    expect(await page.locator('.compare-heads').innerText()).toMatch(
      /A, regression-a[^]*80 of 160[^]*B, regression-b[^]*80 of 160/,
    );
    await inLooks(page, 'compare-versions', ['1440-light', '1024-dark']);
    // ABOUT.md: 4,640.7 instead of 3,200.6 µs of CPU time each.
    await page.getByRole('tab', { name: 'Recordings 2' }).click();
    const lines = page.getByRole('region', { name: 'Recordings' }).getByRole('row');
    await expect.poll(() => lines.nth(1).innerText()).toMatch(/^regression-a\s.*\b80\b/);
    expect(await lines.nth(2).innerText()).toMatch(/^regression-b\s.*\b80\b/);
    expect(await lines.nth(3).innerText()).toMatch(/^Difference\s.*\+1\.444\s?ms/);
    await inLooks(page, 'recordings', ['1440-light', '1024-dark']);
  });

  test('opened alone they are compared by what is kept; functions are renamed', async ({ visitor }) => {
    const page = await visitPaths(visitor, trace('regression-a'));
    await compareRequests(page, 80);
    // All of them take about as long.
    await page.getByRole('button', { name: 'Look at the slowest tenth' }).click();
    await firstItem(page, 'Where').waitFor();
    const file = await saved(page);
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await dropPaths(page, [trace('regression-b')]);
    await opened(page);
    await compareRequests(page, 80);
    await page.getByRole('button', { name: 'Against another trace' }).click();
    await inLooks(page, 'compare-against', ['1440-light', '1024-dark']);
    await page.getByRole('button', { name: /^regression-a/ }).click();
    await page.getByRole('tab', { name: 'Compare 160' }).waitFor();
    expect(await firstItem(page, 'Where').innerText()).toMatch(
      /^parse_header_v2, in main ▸ process_message.*\s2\.296\sms/s,
    );
    await page.getByRole('button', { name: 'Renamed functions' }).click();
    await inLooks(page, 'compare-renames', ['1440-dark', '1024-light']);
    await page.getByRole('button', { name: /^parse_header → parse_header_v2/ }).click();
    expect(await page.getByRole('textbox', { name: 'Renamed functions' }).inputValue()).toBe(
      'parse_header=parse_header_v2',
    );
    await page.keyboard.press('Escape');
    // As `inspect executions regression-a --against regression-b --rename parse_header=parse_header_v2` says.
    await expect
      .poll(() => firstItem(page, 'Where').innerText())
      .toMatch(/^parse_header_v2, in main ▸ process_message/);
    await inLooks(page, 'compare-renamed', ['1440-light', '1024-dark']);
    const renamed = await ranking(page);
    await page.waitForFunction(() => window.location.hash.includes('renamed-to=parse_header_v2'));
    // Another page of the same browser has it, and so has this one when it is loaded again.
    await page.reload();
    await page.getByRole('tab', { name: 'Compare 160' }).waitFor();
    await expect.poll(() => ranking(page)).toEqual(renamed);
    // Elsewhere the other trace is not kept: its file says the same.
    const elsewhere = await visitor.visit({ path: new URL(page.url()).hash });
    await elsewhere.getByText('This link shows a place').waitFor();
    await dropPaths(elsewhere, [trace('regression-b')]);
    await elsewhere.getByText('The other trace of this link is not kept here').waitFor();
    await dropPaths(elsewhere, [file]);
    await expect.poll(() => ranking(elsewhere)).toEqual(renamed);
    await page.getByRole('button', { name: 'A: regression-a' }).click();
    await page.getByRole('tab', { name: 'Compare 80' }).waitFor();
  });
});
