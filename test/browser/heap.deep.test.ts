/** Statistics of the heap of a program, and the row of what it has in use. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { visitPaths } from './walk.ts';

/** The cells of the first row of a table with this text, in plain spaces. */
async function cellsOf(page: Page, table: string, text: string): Promise<string[]> {
  const row = page.getByRole('grid', { name: table }).getByRole('row').filter({ hasText: text }).first();
  await row.waitFor();
  const cells = await row.getByRole('gridcell').allInnerTexts();
  return cells.map((cell) => cell.replace(/\s+/g, ' ').trim());
}

test('shows what was not freed, by process, thread and call site', async ({ visitor }) => {
  const page = await visitPaths(visitor, join(projectDir(), 'test/fixtures/heap/ust'));
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('radio', { name: 'Heap' }).click();
  expect(await cellsOf(page, 'Heap by process', '10928')).toEqual(
    expect.arrayContaining(['leaky', '3.7 kB', '9', '28.9 kB', '80.6 kB']),
  );
  await inLooks(page, 'statistics-heap', ['1440-light', '1024-dark']);
  await page.getByRole('radio', { name: 'Call site', exact: true }).click();
  expect(await cellsOf(page, 'Heap by call site', 'leaky+0x11c7')).toEqual(
    expect.arrayContaining(['3.0 kB', '3']),
  );
  await inLooks(page, 'statistics-heap-sites', ['1440-light']);
});
