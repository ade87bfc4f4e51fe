/** The page in Firefox: an example, its path, and what the browser keeps of it. Skipped where there is no Firefox. */
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { findFirefox } from '../../scripts/browser.mjs';
import { FirefoxPage } from './firefox-page.ts';
import { test } from './support.ts';

const FIREFOX = findFirefox();
if (FIREFOX === undefined) console.warn('Firefox is not tried: it is not installed');

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

/** Visits, each of which leaves a trace that is open, or being read and kept. */
const VISITS = 20;
/** Attempts at a visit: a Firefox that is driven may stop for good in `new Worker` of a worker, at a visit in fifty. */
const ATTEMPTS = 3;

test.skipIf(FIREFOX === undefined)(
  'Firefox opens a trace in each visit, whenever the visit before was left, or when the page is loaded again as it says',
  { timeout: 600_000 },
  async ({ site, onTestFinished }) => {
    const page = await FirefoxPage.start(FIREFOX ?? '');
    onTestFinished(() => page.close());
    /** Whether the text comes; false: the page says that its reader does not answer. */
    const comes = async (selector: string, text: RegExp): Promise<boolean> => {
      const either = new RegExp(`${text.source}|^Load the page again$`);
      return text.test(await page.textOf(`${selector}, .failure button`, either));
    };
    const opens = async (visit: number): Promise<boolean> => {
      await page.goto(site.url);
      // Kept traces are listed where there are some, which takes the store.
      if (visit > 1 && !(await comes('.recent-open', /imbalance-4t/))) return false;
      await page.click('button', /Which thread holds everyone up/);
      // Half of the visits show the trace; the others are left while it is read.
      return visit % 2 === 0 || comes('button', /imb-80; imb-10 longest/);
    };
    for (let visit = 0; visit < VISITS; visit++) {
      let attempts = 1;
      while (!(await opens(visit))) expect(++attempts, `visit ${visit}`).toBeLessThanOrEqual(ATTEMPTS);
      await setTimeout(150 * visit);
      if (visit % 4 === 3) await page.moveToNewTab();
      else await page.goto('about:blank');
    }
    await page.goto(`${site.url}#lesson=07-locks`);
    await page.textOf('h2, h3', /lock/i);
    // What was on its way when a visit was left did not come.
    const cutOff = /^Failed to load|^TypeError: error loading dynamically imported module/;
    expect(page.problems.filter((problem) => !cutOff.test(problem))).toEqual([]);
  },
);
