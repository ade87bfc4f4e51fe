/** A finding goes to another browser as one file: the same view of the part of the trace that it needs. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { dropPaths, test } from './support.ts';
import { selectWithin, writeNote, visitExample } from './walk.ts';

/** Saves what is seen as a finding. */
async function saved(page: Page, name: string, withoutTexts: boolean): Promise<string> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Share this finding…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this finding' });
  await dialog.getByText('1 note', { exact: false }).waitFor();
  await dialog.getByText(/before packing/).waitFor();
  if (withoutTexts) await dialog.getByRole('checkbox', { name: /^Leave out names/ }).check();
  const coming = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Save the file' }).click();
  const download = await coming;
  expect(download.suggestedFilename()).toBe(name);
  await dialog.waitFor({ state: 'detached' });
  return download.path();
}

test('a finding is opened elsewhere with its view, its note and the same path', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  // fsync waits from 306 485 207 to 316 024 897 ns for the journal thread, which waits for the disk.
  await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
  await page.getByRole('button', { name: 'Why did this wait?' }).click();
  const heading = /Why did wk-writer wait 9\.540.ms/;
  await page.getByRole('heading', { name: heading }).waitFor();
  await writeNote(page, 'The journal is slow');

  const file = await saved(page, 'disk-io.wakepath.zip', false);

  const other = await visitor.visit();
  await dropPaths(other, [file]);
  await other.getByRole('heading', { name: heading }).waitFor();
  await other
    .getByRole('button', { name: /^Note at 0.306.485.207.s, .* of wk-writer.*: The journal is slow/ })
    .waitFor();
  const ranges = [page, other].map((one) => one.locator('.range-button').innerText());
  expect(new Set(await Promise.all(ranges)).size).toBe(1);

  // The same without the names that were recorded.
  const masked = await saved(page, 'finding.wakepath.zip', true);
  const third = await visitor.visit();
  await dropPaths(third, [masked]);
  await third.getByRole('heading', { name: /Why did [a-z]{9} wait 9\.540.ms/ }).waitFor();
  expect(await third.locator('body').innerText()).not.toMatch(/wk-writer|disk-io/);
});
