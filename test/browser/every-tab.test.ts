/**
 * One walk through every tab, by traces that have them, as a user would: what each tab shows is known. What the tabs can
 * do beside that is in the deep tier. A test that finds a tab it does not walk through fails.
 */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';
import { serveFolder } from '../../scripts/static-server.mjs';
import { projectDir } from '../support/shared.ts';
import { dropPaths, test } from './support.ts';
import {
  findThread,
  opened,
  selectInRow,
  showRange,
  writeNote,
  visitExample,
  visitPaths,
  textOf,
} from './walk.ts';

const tab = (page: Page, title: string) => page.getByRole('tab', { name: new RegExp(`^${title}\\b`) });
const grid = (page: Page, name: string) => page.getByRole('grid', { name, exact: true });

/** Titles of the tabs that are there, without their notes. */
async function tabsOf(page: Page): Promise<string> {
  const texts = await page.getByRole('tab').allInnerTexts();
  return texts.map((text) => text.replace(/\s*\d.*$/su, '').trim()).join(', ');
}

test('a thread, its wait and its path, and what explains slow requests', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.getByRole('button', { name: /Who holds up 18 of 300 requests\?/ }).click();
  // The answer to the question of the card.
  await tab(page, 'Compare').and(page.locator('[aria-selected=true]')).waitFor();
  const cause = page
    .getByRole('list', { name: 'In which threads', exact: true })
    .getByRole('listitem')
    .first();
  await cause.waitFor();
  expect(await textOf(cause)).toMatch(/^Thread maintenance: .* in 18 of 26\./);
  await opened(page);

  // Names stay beside their bars, whatever the browser scrolls to: what it finds in the page, say.
  const scrolled = await page.locator('.gutter').evaluate((names) => {
    names.scrollTop = 80;
    return names.scrollTop;
  });
  expect(scrolled).toBe(0);

  await tab(page, 'Summary').click();
  await page
    .getByRole('region', { name: 'The question of the example' })
    .getByRole('button')
    .first()
    .waitFor();

  // A slow request of worker-0, 18.699 ms.
  await tab(page, 'Compare').click();
  await page.waitForFunction(() => window.location.hash.includes('tab=compare'));
  await grid(page, 'Group B').getByRole('row').nth(1).click();
  await page.getByRole('heading', { name: /Where did the time of worker-0 go\? 18\.\d* ms/ }).waitFor();
  await page.locator('.path-sum').waitFor();
  expect(await textOf(page.getByRole('region', { name: 'Time on the path', exact: true }))).toContain(
    'Sum equals the time asked for',
  );
  // Back to what was read before, from where forward leads here again.
  await page.waitForFunction(() => window.location.hash.includes('tab=path'));
  await page.goBack();
  await tab(page, 'Compare').and(page.locator('[aria-selected=true]')).waitFor();
  await page.waitForFunction(() => !window.location.hash.includes('path='));
  await page.goForward();
  await page.locator('.path-sum').waitFor();

  await tab(page, 'Selection').click();
  await page
    .getByRole('region', { name: 'Row', exact: true })
    .getByRole('region', { name: 'States' })
    .waitFor();

  await tab(page, 'Statistics').click();
  await grid(page, 'CPU time by thread').getByText('worker-0', { exact: true }).first().waitFor();

  await tab(page, 'Locks').click();
  await grid(page, 'Futexes')
    .getByRole('gridcell', { name: /^wk-server/ })
    .first()
    .waitFor();

  await tab(page, 'Flame graph').click();
  await grid(page, 'Functions').getByText('cache_lookup', { exact: true }).first().waitFor();

  await tab(page, 'Events').click();
  await grid(page, 'Events').getByRole('row', { selected: true }).waitFor();

  await writeNote(page, 'Held up by maintenance');
  await tab(page, 'Notes').click();
  await grid(page, 'Notes').getByText('Held up by maintenance').waitFor();

  await tab(page, 'Info').click();
  await page.getByRole('heading', { name: 'No problems' }).waitFor();

  await expect
    .poll(() => tabsOf(page))
    .toBe('Summary, Selection, Path, Statistics, Events, Compare, Locks, Flame graph, Notes, Info');
});

test('a known wait is found and explained, and is there again after a reload', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await expect
    .poll(() => tabsOf(page))
    .toBe('Summary, Selection, Path, Statistics, Events, Compare, Locks, Flame graph, Info');
  await findThread(page, '216');
  await showRange(page, '250 ms', '360 ms');
  await selectInRow(page, 'imb-10');
  const selection = page.getByRole('region', { name: 'Interval' });
  await selection.getByText(/^Blocked/).waitFor();
  const expected = ['imb-10', 'woken by imb-80', '85.108 639 ms', '0.262 862 557 s'];
  for (const words of expected) expect(await textOf(selection)).toContain(words);
  // The address follows what is seen after a moment.
  await page.waitForFunction(() => window.location.hash.includes('at=262862557'));
  await page.reload();
  await selection.getByText(/^Blocked/).waitFor();
  for (const words of expected) expect(await textOf(selection)).toContain(words);
  await page.getByRole('button', { name: 'Why did this wait?' }).click();
  await page.getByRole('heading', { name: /Why did imb-10 wait 85\.109.ms/ }).waitFor();
  await page.locator('.path-sum').waitFor();
  await tab(page, 'Info').click();
  await page.getByText('from this browser, without reading').waitFor();
  // Single events are not kept, but the page has the files of an example.
  await tab(page, 'Events').click();
  await grid(page, 'Events').getByRole('row', { selected: true }).waitFor();
});

