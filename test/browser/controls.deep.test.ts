import { describe, expect } from 'vitest';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';

test('theme follows the system and is switched by button and key', async ({ visitor }) => {
  const page = await visitor.visit({ colorScheme: 'light' });
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  expect(await theme()).toBe('light');
  await page.getByRole('button', { name: 'Dark theme' }).click();
  expect(await theme()).toBe('dark');
  await page.reload();
  await page.getByRole('button', { name: 'Light theme' }).waitFor();
  expect(await theme()).toBe('dark');
  await page.keyboard.press('t');
  expect(await theme()).toBe('light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Light theme' }).waitFor();
  expect(await theme()).toBe('dark');
});

describe('palette and help', () => {
  test('open by keys, find and run a command, and give the focus back', async ({ visitor }) => {
    const page = await visitor.visit({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Choose a folder' }).focus();
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await palette.waitFor();
    await page.keyboard.type('light dark');
    expect(await palette.getByRole('option').count()).toBe(1);
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  });

  test('name every key', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Help' });
    await help.getByText('Open a folder', { exact: true }).waitFor();
    await help.getByText('Ctrl O', { exact: true }).waitFor();
    await screenshot(page, 'help');
    // In a low window they scroll down, not to the right.
    await page.setViewportSize({ width: 1024, height: 240 });
    const hidden = await help
      .locator('.help-scroll')
      .evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
        scrollWidth - clientWidth,
        scrollHeight > clientHeight,
      ]);
    expect(hidden).toEqual([0, true]);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
  });

  test('leave keys to fields that have the focus', async ({ visitor }) => {
    const page = await visitor.visit({ colorScheme: 'light' });
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Commands' }).waitFor();
    await page.keyboard.type('t?');
    expect(await page.getByRole('dialog').count()).toBe(1);
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('light');
  });
});
