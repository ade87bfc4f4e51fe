/** The clocks of two hosts are known when all is read: what was asked before that follows them. */
import { expect } from 'vitest';
import { join } from 'node:path';
import { projectDir } from '../support/shared.ts';
import { holdReads, letRead, readFirstChunks } from './held-reads.ts';
import { dropPaths, test } from './support.ts';
import { findThread, opened, showRange } from './walk.ts';

const HOSTS = ['client', 'server'].map((host) =>
  join(projectDir(), 'public', 'examples', 'two-hosts-http', host),
);
/** Bytes of the client's stream of CPU 0, the server's, and the client's of CPU 1: then the client is read. */
const SIZES = [208896, 274432, 221184];

test('the selected interval stays what it is, and events are listed anew', async ({ visitor }) => {
  const page = await visitor.visit();
  await holdReads(page.context());
  await page.reload();
  await dropPaths(page, HOSTS);
  await readFirstChunks(page, SIZES);
  await findThread(page, 'wk-httpget');
  // In a wait for an answer of the server.
  await showRange(page, '543 ms', '551 ms');
  await page.keyboard.press('ArrowRight');
  const fact = (name: string) =>
    page.locator('.selection .pairs').getByText(name, { exact: true }).locator('+ dd');
  await fact('From').waitFor();
  await page.keyboard.press('p');
  await page.locator('.path-sum').waitFor();
  const title = await page.locator('.path-title').innerText();
  const sum = await page.locator('.path-sum').innerText();
  await page.getByRole('tab', { name: 'Selection' }).click();
  const head = page.locator('.selection-head h3');
  const [from, what] = [await fact('From').innerText(), await head.innerText()];
  await page.getByRole('tab', { name: /^Events/ }).click();
  const event = page.getByRole('grid', { name: 'Events', exact: true }).getByRole('row').nth(1);
  const listed = await event.innerText();

  await letRead(page);
  await opened(page);
  await expect.poll(() => event.innerText()).not.toBe(listed);
  await page.getByRole('tab', { name: 'Selection' }).click();
  await expect.poll(() => fact('From').innerText()).not.toBe(from);
  expect(await head.innerText()).toBe(what);
  await page.getByRole('tab', { name: /^Path/ }).click();
  await expect.poll(() => page.locator('.path-title').innerText()).toBe(title);
  await expect.poll(() => page.locator('.path-sum').innerText()).toBe(sum);
});
