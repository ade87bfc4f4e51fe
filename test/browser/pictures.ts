/**
 * Pictures of screens, for people to look at, in test-results/screens. What does not fit the window fails the test, in
 * the fonts of this machine and in wider ones.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { projectDir } from '../support/shared.ts';

/** The four ways in which every screen is looked at. */
export const LOOKS = [
  { name: '1440-light', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { name: '1440-dark', viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  { name: '1024-light', viewport: { width: 1024, height: 700 }, colorScheme: 'light' },
  { name: '1024-dark', viewport: { width: 1024, height: 700 }, colorScheme: 'dark' },
] as const;

type LookName = (typeof LOOKS)[number]['name'];

/** A picture of the page as it is now. */
export async function screenshot(page: Page, name: string): Promise<void> {
  await keep(page, name, await shot(page));
}

/** Pictures `NAME-LOOK` of a screen that has come to rest; by default in every look. */
export async function inLooks(
  page: Page,
  name: string,
  looks: readonly LookName[] = LOOKS.map((look) => look.name),
): Promise<void> {
  // Nothing is pointed at.
  await page.mouse.move(0, 0);
  const measured = new Set<number>();
  for (const look of LOOKS.filter((each) => looks.includes(each.name))) {
    await page.setViewportSize(look.viewport);
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.locator(`html[data-theme=${look.colorScheme}]`).waitFor();
    await keep(page, `${name}-${look.name}`, await atRest(page));
    if (!measured.has(look.viewport.width)) await expectRoom(page, `${name}-${look.name}`);
    measured.add(look.viewport.width);
  }
}

/** Fonts differ from machine to machine: every text has room in one in which digits are 15 % wider. */
async function expectRoom(page: Page, name: string): Promise<void> {
  const wider = await page.evaluateHandle(async () => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('* { letter-spacing: 0.15ch !important }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    // What measures its own size follows within two frames.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    return sheet;
  });
  await expectFit(page, `${name}, in a wide font`);
  await wider.evaluate((sheet) => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((other) => other !== sheet);
  });
}

/** Between two pictures, which tell whether the page is still drawing. */
const REST_MS = 200;

/** The first picture that was there before: not only the last one, as Chromium may round colours in turns. */
async function atRest(page: Page): Promise<Buffer> {
  const seen: Buffer[] = [];
  await expect
    .poll(async () => {
      if (seen.length > 0) await page.waitForTimeout(REST_MS);
      seen.unshift(await shot(page));
      return seen.slice(1).some((before) => before.equals(seen[0]));
    })
    .toBe(true);
  return seen[0];
}

function shot(page: Page): Promise<Buffer> {
  return page.screenshot({ animations: 'disabled' });
}

async function keep(page: Page, name: string, picture: Buffer): Promise<void> {
  const folder = join(projectDir(), 'test-results', 'screens');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), picture);
  await expectFit(page, name);
}

async function expectFit(page: Page, name: string): Promise<void> {
  expect
    .soft(await page.evaluate(textsThatDoNotFit), `texts on the screen ${name} that do not fit`)
    .toEqual([]);
}

/** Texts that are cut off at a side, without an ellipsis or a way to scroll there. Runs in the page. */
function textsThatDoNotFit(): string[] {
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const parent = text.parentElement;
    if (parent === null || text.textContent?.trim() === '' || !parent.checkVisibility()) continue;
    range.selectNodeContents(text);
    if (isWithin(parent, range.getBoundingClientRect())) continue;
    found.push(`${text.textContent?.trim()} (${parent.tagName.toLowerCase()}.${parent.className})`);
  }
  return found;

  function isWithin(from: Element, { left, right, top, bottom }: DOMRect): boolean {
    for (let box: Element | null = from; box !== null; box = box.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(box);
      if (overflowX === 'visible') continue;
      if (textOverflow === 'ellipsis' || overflowX === 'auto' || overflowX === 'scroll') return true;
      const edge = box.getBoundingClientRect();
      // One pixel: only read aloud.
      if (edge.width <= 1) return true;
      // On a line that is not shown.
      if (top >= edge.bottom - 1 || bottom <= edge.top + 1) return true;
      if (left < edge.left - 1 || right > edge.right + 1) return false;
    }
    return left >= -1 && right <= document.documentElement.clientWidth + 1;
  }
}
