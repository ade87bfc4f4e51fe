/** Anybody measures their own computer, by a link, and copies the table. */
import { expect } from 'vitest';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';

test('a link leads to a table of how fast this computer is', async ({ visitor }) => {
  const page = await visitor.visit({ path: '#bench', permissions: ['clipboard-read', 'clipboard-write'] });
  const part = page.getByRole('region', { name: 'Speed of this computer' });
  await part.getByRole('button', { name: 'Measure' }).click();
  const copy = part.getByRole('button', { name: 'Copy table' });
  await copy.waitFor();
  const processors = await page.evaluate(() => navigator.hardwareConcurrency);
  const last = part.getByRole('row').last().getByRole('cell');
  expect(await last.first().innerText()).toBe(String(processors));
  for (const column of [1, 2, 3, 4]) expect(Number(await last.nth(column).innerText())).toBeGreaterThan(0);
  await part.getByText(/^Frames while the view moves: \d+\.\d ms apart/).waitFor();
  await copy.click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('| Workers |');
  await copy.scrollIntoViewIfNeeded();
  await screenshot(page, 'self-bench');
});
