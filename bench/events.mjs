/**
 * The table of events of a long trace, in a real Chromium: filters, from the key to the first matches and to all of them, the
 * longest task of the page's thread meanwhile, and jumps to rows. See bench/README.md, "How it is measured".
 */
import { babeltraceMs, median } from './measure.mjs';
import { between, DONE, GIVEN, openFolder, openPage, ready } from './page.mjs';

/**
 * One for names alone, one that reads fields, and one that reads the text of every field and matches nothing. Each round has
 * its own: matches of the filters before are kept.
 */
const FILTERS = {
  names: (round) => `name=sched_wak${'*'.repeat(round + 1)}`,
  fields: (round) => `name=sched_switch and prev_state != 0 and next_prio >= ${20 + round}`,
  text: (round) => `"no such text ${round}"`,
};
/** Keys that jump in the table. */
const JUMPS = ['End', 'Home'];

/**
 * @param dist the built page
 * @param label in the figures' names
 */
export async function eventsBench(dist, { label, folder, events }, rounds) {
  const theirs = babeltraceMs(folder);
  const { page, quiet, close } = await openPage(dist);
  await ready(page);
  await openFolder(page, folder);
  await between(page, GIVEN, DONE);
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page
    .locator('.stat-head [role=status]')
    .filter({ hasText: /events$/ })
    .waitFor({ timeout: 600_000 });
  // The summary and the layers, which the session's thread answers too.
  await quiet();
  const figures = { [`events.${label}.events`]: events };
  const longest = [];
  for (const [name, filter] of Object.entries(FILTERS)) {
    const runs = [];
    for (let round = 0; round < rounds; round++) {
      runs.push(await filterBy(page, filter(round)));
      await filterBy(page, '');
    }
    longest.push(...runs.map(({ longestTaskMs }) => longestTaskMs));
    const figure = `events.${label}.${name}`;
    if (name !== 'text') figures[`${figure}.firstMs`] = median(runs.map(({ firstMs }) => firstMs));
    figures[`${figure}.ratio`] = theirs / median(runs.map(({ allMs }) => allMs));
  }
  figures[`events.${label}.longestTaskMs`] = Math.max(...longest);
  const jumps = [];
  for (let round = 0; round < rounds; round++) for (const key of JUMPS) jumps.push(await jump(page, key));
  figures[`events.${label}.jumpMs`] = median(jumps);
  await close();
  return figures;
}

/** Types the filter. ms from its last key to the first matches and to all, and of the longest task in that time. */
async function filterBy(page, filter) {
  const box = page.getByLabel('Filter of events');
  await box.fill(filter);
  await page.evaluate(watchNextKey);
  await box.press('Enter');
  return page.evaluate(() => globalThis.filtered);
}

/** Runs in the page. The promise `filtered` resolves when all events are counted after the next key. */
function watchNextKey() {
  const status = document.querySelector('.stat-head [role=status]');
  globalThis.filtered = new Promise((resolve) => {
    let begin = 0;
    let firstMs;
    addEventListener('keydown', () => (begin = performance.now()), { capture: true, once: true });
    const tasks = new PerformanceObserver(() => {});
    tasks.observe({ entryTypes: ['longtask'] });
    const changes = new MutationObserver(() => {
      const ms = performance.now() - begin;
      if (/[1-9].* event/.test(status.textContent)) firstMs ??= ms;
      if (!/events?$/.test(status.textContent)) return;
      changes.disconnect();
      // The task that this is part of is noted when it is over.
      setTimeout(() => {
        const longestTaskMs = Math.max(0, ...tasks.takeRecords().map(({ duration }) => duration));
        tasks.disconnect();
        resolve({ firstMs, allMs: ms, longestTaskMs });
      }, 200);
    });
    changes.observe(status, { characterData: true, childList: true, subtree: true });
  });
}

/** ms from the key to the row that it leads to, with what is in it. */
async function jump(page, key) {
  const grid = page.getByRole('grid', { name: 'Events', exact: true });
  await grid.getByRole('row', { selected: true }).focus();
  await page.evaluate((pressed) => {
    const table = document.querySelector('[role=grid][aria-label=Events]');
    const last = Number(table.getAttribute('aria-rowcount'));
    globalThis.jumped = new Promise((resolve) => {
      let begin = 0;
      addEventListener('keydown', () => (begin = performance.now()), { capture: true, once: true });
      const look = () => {
        const row = table.querySelector('[aria-selected=true]');
        const number = Number(row?.getAttribute('aria-rowindex'));
        const isThere = pressed === 'End' ? number >= last - 1 : number <= 2;
        if (begin > 0 && isThere && /\d/.test(row?.textContent ?? '')) resolve(performance.now() - begin);
        else requestAnimationFrame(look);
      };
      look();
    });
  }, key);
  await page.keyboard.press(key);
  return page.evaluate(() => globalThis.jumped);
}
