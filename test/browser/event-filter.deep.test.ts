import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { visitExample } from './walk.ts';

const found = (page: Page) => page.getByRole('grid', { name: 'Events', exact: true });

async function filterEvents(page: Page, filter: string): Promise<void> {
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByLabel('Filter of events').fill(filter);
  await page.keyboard.press('Enter');
}

describe('a filter of events', () => {
  test('finds events of a thread, leads to it, and is in the link', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await filterEvents(page, 'name=syscall_entry_fsync and thread=wk-writer');
    await page.getByText('20 events', { exact: true }).waitFor();
    const first = found(page).getByRole('row').nth(1);
    await expect.poll(() => first.innerText()).toMatch(/wk-writer\s*222[\s\S]*syscall_entry_fsync/);
    await first.click();
    // The thread that called, not the CPU.
    const row = page.locator('.gutter-row.selected');
    await expect.poll(() => row.innerText()).toContain('wk-writer');
    await expect
      .poll(() => decodeURIComponent(page.url()))
      .toContain('events.filter=name=syscall_entry_fsync');
    await page.reload();
    await page.getByText('20 events', { exact: true }).waitFor();
  });

  test('shows the place of a mistake', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await filterEvents(page, 'name=sched_switch and prevstate != 0');
    await page.getByRole('alert').getByText('No event has a field called prevstate.').waitFor();
    expect(await page.getByRole('alert').locator('code').innerText()).toBe('prevstate');
    await page.getByLabel('Filter of events').fill('');
    const amount = page.getByRole('tabpanel').getByRole('status');
    await expect.poll(() => amount.innerText()).toMatch(/^15\s579 events$/);
  });

  test('lists what can be typed next', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: /^Events/ }).click();
    const box = page.getByRole('combobox', { name: 'Filter of events' });
    await box.click();
    await page.keyboard.type('name=block_rq_is');
    const list = page.getByRole('listbox', { name: 'What can be typed next' });
    await list.getByRole('option', { name: /^block_rq_issue/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await box.getAttribute('aria-activedescendant')).toBe('event-filter-list-0');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('name=block_rq_issue');
    await page.keyboard.type(' and nr');
    // Fields of the event that is named come first.
    await expect.poll(() => list.getByRole('option').first().innerText()).toMatch(/^nr_sector/);
    await list.getByRole('option').first().click();
    expect(await box.inputValue()).toBe('name=block_rq_issue and nr_sector');
    await page.keyboard.type('=512');
    await page.keyboard.press('Enter');
    await list.waitFor({ state: 'detached' });
    await expect
      .poll(() => decodeURIComponent(page.url()).replaceAll('+', ' '))
      .toContain('events.filter=name=block_rq_issue and nr_sector=512');
    const events = Number.parseInt(await page.getByText(/^\d+ events?$/).innerText());
    expect(events).toBeGreaterThan(10);
  });

  test('goes to any row of all', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: /^Events/ }).click();
    await found(page).getByRole('row', { selected: true }).waitFor();
    await found(page).getByRole('row').nth(1).click();
    await page.keyboard.press('End');
    const last = found(page).locator('[data-active=true]');
    await expect.poll(() => last.getAttribute('aria-rowindex')).toBe('15580');
    await expect.poll(() => last.innerText()).not.toBe('');
  });
});
