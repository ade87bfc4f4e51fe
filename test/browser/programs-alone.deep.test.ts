/** Recordings of programs without the kernel, as an ordinary user makes them: the flame graph and the comparison are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { projectDir, sharedPath } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { findThread, visitPaths, textOf } from './walk.ts';

const CASE = join(projectDir(), 'test/fixtures/cases/executions-without-kernel');
const SAMPLED = sharedPath('traces/sampled-cxx');

test('entries and exits of functions: elapsed time in flame graph and causes', async ({ visitor }) => {
  const page = await visitPaths(visitor, CASE);
  await findThread(page, '100');
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  const parse = page.getByRole('grid', { name: 'Functions' }).getByRole('row', { name: /^parse/ });
  expect(await textOf(parse)).toMatch(/^parse 7\.800 7\.800 2\.0 %$/);
  await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('of elapsed time in');
  await inLooks(page, 'programs-alone-flame', ['1440-light']);

  await page.getByRole('tab', { name: /^Compare/ }).click();
  await page.getByRole('button', { name: /^app:begin to app:end/ }).click();
  await page.getByRole('tab', { name: /^Compare 20$/ }).waitFor();
  const first = page.getByRole('list', { name: 'Where' }).getByRole('listitem').first();
  expect(await textOf(first)).toMatch(/^parse, in handle: .* Explains all 2/);
  expect(await textOf(page.locator('.compare-bar'))).toContain('elapsed time, as no kernel was recorded');
  await inLooks(page, 'programs-alone-compare', ['1440-light']);

  // An execution leads to its place, as there is no path.
  await page.getByRole('grid', { name: 'Group B' }).getByRole('row').nth(1).click();
  await page.getByRole('tab', { name: 'Selection', selected: true }).waitFor();

  await page.getByRole('tab', { name: 'Info' }).click();
  const answers = page.getByRole('region', { name: 'What this trace answers' });
  expect(await textOf(answers)).toMatch(/In which function did the time go\?.*Flame graph/);
});

// Skipped where the folder with recorded traces is not there.
describe.skipIf(!existsSync(SAMPLED))('samples', () => {
  test('are counted: their flame graph is of samples, not of time', async ({ visitor }) => {
    const page = await visitPaths(visitor, join(SAMPLED, 'ust'), join(SAMPLED, 'elf'));
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('radio', { name: 'All threads' }).click();
    await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('numbers of samples, not times');
    const head = page.getByRole('grid', { name: 'Functions' }).getByRole('row').first();
    expect(await textOf(head)).toMatch(/Self.*Samples.*Share/);
    await inLooks(page, 'programs-alone-samples', ['1440-light']);
  });
});
