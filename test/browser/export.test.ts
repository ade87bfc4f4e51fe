import { readFileSync } from 'node:fs';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test } from './support.ts';
import { openExample, showRange } from './walk.ts';

async function exported(page: Page, item: string): Promise<{ readonly name: string; readonly file: Buffer }> {
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: item }).click();
  const download = await saved;
  return { name: download.suggestedFilename(), file: readFileSync(await download.path()) };
}

test('what is known is exported: of the filter, of the selected range', async ({ visitor }) => {
  const page = await visitor.visit();
  await openExample(page, 'disk-io');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByLabel('Filter of events').fill('name=syscall_entry_fsync and thread=wk-writer');
  await page.getByText('20 events', { exact: true }).waitFor();
  const { name, file } = await exported(page, 'Events found as CSV');
  expect(name).toBe('disk-io.events.csv');
  const [head, ...lines] = file.toString().trimEnd().split('\r\n');
  expect(head).toContain('since_begin_ns');
  expect(lines).toHaveLength(20);
  for (const line of lines) expect(line).toContain('syscall_entry_fsync');

  await showRange(page, '262 ms', '267 ms');
  await page.keyboard.press('r');
  const states = await exported(page, 'Thread states as Parquet, selected range');
  expect(states.name).toBe('disk-io.states.parquet');
  expect(states.file.subarray(0, 4).toString()).toBe('PAR1');
  expect(states.file.subarray(-4).toString()).toBe('PAR1');
});
