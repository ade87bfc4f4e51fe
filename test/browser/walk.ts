/** What a user does on an open trace. */
import type { Page } from 'playwright';
import { formatDuration } from '../../src/app/format/numbers.ts';
import { parseTime } from '../../src/app/format/time-entry.ts';

/** Waits until everything is read. */
export async function opened(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Statistics' }).waitFor();
  await page.locator('.progress-row').waitFor({ state: 'detached' });
}

/** Shows a part of the trace, by the form behind the range button: "262 ms", "267 ms". */
export async function showRange(page: Page, from: string, to: string): Promise<void> {
  await page.locator('.range-button').click();
  await page.getByLabel('From', { exact: true }).fill(from);
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  // The view jumps there within some frames.
  const text = (time: string) => formatDuration(parseTime(time) ?? 0);
  await page.getByRole('button', { name: `${text(from)} to ${text(to)}` }).waitFor();
}

/** Clicks a thread's row at the middle of what is visible, once it has come to rest. */
export async function clickRow(page: Page, name: string): Promise<void> {
  const row = page.locator('.gutter').getByText(name, { exact: true }).first();
  let before = await row.boundingBox();
  for (;;) {
    await page.waitForTimeout(100);
    const label = await row.boundingBox();
    const rows = await page.locator('.timeline-rows').boundingBox();
    if (label === null || rows === null) throw new Error(`no row ${name}`);
    if (label.y === before?.y) {
      const middle = (label.x + label.width + rows.x + rows.width) / 2;
      return page.mouse.click(middle, label.y + label.height / 2);
    }
    before = label;
  }
}

/** Types into the search and takes the first row found. */
export async function findThread(page: Page, query: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}
