/** What a user does on an open trace. */
import type { Page } from 'playwright';

/** Waits until everything is read. */
export async function opened(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Statistics' }).waitFor();
  await page.locator('.progress-row').waitFor({ state: 'detached' });
}

/** Shows a part of the trace, by the form behind the range button. */
export async function showRange(page: Page, from: string, to: string): Promise<void> {
  await page.locator('.range-button').click();
  await page.getByLabel('From', { exact: true }).fill(from);
  await page.getByLabel('To', { exact: true }).fill(to);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  // The view jumps there within some frames.
  await page
    .getByRole('button', {
      name: new RegExp(`^${from.replace(' ', '\\.000\\s')} to ${to.replace(' ', '\\.000\\s')}`),
    })
    .waitFor();
}

/** Clicks a thread's row at the middle of what is visible. */
export async function clickRow(page: Page, name: string): Promise<void> {
  const label = await page.locator('.gutter').getByText(name, { exact: true }).first().boundingBox();
  const rows = await page.locator('.timeline-rows').boundingBox();
  if (label === null || rows === null) throw new Error(`no row ${name}`);
  await page.mouse.click((label.x + label.width + rows.x + rows.width) / 2, label.y + label.height / 2);
}

/** Types into the search and takes the first row found. */
export async function findThread(page: Page, query: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}
