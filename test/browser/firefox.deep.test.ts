/** The page in Firefox: an example, its path, and what the browser keeps of it. Skipped where there is no Firefox. */
import { expect } from 'vitest';
import { findFirefox } from '../../scripts/browser.mjs';
import { FirefoxPage } from './firefox-page.ts';
import { test } from './support.ts';

const FIREFOX = findFirefox();

test.skipIf(FIREFOX === undefined)(
  'Firefox opens an example, shows a path and reopens the kept trace',
  { timeout: 240_000 },
  async ({ site, onTestFinished }) => {
    const page = await FirefoxPage.start(FIREFOX ?? '');
    onTestFinished(() => page.close());
    await page.goto(site.url);
    await page.click('button', /Which thread holds everyone up/);
    const answer = /imb-80; imb-10 longest:\s+703\.601\sms,\s+71\.1\s%/;
    await page.click('button', answer);
    const row = /^imb-80 219\s+Running, user\s+692\.892\s+70\.0\s%/;
    const path = await page.textOf('[aria-label="Time on the path"] [role=row]', row);
    await page.goto(site.url);
    await page.click('.recent-open', /imbalance-4t/);
    await page.click('button', answer);
    expect(await page.textOf('[aria-label="Time on the path"] [role=row]', row)).toBe(path);
    expect(page.problems).toEqual([]);
  },
);
