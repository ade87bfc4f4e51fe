/** Each lesson is walked to its end by doing what it asks, after a wrong answer to each question. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import type { Check } from '../../src/app/lessons/check.ts';
import { asks, parseLesson, type Lesson, type Step } from '../../src/app/lessons/lesson.ts';
import { projectDir } from '../support/shared.ts';
import { test } from './support.ts';
import { findThread } from './walk.ts';

const FOLDER = join(projectDir(), 'public/lessons');

/** What a reader types, as the page shows it: by lesson and title of the step. */
const TYPED: Readonly<Record<string, string>> = {
  '01-timeline: How long was it?': '74.928 ms',
  '01-timeline: Sums over the whole trace': '703.863',
  '02-scheduling: For how long?': '28.044 ms',
  '03-wake-ups: Wake-ups per round': '10',
  '04-critical-path: Time away': '703.601 ms',
  '05-interrupts: How long?': '3.739 ms',
  '06-disk: How many times synced?': '20',
  '07-locks: The most contended lock': '374.583',
  '07-locks: How often?': '36',
  '08-deadlock: A cycle of waits': '265.650',
  '09-spinning: How much of it?': '149.060',
  '10-fairness: One sleeps, all wait': '5',
  '10-fairness: Overtaken': '8',
  '10-fairness: Who pays?': '1',
  '12-two-hosts: Two clocks': '310',
  '12-two-hosts: Before and after': '155',
  '13-tail-latency: Three hundred requests': '26',
  '13-tail-latency: The slowest': '18.657',
  '14-cost-of-tracing: Count one kind': '407',
  '14-cost-of-tracing: Lost events': '41 754',
  '15-own-machine: For how long?': '2 063.825',
};

/** What is done for a step that asks for a view of the page. */
const DONE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '04-critical-path: Ask for the path': (page) => askForPath(page, 'imb-10'),
  '04-critical-path: Another rule': (page) =>
    page.locator('.drawer').getByText('Exact', { exact: true }).click(),
  '11-services: Follow one request': (page) => page.keyboard.press('p'),
  '12-two-hosts: Network or server?': (page) => askForPath(page, 'wk-httpget'),
  '15-own-machine: Why did it wait?': (page) => askForPath(page, 'imb-10'),
  '14-cost-of-tracing: Unknown states': async (page) => {
    await findThread(page, 'CPU 2');
    await stepTo(page, ['unknown']);
  },
};

async function askForPath(page: Page, thread: string): Promise<void> {
  await findThread(page, thread);
  await page.keyboard.press('p');
}

/** What has to be in sight for a step, beside a number that is typed: rows of the timeline, and texts of the drawer. */
const IN_SIGHT: Readonly<
  Record<string, { readonly rows?: readonly string[]; readonly texts?: readonly string[] }>