test('statistics of disk-io have known values', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  const latency = page.getByRole('radio', { name: 'Scheduling latency' });
  const choices = page.getByRole('radiogroup').filter({ has: latency }).getByRole('radio');
  const names = await choices.allInnerTexts();
  for (const name of names) {
    await page.getByRole('radio', { name, exact: true }).click();
    await page
      .getByText(/^(whole trace, |Not recorded$)/)
      .first()
      .waitFor();
  }
  await latency.click();
  const journal = grid(page, 'Scheduling latency').getByRole('row').filter({ hasText: 'jbd2/vdb-8' });
  await journal.waitFor();
  // 58 wake-ups, 5.036408 ms in all: the time in state 5 of an independent analysis.
  expect(await textOf(journal)).toContain('149 58 5.036 ms');
  await page.getByRole('radio', { name: 'Disk and files' }).click();
  await page.getByRole('radio', { name: 'File', exact: true }).click();
  const file = grid(page, 'Read and written by file').getByRole('row').filter({ hasText: '/data/write.dat' });
  await file.waitFor();
  expect(await textOf(file)).toContain('384.404 ms');
});

test('two hosts: how their clocks were aligned', async ({ visitor }) => {
  const page = await visitExample(visitor, 'two-hosts-http');
  // Tabs of layers come when these have been read.
  await expect
    .poll(() => tabsOf(page))
    .toBe('Summary, Selection, Path, Statistics, Events, Sync, Compare, Locks, Flame graph, Info');
  await tab(page, 'Sync').click();
  const pair = page
    .getByRole('tabpanel')
    .getByRole('row')
    .filter({ hasText: 'client' })
    .filter({ hasText: 'server' });
  await pair.first().waitFor();
});

test('two recordings of one machine are laid side by side', async ({ visitor }) => {
  const page = await visitor.visit();
  const cases = ['rt-softirq-preempted', 'kernel-step-back'];
  await dropPaths(
    page,
    cases.map((name) => join(projectDir(), 'test/fixtures/cases', name)),
  );
  await opened(page);
  await page.getByRole('tab', { name: 'Recordings 2' }).click();
  await page.getByText('The time between them was not recorded').waitFor();
  const begin = await page.getByText(/^from [^0]/).innerText();
  await page.getByRole('button', { name: 'Lay side by side' }).click();
  await page.getByText(begin.replace('from ', 'shifted by −'), { exact: true }).waitFor();
  await expect
    .poll(() => tabsOf(page))
    .toBe('Summary, Selection, Path, Statistics, Events, Recordings, Flame graph, Info');
});

test('a time that is too far ends its packet, and the page says so', async ({ visitor }) => {
  const page = await visitPaths(visitor, join(projectDir(), 'test/fixtures/attack/f-1000-62'));
  await page.getByRole('tab', { name: /^Info \d+ problems?/ }).click();
  const card = page.getByRole('alert').filter({ hasText: 'The trace exceeds a limit' }).first();
  for (const words of ['k_0, packet 1, byte 120', 'a time at most 584 years'])
    await expect.poll(() => textOf(card)).toContain(words);
});

test('after one visit, without a server: files, what is kept, opened examples', async ({ visitor }) => {
  const server = await serveFolder(join(projectDir(), 'dist'), { prefix: '/some/path/' });
  onTestFinished(() => server.close());
  const page = await visitor.visit({ url: server.url, serviceWorkers: 'allow' });
  const example = page.getByRole('button', { name: /Which thread holds everyone up/ });
  // Before there is a service worker.
  await example.click();
  await opened(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  const isCached = () =>
    page.evaluate(() => caches.match('examples/imbalance-4t/kernel/metadata').then(Boolean));
  await expect.poll(isCached).toBe(true);
  await server.close();
  await page.reload();
  await opened(page);
  await page.getByRole('button', { name: 'Wakepath' }).click();
  await page.locator('.recent-open').click();
  await opened(page);
  await expect.poll(() => tabsOf(page)).toContain('Summary');
  await page.goto(server.url);
  await example.click();
  await opened(page);
  await page.getByRole('button', { name: 'Wakepath' }).click();
  await dropPaths(page, [join(projectDir(), 'public', 'examples', 'disk-io')]);
  await opened(page);
  expect(await page.title()).toContain('disk-io');
  await tab(page, 'Info').click();
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
});
