/** Traces that were written to do harm, opened on the page: it answers, says what is wrong, and obeys no name. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';
import { dropPaths, test } from './support.ts';
import { opened } from './walk.ts';

const OWN = join(projectDir(), 'test/fixtures/attack');
const SHARED = sharedPath('cases/attack');

/** ms that the page may be busy in one go, and that a question may take: far more than on a machine with nothing else to do. */
const MOST_BUSY_MS = 10_000;
const MOST_ANSWER_MS = 30_000;

/** What turns the direction of text, or is obeyed where it is pasted. */
const OBEYED = /[\u0007\u001b\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Watches how long the page is busy in one go, from now on. */
async function watchBusy(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const watch = { longest: 0 };
    let last = performance.now();
    setInterval(() => {
      const now = performance.now();
      watch.longest = Math.max(watch.longest, now - last);
      last = now;
    }, 50);
    Object.assign(window, { watch });
  });
  return () => page.evaluate(() => (window as unknown as { watch: { longest: number } }).watch.longest);
}

/** Opens a folder and asks for every kind of answer that the page has of a whole trace. */
async function openAndAsk(page: Page, path: string): Promise<void> {
  const longest = await watchBusy(page);
  await dropPaths(page, [path]);
  await opened(page);
  const asked = Date.now();
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByText(/^whole trace, /).waitFor();
  await page.getByRole('grid', { name: 'CPU time by thread' }).waitFor();
  await page.getByRole('tab', { name: /^Info/ }).click();
  await page.locator('.gutter').getByText('CPU 0', { exact: true }).first().waitFor();
  // In and out again, by keys.
  await page.locator('.timeline-rows').click({ position: { x: 300, y: 60 } });
  for (const key of ['w', 'w', 's', 's', 's', 'd', 'a', '0']) await page.keyboard.press(key);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect(Date.now() - asked).toBeLessThan(MOST_ANSWER_MS);
  expect(await longest()).toBeLessThan(MOST_BUSY_MS);
}

/** The card of a fault in Info. */
async function expectFault(page: Page, says: string, ...where: readonly string[]): Promise<void> {
  await page.getByRole('tab', { name: /^Info \d+ problems?/ }).click();
  const card = page.getByRole('alert').filter({ hasText: says }).first();
  await card.waitFor();
  for (const part of where) expect(await card.innerText()).toContain(part);
}

test.for(['f-10-62', 'f-1000-62'])('a time too far ends its packet: %s', async (name, { visitor }) => {
  const page = await visitor.visit();
  await openAndAsk(page, join(OWN, name));
  await expectFault(page, 'The trace exceeds a limit', 'k_0, packet 1, byte 120', 'a time at most 584 years');
});

test('a packet of 2^63 bits is where its file ends', async ({ visitor }) => {
  const page = await visitor.visit();
  await openAndAsk(page, join(OWN, 'r-pkt-2p63'));
  await expectFault(page, 'The file ends within a packet', 'k_0, packet 2, byte 256');
});

describe.skipIf(sharedDir() === undefined)('larger ones', () => {
  test('5,000 times that go back are a trace without length', async ({ visitor }) => {
    const page = await visitor.visit();
    await openAndAsk(page, join(SHARED, 'r-ts-back'));
    await expectFault(page, 'The time goes back within a stream', '4999 events in 1 packet');
  });

  test('names that are HTML, or turn the direction of text, are text', async ({ visitor }) => {
    const page = await visitor.visit();
    await openAndAsk(page, join(SHARED, 'hostile'));
    for (const tab of ['Events', 'Statistics']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.waitForTimeout(500);
      const { text, attributes, images, ran } = await page.evaluate(() => ({
        text: document.body.textContent ?? '',
        attributes: [...document.querySelectorAll('body *')].flatMap(({ attributes }) =>
          [...attributes].map(({ value }) => value),
        ),
        images: document.querySelectorAll('#app img, #app script, #app iframe').length,
        ran: '__pwn' in window,
      }));
      expect(text).toContain('<img src=x onerror');
      expect(text + attributes.join('\n')).not.toMatch(OBEYED);
      expect([images, ran]).toEqual([0, false]);
    }
    expect(await page.title()).not.toMatch(OBEYED);
  });
});
