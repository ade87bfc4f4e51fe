/** Reports in a browser without a network: nothing is asked for, everybody can read them; and the page writes the same. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { chromium } from 'playwright';
import { expect } from 'vitest';
import { findBrowser } from '../../scripts/browser.mjs';
import { inspect } from '../support/inspect-run.ts';
import { projectDir, sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { test } from './support.ts';
import { visitExample } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const MOST_BYTES = 1_000_000;

const SHARED = sharedDir() ?? '';
/** The only one that comes with the project. */
const OWN = 'requests';

const RECORDINGS: readonly (readonly [name: string, path: string, headline: RegExp])[] = [
  [
    OWN,
    join(projectDir(), 'public/examples/executions-lock'),
    /^26 of 300 executions .* mostly waiting for thread maintenance\.$/,
  ],
  [
    'locks of the kernel',
    join(SHARED, 'traces/kernel-contention'),
    /^7 threads waited 519\.629.ms for rwsem .* longest until kc-2 released it\.$/,
  ],
  [
    'perf',
    join(SHARED, 'tracers/perf-lock/perf.data'),
    /^17 of 110 executions from lock:contention_begin .* instead of 6\.044.ms\.$/,
  ],
];

test.for(RECORDINGS)('%s: the report is whole by itself', async ([name, path, headline], { skip }) => {
  skip(SHARED === '' && name !== OWN, WITHOUT_SHARED);
  const file = join(folder, `${name}.html`);
  expect(await inspect('report', path, '--output', file)).toMatchObject({ code: 0 });
  expect(statSync(file).size).toBeLessThan(MOST_BYTES);
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      // For axe alone: the policy of the file lets nothing run.
      const page = await browser.newPage({
        colorScheme,
        bypassCSP: true,
        viewport: { width: 1024, height: 700 },
      });
      await page.context().setOffline(true);
      const asked: string[] = [];
      const said: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => said.push(message.text()));
      await page.goto(pathToFileURL(file).href);
      expect((await page.getByRole('heading', { level: 1 }).innerText()).replaceAll(/\s/g, ' ')).toMatch(
        headline,
      );
      expect(await page.locator('script').count()).toBe(0);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate(async () =>
        window.axe.run('html', { resultTypes: ['violations'] }),
      );
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
      // No text is cut off at the side.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(1024);
      expect(asked).toEqual([pathToFileURL(file).href]);
      expect(said).toEqual([]);
      await page.close();
    }
    // With its policy: its own style is what it allows.
    const page = await browser.newPage();
    const said: string[] = [];
    page.on('console', (message) => said.push(message.text()));
    await page.goto(pathToFileURL(file).href);
    expect(await page.locator('h1').evaluate((head) => getComputedStyle(head).fontSize)).toBe('30px');
    expect(said).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('the page writes the report of the command line, with links to what it shows', async ({ visitor }) => {
  const page = await visitExample(visitor, 'executions-lock');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Report', exact: true }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('executions-lock.report.html');
  const own = readFileSync(await download.path(), 'utf8');
  const file = join(folder, 'same.html');
  const [address] = page.url().split('#');
  const at = ['--page', address, '--output', file];
  expect(await inspect('report', join(projectDir(), 'public/examples/executions-lock'), ...at)).toMatchObject(
    { code: 0 },
  );
  expect(own).toBe(readFileSync(file, 'utf8'));
  const [, link] = /<p class="open"><a href="([^"]*)"/.exec(own) ?? [];
  await page.goto(link.replaceAll('&amp;', '&'));
  await page.getByRole('tab', { name: /^Compare/, selected: true }).waitFor();
  await page.getByText('wk_req:begin to wk_req:end').first().waitFor();
});
