import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { dropPaths, test } from './support.ts';
import { findThread, selectWithin, showRange, visitExample, writeNote } from './walk.ts';

async function exported(
  page: Page,
  item: string,
  menu = 'Export',
): Promise<{ readonly name: string; readonly file: Buffer }> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const download = await saved;
  return { name: download.suggestedFilename(), file: readFileSync(await download.path()) };
}

/** How many colours a picture has, as a browser draws it. */
async function differentColours(page: Page, file: Buffer, type: string): Promise<number> {
  const other = await page.context().newPage();
  const colours = await other.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const pixels = context?.getImageData(0, 0, canvas.width, canvas.height).data.buffer;
      return new Set(new Uint32Array(pixels ?? new ArrayBuffer(0))).size;
    },
    `data:${type};base64,${file.toString('base64')}`,
  );
  await other.close();
  return colours;
}

test('what is known is exported: of the filter, of the selected range', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByLabel('Filter of events').fill('name=syscall_entry_fsync and thread=wk-writer');
  await page.getByText('20 events', { exact: true }).waitFor();
  const { name, file } = await exported(page, 'Events found as CSV');
  expect(name).toBe('disk-io.events.csv');
  const [head, ...lines] = file.toString().trimEnd().split('\r\n');
  expect(head).toContain('since_begin_ns');
  expect(lines).toHaveLength(20);
  for (const line of lines) expect(line).toContain('syscall_entry_fsync');
  // A column for each field.
  expect(head).toMatch(/,name,payload\.fd,common\./);

  await showRange(page, '262 ms', '267 ms');
  await page.keyboard.press('r');
  const states = await exported(page, 'Thread states as Parquet, selected range');
  expect(states.name).toBe('disk-io.states.parquet');
  expect(states.file.subarray(0, 4).toString()).toBe('PAR1');
  expect(states.file.subarray(-4).toString()).toBe('PAR1');
});

test('a table is saved as it is seen', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByLabel('Filter CPU time by thread').fill('wk-');
  const table = page.getByRole('grid', { name: 'CPU time by thread' });
  await table.getByText('wk-').first().waitFor();
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(6);
  const rows = (await table.getByRole('row').count()) - 1;
  const csv = await exported(page, 'Save as CSV', 'Copy the table');
  expect(csv.name).toBe('CPU time by thread.csv');
  const [head, ...lines] = csv.file.toString().trimEnd().split('\r\n');
  expect(head).toContain('On CPU, ns');
  expect(lines).toHaveLength(rows);
  for (const line of lines) expect(line).toContain('wk-');
  const parquet = await exported(page, 'Save as Parquet', 'Copy the table');
  expect(parquet.file.subarray(0, 4).toString()).toBe('PAR1');
  expect(parquet.file.toString('latin1')).toContain('On CPU, ns');
});

test('what is seen is exported as a picture, the timeline and a flame graph', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  const svg = await exported(page, 'Timeline as SVG');
  expect(svg.name).toBe('imbalance-4t.timeline.svg');
  const text = svg.file.toString();
  expect(text).toMatch(/^<svg/);
  // What it is, of what time, and what its colours mean.
  for (const words of ['imbalance-4t: Timeline', '0 s to ', 'Waits for a thread'])
    expect(text.replace(/[\u2009\u202f]/g, ' ')).toContain(words);
  for (const name of ['imb-80', 'imb-40', '0.4']) expect(text).toContain(name);
  expect(text.match(/<rect/g)?.length).toBeGreaterThan(1000);
  expect(await differentColours(page, svg.file, 'image/svg+xml')).toBeGreaterThan(8);

  const png = await exported(page, 'Timeline as PNG');
  expect(png.name).toBe('imbalance-4t.timeline.png');
  expect(png.file.subarray(1, 4).toString()).toBe('PNG');
  // Two pixels for each of the page, beside the names.
  const rows = await page.locator('.rows-area').boundingBox();
  expect(png.file.readUInt32BE(16)).toBe(2 * (240 + (rows?.width ?? 0)));
  expect(await differentColours(page, png.file, 'image/png')).toBeGreaterThan(8);

  await findThread(page, 'imb-20');
  await page.keyboard.press('p');
  await page.getByRole('tree', { name: 'Waits for' }).waitFor();
  const flame = await exported(page, 'Flame graph “Waits for” as SVG');
  for (const words of ['imb-80', 'imb-20, ']) expect(flame.file.toString()).toContain(words);
});

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