> = {
  '01-timeline: Rows and time': { rows: ['wk-imbalance', 'imb-80'] },
  '01-timeline: Three states of a thread': { rows: ['imb-10'] },
  '01-timeline: CPUs': { rows: ['CPU 0', 'CPU 1', 'CPU 2', 'CPU 3'] },
  '01-timeline: Which thread never waits?': {
    texts: ['Blocked', 'Migrations', '299.353', '541.096', '703.863'],
  },
  '02-scheduling: Find the preempted thread': { rows: ['imb-20'] },
  '02-scheduling: Who had its CPU?': { rows: ['CPU 1'], texts: ['Last CPU'] },
  '02-scheduling: Scheduling latency': { texts: ['Preempted', '28.106 ms'] },
  '03-wake-ups: Who ended the wait?': { texts: ['Ended'] },
  '03-wake-ups: In which system call?': { texts: ['System call'] },
  '03-wake-ups: Go to the waker': { texts: ['Ended'] },
  '03-wake-ups: Wake-ups per round': { texts: ['Woke'] },
  '04-critical-path: Ask for the path': { rows: ['imb-10'] },
  '04-critical-path: The thread on the path': { texts: ['Time, ms ↓', '70.0 %'] },
  '04-critical-path: Another rule': { texts: ['Exact', '982.286 ms'] },
  '05-interrupts: A thread is interrupted': { rows: ['imb-80'] },
  '05-interrupts: The costly softirq': { texts: ['softirq RCU', '36.188 ms'] },
  '05-interrupts: Raised, then run': { texts: ['Raise to entry'] },
  '06-disk: Two programs, one disk': { rows: ['wk-reader'] },
  '06-disk: Who spent longest in I/O calls?': { texts: ['wk-writer', '384.476 ms'] },
  '07-locks: Who waited most?': { texts: ['Sum', '82.8', '71.2', '132.3', '128.4'] },
  '07-locks: Who held the others up?': { texts: ['121.1', '98.0', '109.8', '85.8'] },
  '07-locks: Held, but not contended': { texts: ['mutex 0x…f1e0', 'Held, ms', '59.928'] },
  '08-deadlock: Two threads stop': { rows: ['dead-ab'] },
  '08-deadlock: Who holds what?': { rows: ['dead-ab', 'dead-ba'] },
  '08-deadlock: What ended it?': { texts: ['Ended'] },
  '09-spinning: It waits, and it runs': { rows: ['spsem-0'] },
  '09-spinning: When the holder cannot go on': { rows: ['spsem-2'] },
  '09-spinning: To block instead': { rows: ['spsem-1'] },
  '10-fairness: The queue outlives its cause': { rows: ['lk-0', 'lk-5'] },
  '10-fairness: Readers and writers': { rows: ['lk-0', 'lk-4', 'lk-5'] },
  '11-services: The client waits': { rows: ['wk-client'] },
  '11-services: Which service?': { texts: ['Time, ms ↓', 'wk-srv-b 223'] },
  '11-services: Another request': { texts: ['12.132'] },
  '12-two-hosts: Before and after': { texts: ['Inversions'] },
  '12-two-hosts: Network or server?': { rows: ['wk-httpget'] },
  '12-two-hosts: Where the time went': { rows: ['wk-httpd'], texts: ['39.058'] },
  '13-tail-latency: What explains them?': { texts: ['6.372'] },
  '13-tail-latency: From a number to the timeline': { texts: ['18.657'] },
  '14-cost-of-tracing: A trace is a list of events': { texts: ['syscall_entry_getppid'] },
  '14-cost-of-tracing: What a count means then': { texts: ['682'] },
  '14-cost-of-tracing: Unknown states': { rows: ['CPU 2'] },
  '15-own-machine: Who keeps the others waiting?': { rows: ['imb-80'] },
  '15-own-machine: Why did it wait?': { rows: ['imb-10'] },
  '15-own-machine: The answer': { texts: ['72.0 %'] },
  '15-own-machine: What is not known': { texts: ['What it lacks', 'raw_syscalls:sys_enter'] },
};

/** Sizes of windows in which all that lessons ask for is in sight. */
const SIZES = [
  [1440, 900],
  [1280, 720],
  [1024, 768],
] as const;

const LESSONS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .sort()
  .map((file) => lessonOf(file));

function lessonOf(file: string): Lesson {
  const lesson = parseLesson(readFileSync(join(FOLDER, file), 'utf8'), file.replace(/\.md$/, ''));
  if (!lesson.ok) throw new Error(JSON.stringify(lesson.fault));
  return lesson.value;
}

const panel = (page: Page) => page.locator('aside.lesson');
const status = (page: Page) => panel(page).getByRole('status');
const heading = (page: Page, title: string) => panel(page).getByRole('heading', { name: title, level: 3 });

/** A wrong answer; where nothing is chosen or typed, nothing is done. */
async function answerWrongly(page: Page, { options, checks }: Step): Promise<void> {
  if (options.length > 0) await radio(page, ({ isRight }) => !isRight, options).check();
  if (checks.some(({ kind }) => kind === 'number')) {
    await panel(page).getByRole('textbox').fill('1 ns');
  }
  await panel(page).getByRole('button', { name: 'Check' }).click();
  await status(page).getByText('Not yet.').waitFor();
}

function radio(
  page: Page,
  is: (option: Step['options'][number]) => boolean,
  options: Step['options'],
): Locator {
  return panel(page).getByRole('radio').nth(options.findIndex(is));
}

async function answer(page: Page, lesson: Lesson, step: Step): Promise<void> {
  const key = `${lesson.name}: ${step.title}`;
  if (step.options.length > 0) await radio(page, ({ isRight }) => isRight, step.options).check();
  await blur(page);
  if (key in DONE) await DONE[key](page);
  else for (const check of step.checks) await doFor(page, check, step.checks);
  if (step.checks.some(({ kind }) => kind === 'number')) await type(page, key);
  if (asks(step) && !isDoneBySight(step)) await panel(page).getByRole('button', { name: 'Check' }).click();
}

function isDoneBySight({ options, checks }: Step): boolean {
  return options.length === 0 && checks.every(({ kind }) => kind !== 'number');
}

/** Types a number that the page shows; in columns the unit stands in the head. */
async function type(page: Page, key: string): Promise<void> {
  const text = TYPED[key] ?? `nothing to type for ${key}`;
  const shown = page.locator('.drawer').getByText(text.replaceAll(' ', '\u2009'));
  await shown.filter({ visible: true }).first().waitFor();
  await panel(page)
    .getByRole('textbox')
    .fill(/^[\d ]+\.\d+$/.test(text) ? `${text} ms` : text);
}

