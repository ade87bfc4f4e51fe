/** What assistive technology and the keyboard need beside what is seen. */
import { expect } from 'vitest';
import { test } from './support.ts';
import { openExample, visitExample, showRange } from './walk.ts';

test('headings leave out no level, and what stands in rows stands in cells', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('grid', { name: 'CPU time by thread' }).getByText('wk-writer').first().waitFor();
  const levels = await page
    .getByRole('heading')
    .evaluateAll((headings) => headings.map(({ tagName }) => Number(tagName.slice(1))));
  expect(levels[0]).toBe(1);
  levels.forEach((level, i) => expect(level).toBeLessThanOrEqual((levels[i - 1] ?? 0) + 1));
  const rows = page.getByRole('treegrid').getByRole('row');
  expect(await rows.getByRole('button').count()).toBeGreaterThan(0);
  const outside = await rows.evaluateAll((all) =>
    all.flatMap((row) => [...row.children]).filter((child) => child.getAttribute('role') !== 'gridcell'),
  );
  expect(outside).toEqual([]);
});

test('the list of keys scrolls by the keyboard', async ({ visitor }) => {
  const page = await visitor.visit({ viewport: { width: 1024, height: 300 } });
  await page.keyboard.press('?');
  const list = page.getByRole('region', { name: 'Keys and pointer' });
  await list.waitFor();
  await page.keyboard.press('PageDown');
  await expect.poll(() => list.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
});

test('deleting a recent trace leaves the focus on the next one, then on the heading', async ({ visitor }) => {
  const page = await visitor.visit();
  for (const example of ['disk-io', 'imbalance-4t']) {
    await openExample(page, example);
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await page.getByRole('button', { name: `Delete ${example} from this browser` }).waitFor();
  }
  const focused = () =>
    page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.tagName);
  await page.getByRole('button', { name: 'Delete imbalance-4t from this browser' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Delete disk-io from this browser');
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('H2');
});

test('the row and the interval that keys come to are told', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await showRange(page, '300 ms', '320 ms');
  const grid = page.getByRole('treegrid', { name: 'Rows over time' });
  await grid.focus();
  const row = () =>
    grid.evaluate((element) => {
      const id = element.getAttribute('aria-activedescendant') ?? '';
      return document.getElementById(id)?.querySelector('.gutter-name')?.textContent;
    });
  for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowDown');
  await expect.poll(row).toBe('wk-writer');
  await page.keyboard.press('ArrowRight');
  const said = page.locator('.timeline > .said');
  await expect.poll(() => said.innerText()).toMatch(/^wk-writer 222: .+, .+s/);
  const first = await said.innerText();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => said.innerText()).not.toBe(first);
  await page.keyboard.press('ArrowDown');
  await expect.poll(row).toBe('sh');
  await expect.poll(() => said.innerText()).toMatch(/^sh 221: /);
});
