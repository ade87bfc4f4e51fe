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
  '11-services: How long?': '172.130 ms',
  '12-two-hosts: Two clocks': '310',
  '12-two-hosts: Before and after': '155',
  '13-tail-latency: Three hundred requests': '26',
  '13-tail-latency: The slowest': '18.657',
  '14-cost-of-tracing: Count one kind': '809',
};

/** What is done for a step that asks for a view of the page. */
const DONE: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '04-critical-path: Ask for the path': async (page) => {
    await findThread(page, 'imb-10');
    await page.keyboard.press('p');
  },
};

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
    .fill(/^\d+\.\d+$/.test(text) ? `${text} ms` : text);
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

describe('a lesson is walked to its end', () => {
  test.for(LESSONS.map((lesson) => [lesson.name, lesson] as const))('%s', async ([, lesson], { visitor }) => {
    const page = await visitor.visit();
    await page.getByRole('region', { name: 'Lessons' }).getByRole('link', { name: lesson.title }).click();
    await walk(page, lesson);
    await panel(page).getByRole('button', { name: 'Close', exact: true }).click();
    await panel(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await page.getByRole('link', { name: `${lesson.title} done` }).waitFor();
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
    await page.waitForURL(/tab=summary/);
    expect(await isSelected()).toBe(false);
    expect(await filter.inputValue()).toBe('');
    expect(await page.locator('[aria-pressed=true]', { hasText: 'Runnable' }).count()).toBe(0);
    await page.locator('.gutter').getByText('imb-80', { exact: true }).waitFor();
    expect(await isRight(page)).toBe(false);
    await findThread(page, 'imb-80');
    await status(page).getByText('Right.').waitFor();
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