async function doFor(page: Page, check: Check, all: readonly Check[]): Promise<void> {
  if (check.kind === 'thread') await findThread(page, check.thread);
  if (check.kind === 'state') await stepTo(page, check.words);
  if (check.kind === 'zoom') await zoom(page);
  if (check.kind === 'page') {
    const tab = check.parts.get('tab');
    if (tab === null || [...check.parts].length > 1) throw new Error(`who does ${JSON.stringify(all)}?`);
    await page.locator(`#tab-${tab}`).click();
  }
}

/** Presses a key and waits until a part of the page says something else. */
async function pressed(page: Page, key: string, part: Locator): Promise<void> {
  const before = await part.innerText();
  await page.keyboard.press(key);
  await expect.poll(() => part.innerText()).not.toBe(before);
}

/** From interval to interval, until one has such a state. */
async function stepTo(page: Page, words: readonly string[]): Promise<void> {
  for (let i = 0; i < 60; i++) {
    await pressed(page, 'ArrowRight', page.locator('.drawer-panel'));
    const text = (await page.locator('.drawer-panel').innerText()).toLowerCase();
    if (words.every((word) => text.slice(0, 400).includes(word)) && (await isRight(page))) return;
  }
  throw new Error(`no interval is ${words.join(' ')}`);
}

async function zoom(page: Page): Promise<void> {
  for (let i = 0; i < 40 && !(await isRight(page)); i++) {
    await pressed(page, 'w', page.locator('.range-button'));
  }
}

async function isRight(page: Page): Promise<boolean> {
  return (await status(page).getByText('Right.').count()) > 0;
}

