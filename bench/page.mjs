/**
 * The page's benches, in a real Chromium with a real IndexedDB and a fresh profile: from chosen files to every interval
 * stored, the first picture, re-opening, and the memory of the renderer process. Times are those of the page's own
 * marks (`src/app/browser/marks.ts`).
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from '../scripts/browser.mjs';
import { serveFolder } from '../scripts/static-server.mjs';
import { babeltraceMs, median } from './measure.mjs';

const READY = 'wakepath:ready';
export const GIVEN = 'wakepath:given';
const PICTURE = 'wakepath:picture';
export const DONE = 'wakepath:done';

// Without a GPU the page draws with Canvas 2D; WebGL in software would take the two cores from what is measured.
const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-gpu',
];

/**
 * Opens the trace as often as `rounds` says, each time in a new browser, after babeltrace2 read the same files: when
 * the page is ready, and in another browser at once.
 * @param dist the built page
 * @param folder the trace
 */
export async function openBench(dist, folder, events, rounds) {
  const theirs = [];
  const whole = [];
  const atOnce = [];
  const picture = [];
  const reopened = [];
  let browser = '';
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    const hurried = await openPage(dist);
    await openFolder(hurried.page, folder);
    atOnce.push(await between(hurried.page, GIVEN, DONE));
    await hurried.close();
    const visit = await openPage(dist);
    await ready(visit.page);
    await openFolder(visit.page, folder);
    whole.push(await between(visit.page, GIVEN, DONE));
    picture.push(await between(visit.page, GIVEN, PICTURE));
    reopened.push(await reopen(visit));
    browser = await versionOf(visit.page);
    await visit.close();
  }
  return {
    'open.ratio': median(whole) / median(theirs),
    'open.ms': median(whole),
    'open.atOnce.ratio': median(atOnce) / median(theirs),
    'open.babeltraceMs': median(theirs),
    'open.events': events,
    'open.nsPerEvent': (median(whole) * 1e6) / events,
    'open.pictureMs': median(picture),
    'open.pictureShare': median(picture) / median(whole),
    'open.reopenMs': median(reopened),
    browser,
  };
}

/** Bytes of the renderer's peak over the empty page's, of one opening of each trace: what a million events more cost. */
export async function memoryBench(dist, traces) {
  const figures = {};
  const grown = [];
  for (const { folder, events } of traces) {
    const name = `${(events / 1e6).toFixed(1)}M`;
    const visit = await openPage(dist);
    const empty = visit.peak();
    await ready(visit.page);
    await openFolder(visit.page, folder);
    await between(visit.page, GIVEN, DONE);
    grown.push({ events, bytes: visit.peak() - empty });
    figures['memory.emptyMiB'] = empty / 2 ** 20;
    figures[`memory.${name}.MiB`] = grown.at(-1).bytes / 2 ** 20;
    figures[`memory.${name}.events`] = events;
    await visit.close();
  }
  const [least, most] = [grown[0], grown[grown.length - 1]];
  figures['memory.MiBPerMEvents'] =
    ((most.bytes - least.bytes) / 2 ** 20 / (most.events - least.events)) * 1e6;
  return figures;
}

/**
 * Opens a built page in a fresh profile; `close` ends everything, `peak` is the renderer's peak in bytes, `quiet` resolves
 * when it does nothing.
 * @param name of the page in the folder `dist`
 * @param sign what is there when the page is ready
 */
