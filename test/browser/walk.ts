/** What a user does to open a trace, and on an open one. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { formatRange } from '../../src/app/format/numbers.ts';
import { parseTime } from '../../src/app/format/time-entry.ts';
import { projectDir } from '../support/shared.ts';
import { dropPaths, type Visitor } from './support.ts';
import { changeWorkers } from './changed-workers.ts';

/** Text with plain spaces for those of numbers and for ends of lines. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** Plain text of an element. */
export async function textOf(found: Locator): Promise<string> {
  return plain(await found.innerText());
}

/** Plain text of each element. */
export async function textsOf(found: Locator): Promise<string[]> {
  return (await found.allInnerTexts()).map(plain);
}

/** Plain texts of the cells of a row, once it is there. */
export async function cellsOf(row: Locator): Promise<string[]> {
  await row.waitFor();
  return textsOf(row.getByRole('gridcell'));
}

/** The page's address, which follows what is seen after a moment; '' before. */
export async function addressAtRest(page: Page): Promise<string> {
  const before = page.url();
  await page.waitForTimeout(1000);
  return page.url() === before ? before : '';
}

/**
 * Drops examples, or folders in them, together: "disk-io", "two-hosts-http/client". Waits until everything is read, and
 * shows statistics.
 */
export async function openExample(page: Page, ...folders: readonly string[]): Promise<void> {
  await dropPaths(
    page,
    folders.map((folder) => join(projectDir(), 'public', 'examples', folder)),
  );
  await opened(page);
  await page.getByRole('tab', { name: 'Statistics' }).click();
}

/** A new page with examples. */
export async function visitExample(visitor: Visitor, ...folders: readonly string[]): Promise<Page> {
  const page = await visitor.visit();
  await openExample(page, ...folders);
  return page;
}

/** A new page with traces, when everything is read. */
export async function visitPaths(visitor: Visitor, ...paths: readonly string[]): Promise<Page> {
  const page = await visitor.visit();
  await dropPaths(page, paths);
  await opened(page);
  return page;
}

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
  const range = formatRange(parseTime(from) ?? 0, parseTime(to) ?? 0);
  await page.getByRole('button', { name: range }).waitFor();
}

/** Clicks a thread's row at the middle of what is visible, once it has come to rest. */
export async function clickRow(page: Page, name: string, button: 'left' | 'right' = 'left'): Promise<void> {
  const row = page.locator('.gutter').getByText(name, { exact: true }).first();
  let before = await row.boundingBox();
  for (;;) {
    // While it moves, each frame has it elsewhere.
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    );
    const label = await row.boundingBox();
    const rows = await page.locator('.timeline-rows').boundingBox();
    if (label === null || rows === null) throw new Error(`no row ${name}`);
    if (label.y === before?.y) {
      const middle = (label.x + label.width + rows.x + rows.width) / 2;
      return page.mouse.click(middle, label.y + label.height / 2, { button });
    }
    before = label;
  }
}

/** The box of an element, CSS pixels. */
export async function boxOf(element: Locator) {
  const box = await element.boundingBox();
  if (box === null) throw new Error('the element is not shown');
  return box;
}

/** Clicks a row at a share of the width of all rows. */
export async function clickRowAt(page: Page, row: Locator, share: number): Promise<void> {
  const [label, rows] = [await boxOf(row), await boxOf(page.locator('.rows-area'))];
  await page.mouse.click(rows.x + rows.width * share, label.y + label.height / 2);
}

/** Clicks a thread's row as `clickRow` does, and reads what was selected there. */
export async function selectInRow(page: Page, name: string): Promise<void> {
  await clickRow(page, name);
  // By key: the tab has no focus then, nor the pointer.
  await page.keyboard.press('2');
  await page.getByRole('tabpanel', { name: 'Selection' }).waitFor();
}

/** Types into the search and takes the first row found. */
export async function findThread(page: Page, query: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(query);
  await page.getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

/** The same in the middle of a part of the trace: "300 ms", "320 ms". */
export async function selectWithin(page: Page, name: string, from: string, to: string): Promise<void> {
  await findThread(page, name);
  await showRange(page, from, to);
  await selectInRow(page, name);
}

/** Points at the rows' middle, at a share of their width. */
export async function pointAt(page: Page, share: number): Promise<void> {
  const rows = await boxOf(page.locator('.rows-area'));
  await page.mouse.move(rows.x + rows.width * share, rows.y + rows.height / 2);
}

/** The field of the note that is written. */
export function noteField(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Text of the note' });
}

/** Marks what is selected or pointed at, and writes a note there. */
export async function writeNote(page: Page, text: string): Promise<void> {
  await page.keyboard.press('m');
  await noteField(page).waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await noteField(page).waitFor({ state: 'detached' });
}

/** A page on which an example was read and kept, and which is closed again; the session has let go of what is kept. */
export async function visitKept(visitor: Visitor, example: string): Promise<Page> {
  const page = await visitor.visit();
  // Nothing that is kept is an example.
  await changeWorkers(page.context(), {});
  await page.reload();
  await openExample(page, example);
  await page.evaluate(() => (location.hash = ''));
  await page.reload();
  await page.locator('.recent-open').waitFor();
  return page;
}

/** Texts of some parts of each row that is rendered, from the top. */
export function gutterRows(page: Page, parts: string): Promise<string[]> {
  return page.locator('.gutter-row').evaluateAll(
    (rows, parts) =>
      rows.map((row) =>
        Array.from(row.querySelectorAll(parts), (part) => part.textContent)
          .join(' ')
          .trim(),
      ),
    parts,
  );
}