/** Keys are the page's then. */
async function blur(page: Page): Promise<void> {
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

/** Fails where each of these elements is cut, covered, or out of the window. */
async function expectInSight(elements: Locator, name: string): Promise<void> {
  const lack = () =>
    elements.evaluateAll((all) => {
      const lackOf = (shown: Element) => {
        const box = shown.getBoundingClientRect();
        const isWithin = (outer: { left: number; right: number; top: number; bottom: number }) =>
          box.left >= outer.left - 1 &&
          box.right <= outer.right + 1 &&
          box.top >= outer.top - 1 &&
          box.bottom <= outer.bottom + 1;
        if (!isWithin({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }))
          return 'out of the window';
        for (let outer = shown.parentElement; outer !== null; outer = outer.parentElement) {
          const { overflowX, overflowY } = getComputedStyle(outer);
          if (overflowX === 'visible' && overflowY === 'visible') continue;
          if (!isWithin(outer.getBoundingClientRect())) return `cut by ${outer.className}`;
        }
        const isCut =
          shown.scrollWidth > shown.clientWidth && getComputedStyle(shown).overflowX !== 'visible';
        if (isCut) return 'cut';
        const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
        return shown.contains(top) || top?.contains(shown) === true ? '' : `covered by ${top?.className}`;
      };
      const lacks = all.map(lackOf);
      return lacks.includes('') ? '' : (lacks[0] ?? 'not there');
    });
  await expect.poll(lack, { message: name }).toBe('');
}

/** All that a step asks for. */
async function expectStepInSight(page: Page, key: string): Promise<void> {
  const { rows = [], texts = [] } = IN_SIGHT[key] ?? {};
  for (const row of rows) {
    const label = page.locator('.gutter').getByText(row, { exact: true });
    await expectInSight(label, `${key}: row ${row}`);
  }
  const typed = key in TYPED ? [TYPED[key]] : [];
  for (const text of [...typed, ...texts]) {
    const shown = page.locator('.drawer').getByText(text.replaceAll(' ', '\u2009'));
    const either = shown.or(page.locator('.drawer').getByText(text)).filter({ visible: true });
    await expectInSight(either, `${key}: ${text}`);
  }
  for (const name of ['Check', 'Back']) {
    const button = panel(page).getByRole('button', { name, exact: true });
    if ((await button.count()) > 0) await expectInSight(button, `${key}: ${name}`);
  }
}

async function walk(page: Page, lesson: Lesson): Promise<void> {
  for (const [at, step] of lesson.steps.entries()) {
    await heading(page, step.title).waitFor();
    await panel(page)
      .getByText(`${at + 1} of ${lesson.length}`)
      .waitFor();
    if (asks(step)) {
      await panel(page).getByRole('button', { name: 'Skip' }).waitFor();
      await answerWrongly(page, step);
      await answer(page, lesson, step);
      await status(page).getByText('Right.').waitFor();
    }
    const isLast = at === lesson.length - 1;
    await panel(page)
      .getByRole('button', { name: isLast ? 'Finish' : 'Next', exact: true })
      .click();
  }
  await heading(page, 'The lesson is done').waitFor();
}

test.for(LESSONS)('a lesson is walked to its end: $name', async (lesson, { visitor }) => {
  const page = await visitor.visit();
  await page.getByRole('region', { name: 'Lessons' }).getByRole('link', { name: lesson.title }).click();
  await walk(page, lesson);
  await panel(page).getByRole('button', { name: 'Close', exact: true }).click();
  await panel(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Wakepath' }).click();
  await page.getByRole('link', { name: `${lesson.title} done` }).waitFor();
});

describe('all that a lesson asks for is in sight', () => {
  const cases = SIZES.flatMap((size) =>
    LESSONS.map((lesson) => [`${lesson.name}, ${size[0]} pixels`, size, lesson] as const),
  );
  test.for(cases)('%s', async ([, [width, height], lesson], { visitor }) => {
    const page = await visitor.visit({ path: `#lesson=${lesson.name}`, viewport: { width, height } });
    for (const step of lesson.steps) {
      await heading(page, step.title).waitFor();
      await expectStepInSight(page, `${lesson.name}: ${step.title}`);
      await panel(page).locator('.lesson-buttons button').last().click();
    }
  });

  test('and each of these steps is one of a lesson', () => {
    const keys = LESSONS.flatMap(({ name, steps }) => steps.map(({ title }) => `${name}: ${title}`));
    for (const key of [...Object.keys(TYPED), ...Object.keys(IN_SIGHT), ...Object.keys(DONE)])
      expect(keys).toContain(key);
  });
});

describe('a lesson', () => {
  const [first] = LESSONS;

  test('goes on in the middle after the page is loaded again', async ({ visitor }) => {
    const page = await visitor.visit({ path: `#lesson=${first.name}` });
    await heading(page, first.steps[0].title).waitFor();
    await panel(page).getByRole('button', { name: 'Skip' }).click();
    await panel(page).getByRole('button', { name: 'Skip' }).click();
    await heading(page, first.steps[2].title).waitFor();
    await page.waitForURL(/at=176127246.*lesson=01-timeline/);
    await page.reload();
    await heading(page, first.steps[2].title).waitFor();
    await page.locator('.drawer').getByText('74.928').first().waitFor();
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await page.getByRole('link', { name: `${first.title} step 3 of 7` }).waitFor();
    expect(await page.evaluate(() => window.location.hash)).toBe('');
  });

  test('shows the view of a step, and nothing of what was done before', async ({ visitor }) => {
    const page = await visitor.visit({ path: `#lesson=${first.name}` });
    await heading(page, first.steps[0].title).waitFor();
    const isSelected = () => page.evaluate(() => /[#&](row|range)=/.test(window.location.hash));
    await panel(page).getByRole('button', { name: 'Skip' }).click();
    await heading(page, first.steps[1].title).waitFor();

    // What the step before asks for, and what hides it: rows filtered, one state alone.
    await findThread(page, 'imb-80');
    await page.waitForURL(/row=thread/);
    const filter = page.getByRole('textbox', { name: 'Filter rows' });
    await filter.fill('imb-10');
    await page.getByRole('button', { name: 'Runnable' }).click();
    await page.locator('#tab-info').click();
    await panel(page).getByRole('button', { name: 'Back' }).click();
    await heading(page, first.steps[0].title).waitFor();
    await expect.poll(isSelected).toBe(false);
    expect(await filter.inputValue()).toBe('');
    expect(await page.locator('[aria-pressed=true]', { hasText: 'Runnable' }).count()).toBe(0);
    await page.locator('.gutter').getByText('imb-80', { exact: true }).waitFor();
    expect(await isRight(page)).toBe(false);
    await findThread(page, 'imb-80');
    await status(page).getByText('Right.').waitFor();
  });

  test('whose example cannot be had says why', async ({ visitor }) => {
    visitor.expectProblem('ERR_FAILED');
    visitor.expectProblem('ERR_INTERNET_DISCONNECTED');
    const page = await visitor.visit();
    await page.route('**/examples/spinlock-sem/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Spinning' }).click();
    const card = page.getByRole('alert').or(page.locator('.start-notices'));
    await card.getByText('The server of this page did not send it.').first().waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Spinning' }).click();
    await page.evaluate(() => (window.location.hash = ''));
    await page.getByRole('link', { name: 'Spinning' }).click();
    await card.getByText('This computer is offline').first().waitFor();
  });

  test('on a trace in an archive has its events, also when it is opened again', async ({ visitor }) => {
    const page = await visitor.visit({ path: '#lesson=08-deadlock' });
    const events = page.getByRole('grid', { name: 'Events' });
    const isThere = async () => {
      await page.getByRole('tab', { name: 'Events' }).click();
      await events.getByText('power_cpu_idle', { exact: true }).first().waitFor();
    };
    await panel(page).getByText('1 of 6').waitFor();
    await isThere();
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await page.locator('.recent-open', { hasText: 'deadlock-ust' }).click();
    await isThere();
  });
});
