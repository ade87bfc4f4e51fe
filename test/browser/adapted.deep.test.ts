/** What people set in their system or browser: forced colours, reduced motion, 200 % zoom; and fingers for a pointer. */
import type { CDPSession, Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { parseTime } from '../../src/app/format/time-entry.ts';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, opened, openExample } from './walk.ts';

/** The line around an element, by which it is told from its neighbours without colours. */
function outlineOf(element: Locator): Promise<string> {
  return element.evaluate((each) => getComputedStyle(each).outlineStyle);
}

test('in forced colours, lines show what is chosen and what has the keyboard', async ({ visitor }) => {
  const page = await visitor.visit({ forcedColors: 'active' });
  await openExample(page, 'imbalance-4t');
  const tab = (name: string) => page.getByRole('tab', { name });
  expect(await outlineOf(tab('Statistics'))).toBe('solid');
  expect(await outlineOf(tab('Path'))).toBe('none');
  const row = page.getByRole('grid', { name: 'CPU time by thread' }).getByRole('row').nth(1);
  await row.click();
  await expect.poll(() => outlineOf(page.locator('.gutter-row.selected'))).toBe('solid');
  await screenshot(page, 'forced-colours');
  await tab('Statistics').focus();
  await page.keyboard.press('ArrowLeft');
  expect(await outlineOf(tab('Path'))).toBe('double');
  await page.keyboard.press('/');
  await page.locator('.search input:focus').waitFor();
  expect(await outlineOf(page.locator('.search .field, .search.field').first())).toBe('solid');
});

test('with reduced motion, nothing fades and the view jumps', async ({ visitor }) => {
  const page = await visitor.visit({ reducedMotion: 'reduce' });
  await openExample(page, 'imbalance-4t');
  await page.evaluate(() => {
    const shown: string[] = [];
    const button = document.querySelector('.range-button');
    if (button === null) throw new Error('no range');
    const note = () => shown.push(button.textContent ?? '');
    new MutationObserver(note).observe(button, { subtree: true, characterData: true, childList: true });
    Object.assign(window, { shownRanges: shown });
  });
  await findThread(page, 'imb-80');
  await page.keyboard.press('f');
  const ranges = () => page.evaluate(() => (window as unknown as { shownRanges: string[] }).shownRanges);
  await expect.poll(async () => (await ranges()).length).toBeGreaterThan(0);
  // As long as a jump takes otherwise, and more.
  await page.waitForTimeout(400);
  expect(new Set(await ranges()).size).toBe(1);
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return /[1-9]/.test(transitionDuration + animationDuration);
      })
      .map(({ className }) => String(className)),
  );
  expect(moving).toEqual([]);
});

/** Parts of the page whose content lies over what follows, by more than half a line. Runs in the page. */
function overflowing(): string[] {
  return [...document.querySelectorAll<HTMLElement>('main section, main [role=tabpanel] > *')]
    .filter((part) => {
      const { overflowY } = getComputedStyle(part);
      return overflowY === 'visible' && part.scrollHeight > part.clientHeight + 8;
    })
    .map(({ className, ariaLabel }) => `${className} ${ariaLabel}`);
}

/** Pictures that are announced without a word. Runs in the page. */
function unnamedPictures(): string[] {
  return [...document.querySelectorAll('canvas, svg')]
    .filter(
      (picture) =>
        picture.closest('[aria-hidden=true]') === null &&
        picture.closest('[role=img]')?.ariaLabel?.trim() === undefined,
    )
    .map(({ outerHTML }) => outerHTML.slice(0, 200));
}

test('at 200 % zoom every tab is reached and fits; pictures have words', async ({ visitor }) => {
  const page = await visitor.visit({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 });
  await page.getByText('Who holds up 18 of 300 requests?').click();
  await opened(page);
  await page.getByRole('tab', { name: 'Compare 300' }).waitFor();
  await page.getByRole('list', { name: 'Where', exact: true }).waitFor();
  for (const tab of await page.getByRole('tablist', { name: 'Details' }).getByRole('tab').all()) {
    await tab.click();
    const title = (await tab.evaluate((element) => element.firstChild?.textContent)) ?? '';
    await page.locator('.drawer-panel > *').first().waitFor();
    await screenshot(page, `zoomed-${title.toLowerCase().replace(' ', '-')}`);
    expect.soft(await page.evaluate(overflowing), title).toEqual([]);
    expect.soft(await page.evaluate(unnamedPictures), title).toEqual([]);
  }
  await page.getByRole('button', { name: 'Close the drawer' }).click();
  await page.locator('.drawer-panel').waitFor({ state: 'detached' });
  await screenshot(page, 'zoomed-rows');
});

/** ns from begin to end of what is in view, as the button of the range says it. */
async function rangeOf(page: Page): Promise<readonly [from: number, span: number]> {
  const [from, to] = ((await page.locator('.range-button').textContent()) ?? '').split(' to ').map(parseTime);
  if (from === undefined || to === undefined) throw new Error('no range');
  return [from, to - from];
}

interface Finger {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

/** Puts down or moves the fingers named, or lifts them. */
async function touch(
  session: CDPSession,
  type: 'touchStart' | 'touchMove' | 'touchEnd',
  ...fingers: Finger[]
) {
  await session.send('Input.dispatchTouchEvent', { type, touchPoints: fingers });
}

test('fingers zoom, go on panning where one is lifted, and select', async ({ visitor }) => {
  const page = await visitor.visit({ hasTouch: true });
  await openExample(page, 'imbalance-4t');
  const [, whole] = await rangeOf(page);
  const zoom = async () => whole / (await rangeOf(page))[1];
  const session = await page.context().newCDPSession(page);
  const y = 300;
  const first = (x: number): Finger => ({ id: 0, x, y });
  const second = (x: number): Finger => ({ id: 1, x, y });
  await touch(session, 'touchStart', first(700));
  await touch(session, 'touchStart', first(700), second(800));
  for (let x = 840; x <= 1100; x += 65) await touch(session, 'touchMove', first(700), second(x));
  await expect.poll(zoom).toBeCloseTo(4, 1);
  await touch(session, 'touchEnd', second(1100));
  const [before] = await rangeOf(page);
  for (const x of [680, 640, 600]) await touch(session, 'touchMove', first(x));
  await expect.poll(async () => (await rangeOf(page))[0]).toBeGreaterThan(before);
  expect(await zoom()).toBeCloseTo(4, 1);
  await touch(session, 'touchEnd', first(600));
  expect(await page.locator('.gutter-row.selected').count()).toBe(0);
  await page.touchscreen.tap(700, y);
  await page.locator('.gutter-row.selected').waitFor();
});
