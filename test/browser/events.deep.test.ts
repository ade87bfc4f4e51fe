/** The table of events: all of them, of which each leads to its thread and time, and those that a filter accepts. */
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { clickRow, showRange, visitExample } from './walk.ts';

const list = (page: Page) => page.getByRole('grid', { name: 'Events', exact: true });

/** The time of a row. */
async function secondsOf(row: Locator): Promise<number> {
  return Number((await row.getByRole('gridcell').first().innerText()).replace(/\s/g, ''));
}

test('an event leads to its row and time, by click and by key', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await showRange(page, '310.00 ms', '310.01 ms');
  await page.getByRole('tab', { name: /^Events/ }).click();
  const amount = page.getByRole('tabpanel').getByRole('status');
  await expect.poll(() => amount.innerText()).toMatch(/^15\s579 events$/);
  // The first event from the middle of the view on.
  const active = list(page).getByRole('row', { selected: true });
  await expect.poll(() => secondsOf(active)).toBeGreaterThanOrEqual(0.310005);
  const number = Number(await active.getAttribute('aria-rowindex'));
  expect(await secondsOf(list(page).locator(`[aria-rowindex="${number - 1}"]`))).toBeLessThan(0.310005);
  const before = await page.locator('.range-button').innerText();

  // An event of a thread that has a row: while a CPU is idle it leads to the CPU's.
  const ofThread = page.getByRole('gridcell', { name: /^wk-/ });
  const first = list(page).getByRole('row').filter({ has: ofThread }).first();
  const [thread] = (await first.getByRole('gridcell').nth(3).innerText()).split(/\s(?=\d+$)/);
  await first.click();
  await expect.poll(() => page.locator('.gutter-row.selected .gutter-name').innerText()).toBe(thread);
  await expect.poll(() => page.locator('.range-button').innerText()).not.toBe(before);
  // Still those of all.
  expect(await amount.innerText()).toMatch(/^15\s579 events$/);
  expect(await page.getByRole('button', { name: 'Of all rows' }).count()).toBe(0);

  const there = await page.locator('.range-button').innerText();
  await list(page).getByRole('row', { selected: true }).focus();
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('PageUp');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.range-button').innerText()).not.toBe(there);
});

test('an event of user space leads to its thread', async ({ visitor }) => {
  const page = await visitExample(visitor, 'executions-lock/ust');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByLabel('Filter of events').fill('vtid=258');
  const rows = list(page).getByRole('row');
  // A click while the list changes would be of two rows, and so of none: only the head is another's.
  await expect.poll(() => rows.filter({ hasNotText: 'vtid=258' }).count()).toBe(1);
  await rows.filter({ hasText: 'vtid=258' }).first().click();
  await expect.poll(() => page.locator('.gutter-row.selected .gutter-id').innerText()).toBe('258');
});

test('the active event says all that it carries, and its values filter', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  const filter = page.getByLabel('Filter of events');
  await filter.fill('name=block_rq_issue and thread=wk-writer');
  const first = list(page).getByRole('row').nth(1);
  // The table has what values mean.
  await expect.poll(() => first.innerText()).toMatch(/dev=254:16,[\s\S]*rwbs=W/);
  await first.click();
  const pane = page.getByRole('complementary', { name: 'Active event' });
  await pane.getByRole('heading', { name: 'block_rq_issue' }).waitFor();
  const payload = pane.getByRole('region', { name: 'Payload' });
  expect(await payload.innerText()).toMatch(/dev\s+266338320 0xfe00010 · device 254:16\s+u32/);
  for (const scope of ['Stream context', 'Event header', 'Packet context', 'Packet header'])
    await pane.getByRole('region', { name: scope }).waitFor();
  expect(await pane.getByRole('region', { name: 'Bytes' }).locator('pre').innerText()).toMatch(
    /^[0-9a-f]{8} {2}([0-9a-f]{2} ){8}/,
  );
  await pane.getByRole('button', { name: 'Filter by this value of nr_sector', exact: true }).focus();
  await page.keyboard.press('Enter');
  const narrowed = /^name=block_rq_issue and thread=wk-writer and nr_sector=\d+$/;
  await expect.poll(() => filter.inputValue()).toMatch(narrowed);
  await page
    .getByRole('tabpanel')
    .getByText(/^\d+ events?$/)
    .waitFor();
  // In a narrow window it stands below the table.
  await page.setViewportSize({ width: 700, height: 800 });
  const [table, below] = [await list(page).boundingBox(), await pane.boundingBox()];
  expect(below?.y).toBeGreaterThanOrEqual((table?.y ?? 0) + (table?.height ?? 0));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(700);
});

test('keys go from match to match, and the link leads to the event', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  const active = list(page).getByRole('row', { selected: true });
  // Fewer events than are scrolled over.
  await active.press('End');
  await page.getByLabel('Filter of events').fill('name=syscall_entry_fsync and thread=wk-writer');
  await page.getByText('20 events', { exact: true }).waitFor();
  await active.click();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect.poll(() => active.getAttribute('aria-rowindex')).toBe('2');
  const times: number[] = [];
  for (const key of ['n', 'n', 'Shift+N']) {
    const before = page.url();
    await page.keyboard.press(key);
    // The link follows after a rest.
    await expect.poll(() => page.url()).not.toBe(before);
    times.push(await secondsOf(active));
  }
  const [second, third, again] = times;
  expect(third).toBeGreaterThan(second);
  expect(again).toBe(second);
  expect(await page.locator('.gutter-row.selected .gutter-name').innerText()).toBe('wk-writer');
  const at = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('events.at');
  expect(Number(at) / 1e9).toBe(second);
  await page.reload();
  await expect.poll(() => active.getAttribute('aria-rowindex')).toBe('3');
  expect(await secondsOf(active)).toBe(second);
});