export async function openPage(dist, name = '', sign = '.start') {
  const server = await serveFolder(dist, { port: 0 });
  const profile = mkdtempSync(join(tmpdir(), 'wakepath-bench-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
    // It would fetch the page again while it is measured.
    serviceWorkers: 'block',
  });
  const page = context.pages()[0] ?? (await context.newPage());
  await page.goto(server.url + name);
  await page.locator(sign).waitFor();
  return {
    page,
    url: server.url,
    peak: () => Math.max(...renderersOf(profile).map(peakOf)),
    quiet: () => quiet(profile),
    close: async () => {
      await context.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Resolves when the page has prepared itself for a trace, which takes less time than to choose one. */
export async function ready(page) {
  await waitForMark(page, READY);
}

export async function openFolder(page, folder) {
  const button = page.getByRole('button', { name: 'Choose a folder' });
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
  await chooser.setFiles(folder);
}

/**
 * One opening of a long trace in a new browser, after babeltrace2 read the same files.
 * @param label of the trace, in the figures' names
 */
export async function longBench(dist, { label, folder, events }) {
  const theirs = babeltraceMs(folder);
  const visit = await openPage(dist);
  const empty = visit.peak();
  await ready(visit.page);
  await openFolder(visit.page, folder);
  const ms = await between(visit.page, GIVEN, DONE);
  const pictureMs = await between(visit.page, GIVEN, PICTURE);
  const peak = visit.peak();
  const browser = await versionOf(visit.page);
  await visit.close();
  return {
    [`long.${label}.events`]: events,
    [`long.${label}.ratio`]: ms / theirs,
    [`long.${label}.ms`]: ms,
    [`long.${label}.babeltraceMs`]: theirs,
    [`long.${label}.pictureMs`]: pictureMs,
    [`long.${label}.MiB`]: (peak - empty) / 2 ** 20,
    browser,
  };
}

/** One opening of a trace with many lock events in a new browser, and ms from there to the tab of its locks. */
export async function locksBench(dist, { folder, events }) {
  const visit = await openPage(dist);
  const empty = visit.peak();
  await ready(visit.page);
  await openFolder(visit.page, folder);
  const ms = await between(visit.page, GIVEN, DONE);
  const opened = performance.now();
  await visit.page.getByRole('tab', { name: /^Locks/ }).waitFor({ timeout: 3_600_000 });
  const figures = {
    'locks.events': events,
    'locks.ms': ms,
    'locks.pictureMs': await between(visit.page, GIVEN, PICTURE),
    'locks.tabMs': performance.now() - opened,
    'locks.MiB': (visit.peak() - empty) / 2 ** 20,
    browser: await versionOf(visit.page),
  };
  await visit.close();
  return figures;
}

/** ms from the click on the kept trace to its first picture, after the page was loaded anew. */
async function reopen({ page, url }) {
  await page.goto('about:blank');
  await page.goto(url);
  await page.locator('.recent-open').click();
  return between(page, GIVEN, PICTURE);
}

/** ms from the page's mark `from` to its mark `to`, waiting for the latter. */
export async function between(page, from, to) {
  await waitForMark(page, to);
  return page.evaluate(
    ([a, b]) => performance.getEntriesByName(b)[0].startTime - performance.getEntriesByName(a)[0].startTime,
    [from, to],
  );
}

async function waitForMark(page, mark) {
  await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, mark, {
    timeout: 3_600_000,
    polling: 100,
  });
}

function versionOf(page) {
  return page.evaluate(() => /Chrome\/\d+/.exec(navigator.userAgent)?.[0].replace('/', ' ') ?? '');
}

/** Processor time of renderers in a second, ms, that is none. */
const QUIET_MS = 40;

/** Resolves when the page has done nothing for some seconds: what it shows after a trace was read is all there. */
async function quiet(profile) {
  for (let seconds = 0; seconds < 3;) {
    const before = spentBy(profile);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    seconds = spentBy(profile) - before > QUIET_MS ? 0 : seconds + 1;
  }
}

/** ms of processor time of the browser's renderers. */
function spentBy(profile) {
  const ticks = renderersOf(profile).map((id) => readProcess(id, 'stat').split(') ').at(-1).split(' '));
  return ticks.reduce((sum, { 11: user, 12: system }) => sum + 10 * (Number(user) + Number(system)), 0);
}

/** The renderers of the browser that uses the profile (Linux). */
function renderersOf(profile) {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const main = processes.find((id) => {
    const command = readProcess(id, 'cmdline');
    return command.includes(`--user-data-dir=${profile}`) && !command.includes('--type=');
  });
  return processes.filter(
    (id) => readProcess(id, 'cmdline').includes('--type=renderer') && descends(id, main),
  );
}

function descends(id, ancestor) {
  for (let at = id; at !== undefined && at !== '0'; at = /PPid:\s+(\d+)/.exec(readProcess(at, 'status'))?.[1])
    if (at === ancestor) return true;
  return false;
}

/** Peak resident bytes of a process. */
function peakOf(id) {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readProcess(id, 'status'))?.[1]) * 1024;
}

/** '' when the process has ended. */
function readProcess(id, file) {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
