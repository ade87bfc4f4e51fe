/** What goes away while the page uses it: files, the storage, and kept traces that another tab deletes. */
import { appendFileSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { holdReads, letRead } from './held-reads.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { opened, openExample, visitKept } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const TRACE = 'imbalance-4t';
const FOLDER = join(projectDir(), 'public', 'examples', TRACE);

test('a file that is deleted or changed while it is read is lost, and named', async ({ visitor }) => {
  cpSync(FOLDER, folder, { recursive: true });
  const page = await visitor.visit();
  await holdReads(page.context());
  await page.reload();
  await dropPaths(page, [folder]);
  // The packets of all files are known by now.
  await page.waitForFunction(() => (window.heldReads?.asked.length ?? 0) > 0);
  rmSync(join(folder, 'kernel/kernel_1'));
  appendFileSync(join(folder, 'kernel/kernel_2'), 'more');
  await letRead(page);
  await opened(page);
  await page.getByRole('tab', { name: /^Info \d+ problems$/ }).click();
  const cards = page.getByRole('alert').filter({ hasText: 'The file cannot be read' });
  for (const file of ['kernel_1', 'kernel_2']) await cards.filter({ hasText: file }).first().waitFor();
  // The others are there.
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('grid', { name: 'CPU time by thread' }).getByText('imb-80').waitFor();
});

/** Two tabs of one browser: a trace is kept, and both list it. */
async function visitTwice(visitor: Visitor): Promise<readonly [Page, Page]> {
  const page = await visitKept(visitor, TRACE);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.locator('.recent-open').waitFor();
  return [page, other];
}

describe('a kept trace that another tab deletes', () => {
  test('is deleted once, and not opened any more', async ({ visitor }) => {
    const [page, other] = await visitTwice(visitor);
    await Promise.all([page, other].map((tab) => tab.locator('.recent-forget').click()));
    for (const tab of [page, other]) await tab.getByText('Traces that you open are listed here').waitFor();
    await openExample(page, TRACE);
    await other.reload();
    await other.locator('.recent-open').waitFor();
    await page.evaluate(() => (location.hash = ''));
    await page.locator('.recent-forget').click();
    await page.getByText('Traces that you open are listed here').waitFor();
    await other.locator('.recent-open').click();
    await other.getByRole('alert').getByText('the trace is not kept any more').waitFor();
    await dropPaths(other, [FOLDER]);
    await expectWhole(other);
  });

  test('while it is open is unknown where not read, and read again from files', async ({ visitor }) => {
    const [page, other] = await visitTwice(visitor);
    await other.locator('.recent-open').click();
    await opened(other);
    await page.locator('.recent-forget').click();
    await page.getByText('Traces that you open are listed here').waitFor();
    await expectUnknownThenRead(other);
  });
});

test('a storage cleared while a trace is open leaves what is not read unknown', async ({ visitor }) => {
  const [page, other] = await visitTwice(visitor);
  await other.close();
  await page.locator('.recent-open').click();
  await opened(page);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await expectUnknownThenRead(page);
});

/** Of an open trace nothing is kept any more. */
async function expectUnknownThenRead(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('radio', { name: 'Disk and files' }).click();
  await page.getByText('Nothing is known here: the kept data are damaged.').waitFor();
  await dropPaths(page, [FOLDER]);
  await page.getByRole('grid').getByText('Client manageme').first().waitFor();
  await expectWhole(page);
  await page.evaluate(() => (location.hash = ''));
  await page.reload();
  await page.locator('.recent-open').click();
  await expectWhole(page);
}

async function expectWhole(page: Page): Promise<void> {
  await opened(page);
  await page.getByRole('tab', { name: 'Info' }).click();
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
  expect(await page.title()).toContain(TRACE);
}
