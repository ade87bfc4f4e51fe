/** The drawer below the timeline: what it keeps while one looks at something else, its height, its keys. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { visitExample } from './walk.ts';

describe('the drawer', () => {
  test('keeps what was chosen in the statistics while another tab is shown', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('radio', { name: 'System calls' }).click();
    await page.getByRole('radio', { name: 'Thread', exact: true }).click();
    const table = page.getByRole('grid', { name: 'System calls' });
    const calls = table.getByRole('columnheader', { name: /^Calls/ });
    await calls.getByRole('button').click();
    await expect.poll(() => calls.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('tab', { name: 'Selection' }).click();
    await table.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await table.getByRole('columnheader', { name: 'Thread' }).waitFor();
    expect(await calls.getAttribute('aria-sort')).toBe('descending');
  });

  test('is shown by a link with the same table, ordered and filtered', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('radio', { name: 'System calls' }).click();
    await page.getByRole('radio', { name: 'Both', exact: true }).click();
    const rowsOf = (on: Page) => on.getByRole('grid', { name: 'System calls' }).getByRole('row');
    const textsOf = async (on: Page) => (await rowsOf(on).allTextContents()).map((text) => text.trim());
    await page.getByRole('grid').getByRole('button', { name: 'Calls' }).click();
    const rowCount = () => page.getByRole('grid').getAttribute('aria-rowcount').then(Number);
    await expect.poll(rowCount).toBeGreaterThan(2);
    const before = await rowCount();
    await page.getByRole('searchbox', { name: 'Filter System calls' }).fill('read');
    await expect.poll(rowCount).toBeLessThan(before);
    await expect.poll(() => page.url()).toContain('system-calls.filter=read');
    const texts = await textsOf(page);
    expect(texts.length).toBeGreaterThan(1);
    expect(texts[0]).toContain('↓');

    const { hash } = new URL(page.url());
    const other = await visitor.visit({ path: hash });
    await expect.poll(() => textsOf(other)).toEqual(texts);
    const filter = other.getByRole('searchbox', { name: 'Filter System calls' });
    expect(await filter.inputValue()).toBe('read');
    // The filter leaves with its table, and the link with it; what is counted by stays.
    await other.getByRole('tab', { name: 'Selection' }).click();
    await expect.poll(() => other.url()).not.toContain('filter');
    expect(other.url()).toContain('system-calls.by=both');
    await other.getByRole('tab', { name: 'Statistics' }).click();
    expect(await filter.inputValue()).toBe('');
    // A link followed on the page itself: the table that is shown gives way to one of the same name.
    await other.getByRole('radio', { name: 'Call', exact: true }).click();
    await other.evaluate((address) => (location.hash = address), hash);
    await expect.poll(() => textsOf(other)).toEqual(texts);
  });

  test('is no higher than there is room for', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    const edge = page.getByRole('separator', { name: 'Height of the drawer' });
    const value = async (name: 'now' | 'min' | 'max') => Number(await edge.getAttribute(`aria-value${name}`));
    const drawn = async () => (await page.locator('.drawer').boundingBox())?.height;
    await edge.focus();
    for (let i = 0; i < 45; i++) await page.keyboard.press('ArrowUp');
    const most = await value('max');
    expect(most).toBeLessThan(600);
    await expect.poll(() => value('now')).toBe(most);
    expect(await drawn()).toBe(most);
    const kept = () => page.evaluate(() => Number(localStorage.getItem('wakepath.drawer-height')));
    expect(await kept()).toBe(most);

    // In a lower window, too, and as high as it was in the one before.
    await page.setViewportSize({ width: 1440, height: 600 });
    await expect.poll(drawn).toBeLessThan(380);
    expect(await value('now')).toBe(await drawn());
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(drawn).toBe(most);
    for (let i = 0; i < 45; i++) await page.keyboard.press('ArrowDown');
    await expect.poll(() => value('now')).toBe(await value('min'));
  });

  test('gives the focus of a tab to the one that a key shows', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    const tab = (name: string) => page.getByRole('tab', { name });
    await tab('Summary').click();
    await page.keyboard.press('2');
    const isFocused = (name: string) => tab(name).evaluate((element) => element === document.activeElement);
    await expect.poll(() => isFocused('Selection')).toBe(true);
  });

  test('shows its tabs by the keys of their places', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    const tabs = await page.getByRole('tab').all();
    for (const [i, tab] of tabs.entries()) {
      await page.keyboard.press(`${i + 1}`);
      await expect.poll(() => tab.getAttribute('aria-selected')).toBe('true');
    }
  });
});
