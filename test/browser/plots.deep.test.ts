/** Numbers over time on the page: rows of a group that is folded at first, a number's details, and the dialog. */
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inLooks, LOOKS, screenshot } from './pictures.ts';
import { test } from './support.ts';
import { opened, openExample, visitExample, clickRowAt } from './walk.ts';

const RESOURCE = '.gutter-row[data-row^="resource:"]';
/** Names of the rows, each with what its height stands for. */
async function plotRows(page: Page): Promise<string[]> {
  const rows = await page.locator(RESOURCE).all();
  const partOf = (row: Locator, part: string) => row.locator(part).innerText();
  const parts = rows.map(
    async (row) => `${await partOf(row, '.gutter-name')} ${await partOf(row, '.gutter-right')}`,
  );
  return (await Promise.all(parts)).map((text) => text.replace(/\s+/g, ' ').trim());
}

/** Opens the trace and shows the rows of disks and CPU power. */
async function openResources(page: Page): Promise<void> {
  await openExample(page, 'disk-io');
  await page.getByLabel('Filter rows by name or tid').fill('Resources');
  await expect.poll(() => plotRows(page)).toHaveLength(6);
}

describe('plots', () => {
  test.for(LOOKS)('$name', async ({ name, viewport, colorScheme }, { visitor }) => {
    const page = await visitor.visit({ viewport, colorScheme });
    await openResources(page);
    await expect.poll(() => plotRows(page)).toContain('CPU 0 idle state 1');
    // A small window does not show the last of the rows.
    await page.getByLabel('Filter rows by name or tid').fill('Disk vdb');
    await expect.poll(async () => (await plotRows(page)).at(-1)).toMatch(/^Disk vdb [\d.]+ GB\/s$/);

    // Nothing is transferred any more at the end.
    await clickRowAt(page, page.locator(RESOURCE, { hasText: 'Disk vdb' }), 0.998);
    await page.locator('.hover-card', { hasText: 'Mean over' }).waitFor();
    await page.getByRole('tab', { name: 'Selection' }).click();
    const interval = page.getByRole('region', { name: 'Interval' });
    await interval.getByRole('heading', { name: /^15.722.496 bytes recorded so far/ }).waitFor();
    await screenshot(page, `plots-${name}`);
  });

  test('say how many threads and requests wait', async ({ visitor }) => {
    const page = await visitor.visit();
    await openResources(page);
    const queues = page.locator('.gutter-row[data-row^="queue:"]');
    await expect
      .poll(() => queues.locator('.gutter-name').allInnerTexts())
      .toEqual([
        'Runnable threads',
        ...[0, 1, 2, 3].map((cpu) => `CPU ${cpu} runnable threads`),
        'Disk vda requests in flight',
        'Disk vdb requests in flight',
      ]);
    await clickRowAt(page, queues.first(), 0.5);
    await page.getByRole('tab', { name: 'Selection' }).click();
    const interval = page.getByRole('region', { name: 'Interval' });
    await interval.getByText('runnable threads').waitFor();
    await interval.getByRole('heading', { name: /^[0-3] for / }).waitFor();
    await screenshot(page, 'plots-queues');
  });

  test('of each wait for a CPU are a point, which shows it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Scheduling latency' }).click();
    await page.getByRole('radio', { name: 'Each', exact: true }).click();
    const picture = page.getByRole('img', {
      name: /^Durations over time: [\d\s]+, the longest 9\.452\sms, /,
    });
    await picture.waitFor();
    await inLooks(page, 'scatter');

    // The longest of all stands at the top.
    const caption = page.locator('.scatter figcaption');
    const width = await picture.evaluate((canvas) => canvas.clientWidth);
    const isLongest = async () => (await caption.innerText()).includes('9.452');
    let x = 52;
    for (; x < width && !(await isLongest()); x += 6) await picture.hover({ position: { x, y: 6 } });
    await picture.click({ position: { x: x - 6, y: 6 } });
    await page.getByRole('tab', { name: 'Selection' }).click();
    const selection = page.getByRole('region', { name: 'Interval' });
    await selection.getByText('9.452 239 ms', { exact: false }).first().waitFor();
  });

  test('are of any field that is asked for', async ({ visitor }) => {
    const page = await visitor.visit();
    await openResources(page);
    await page.locator(RESOURCE, { hasText: 'Disk vdb' }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('choose plots');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Plots' });
    await dialog.getByLabel('Event', { exact: true }).fill('block_rq_issue');
    await dialog.getByLabel('Number', { exact: true }).fill('nr_sector');
    await dialog.getByLabel('A row for each').selectOption('CPU');
    await dialog.getByRole('button', { name: 'Add the plot' }).click();
    await dialog.getByRole('checkbox', { name: /^CPU … idle state/ }).uncheck();
    await dialog.getByRole('button', { name: 'Show' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await plotRows(page)).map((text) => text.split(' ').slice(0, 3).join(' ')))
      .toEqual(expect.arrayContaining(['block_rq_issue.nr_sector, CPU 0']));
    const isIdleShown = async (on: Page) => (await plotRows(on)).some((text) => text.includes('idle'));
    expect(await isIdleShown(page)).toBe(false);

    // By a link, where nothing was chosen before.
    await expect.poll(() => page.url()).toContain('plots.shown=');
    const other = await visitor.visit({ path: new URL(page.url()).hash });
    await opened(other);
    await other.getByLabel('Filter rows by name or tid').fill('Resources');
    await expect
      .poll(async () => (await plotRows(other)).join())
      .toContain('block_rq_issue.nr_sector, CPU 0');
    expect(await isIdleShown(other)).toBe(false);
  });
});
