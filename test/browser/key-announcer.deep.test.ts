/** What the keyboard comes to is told to assistive technology: the row it is on, and the interval that is selected. */
import { expect } from 'vitest';
import { test } from './support.ts';
import { showRange, visitExample } from './walk.ts';

test('tells the row and the interval that keys come to', async ({ visitor }) => {
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
