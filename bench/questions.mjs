/**
 * A long trace in the page, in a real Chromium: opening, then each question, one after the other: how long until its answer is
 * there, and the longest task of the page's thread meanwhile. See bench/README.md, "How it is measured".
 */
import { between, DONE, GIVEN, openFolder, openPage, ready } from './page.mjs';

/** What is done, and what is there when it is answered. */
const QUESTIONS = {
  summary: async (page) => {
    await page.getByRole('tab', { name: 'Summary' }).click();
    await page.locator('.findings li').first().waitFor({ timeout: MOST_MS });
    await page.locator('.summary progress').waitFor({ state: 'detached', timeout: MOST_MS });
  },
  statistics: async (page) => {
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('gridcell').first().waitFor({ timeout: MOST_MS });
  },
  locks: async (page) => {
    await page.getByRole('tab', { name: /^Locks/ }).click({ timeout: MOST_MS });
    await page.getByRole('gridcell').first().waitFor({ timeout: MOST_MS });
  },
  path: async (page) => {
    await page.locator('.gutter-row').nth(THREAD_ROW).click();
    await page.keyboard.press('p');
    await page.locator('.path-sentence').waitFor({ timeout: MOST_MS });
  },
};
const MOST_MS = 1_800_000;
/** A row below those of the CPUs. */
const THREAD_ROW = 12;

/**
 * One run.
 * @param dist the built page
 * @param label in the figures' names
 */
export async function questionsBench(dist, { label, folder, events }) {
  const { page, peak, close } = await openPage(dist);
  const empty = peak();
  await ready(page);
  await page.evaluate(watchTasks);
  await openFolder(page, folder);
  const figures = { [`questions.${label}.events`]: events };
  figures[`questions.${label}.open.ms`] = await between(page, GIVEN, DONE);
  figures[`questions.${label}.open.longestTaskMs`] = await longestTask(page);
  for (const [name, ask] of Object.entries(QUESTIONS)) {
    const begin = performance.now();
    await ask(page);
    figures[`questions.${label}.${name}.ms`] = performance.now() - begin;
    figures[`questions.${label}.${name}.longestTaskMs`] = await longestTask(page);
    figures[`questions.${label}.${name}.MiB`] = (peak() - empty) / 2 ** 20;
  }
  await close();
  return figures;
}

/** Runs in the page. */
function watchTasks() {
  globalThis.longestTaskMs = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      globalThis.longestTaskMs = Math.max(globalThis.longestTaskMs, duration);
  }).observe({ entryTypes: ['longtask'] });
}

/** ms of the longest task of the page's thread since the last call; 0: none took 50 ms. */
function longestTask(page) {
  return page.evaluate(() => {
    const longest = globalThis.longestTaskMs;
    globalThis.longestTaskMs = 0;
    return longest;
  });
}