test('a filter shows its first match, and keys go on from there in every tab', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  const active = list(page).getByRole('row', { selected: true });
  await active.waitFor();
  const filter = page.getByLabel('Filter of events');
  const box = await filter.boundingBox();
  // All is in view.
  await filter.fill('name=syscall_entry_fsync and thread=wk-writer');
  await page.getByText('20 events', { exact: true }).waitFor();
  await expect.poll(() => active.getAttribute('aria-rowindex')).toBe('2');
  await expect.poll(() => secondsOf(active)).toBeGreaterThan(0.2);
  const first = await secondsOf(active);
  await filter.fill('');
  await showRange(page, '300 ms', '320 ms');
  await filter.fill('name=syscall_entry_fsync');
  await expect.poll(() => secondsOf(active)).toBeGreaterThanOrEqual(0.3);
  const inView = await secondsOf(active);
  expect(inView).toBeLessThan(0.32);
  expect(await filter.boundingBox()).toEqual(box);

  await page.getByRole('tab', { name: 'Statistics' }).click();
  const at = () => Number(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('events.at')) / 1e9;
  await page.keyboard.press('n');
  await expect.poll(at).toBe(inView);
  await page.keyboard.press('n');
  await expect.poll(at).toBeGreaterThan(inView);
  await page.keyboard.press('Shift+N');
  await expect.poll(at).toBe(inView);
  expect(await page.getByRole('tab', { name: 'Statistics' }).getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Go to the next event of the filter').waitFor();
  await page.keyboard.press('Escape');

  // Where none is in view: the first of all.
  await showRange(page, '1100 ms', '1120 ms');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await filter.fill('name=syscall_entry_fsync and thread=wk-writer');
  await expect.poll(() => secondsOf(active)).toBe(first);
  // A mistake changes nothing of the box, and is not called one while something may be chosen from the list.
  await filter.fill('name=syscall_entry_fsyn');
  await page.getByRole('listbox', { name: 'What can be typed next' }).waitFor();
  await page.waitForTimeout(700);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('alert').waitFor();
  expect(await filter.boundingBox()).toEqual(box);
});

test('what is selected on the timeline moves the table, which stays in sight', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  const active = list(page).getByRole('row', { selected: true });
  await active.waitFor();
  await showRange(page, '350 ms', '360 ms');
  await clickRow(page, 'wk-writer');
  const from = async () => {
    const link = new URLSearchParams(new URL(page.url()).hash.slice(1));
    return Number(link.get('at') ?? NaN) / 1e9;
  };
  await expect.poll(from).toBeGreaterThan(0);
  // At the pointer, in the middle of what is visible.
  await expect.poll(async () => Math.abs((await secondsOf(active)) - 0.355)).toBeLessThan(0.002);
  expect(await secondsOf(active)).toBeGreaterThanOrEqual(await from());
  expect(await page.getByRole('tab', { name: /^Events/ }).getAttribute('aria-selected')).toBe('true');
  // A thread as a whole: the begin of what it did then.
  const before = await secondsOf(active);
  await page.locator('.gutter').getByText('sh', { exact: true }).first().click();
  await expect.poll(() => secondsOf(active)).toBeLessThan(before);
});

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
    const first = list(page).getByRole('row').nth(1);
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
    const options = page.getByRole('listbox', { name: 'What can be typed next' });
    await options.getByRole('option', { name: /^block_rq_issue/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await box.getAttribute('aria-activedescendant')).toBe('event-filter-list-0');
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('name=block_rq_issue');
    await page.keyboard.type(' and nr');
    // Fields of the event that is named come first.
    await expect.poll(() => options.getByRole('option').first().innerText()).toMatch(/^nr_sector/);
    await options.getByRole('option').first().click();
    expect(await box.inputValue()).toBe('name=block_rq_issue and nr_sector');
    await page.keyboard.type('=512');
    await page.keyboard.press('Enter');
    await options.waitFor({ state: 'detached' });
    await expect
      .poll(() => decodeURIComponent(page.url()).replaceAll('+', ' '))
      .toContain('events.filter=name=block_rq_issue and nr_sector=512');
    const events = Number.parseInt(await page.getByText(/^\d+ events?$/).innerText());
    expect(events).toBeGreaterThan(10);
  });

  test('goes to any row of all', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: /^Events/ }).click();
    await list(page).getByRole('row', { selected: true }).waitFor();
    await list(page).getByRole('row').nth(1).click();
    await page.keyboard.press('End');
    const last = list(page).locator('[data-active=true]');
    await expect.poll(() => last.getAttribute('aria-rowindex')).toBe('15580');
    await expect.poll(() => last.innerText()).not.toBe('');
  });
});
