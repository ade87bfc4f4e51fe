/** A recorded trace that is dropped, chosen, added to another one, or is none. */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { inLooks, screenshot } from './pictures.ts';
import { chooseFolder, dropFiles, dropPaths, test } from './support.ts';
import { findThread, opened, selectWithin, showRange, visitExample, visitPaths } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const parent = temporaryFolder();
const EXAMPLE = join(projectDir(), 'public', 'examples', 'imbalance-4t');
function listedEvent(page: Page) {
  const list = page.getByRole('grid', { name: 'Events', exact: true });
  return list.getByRole('row', { selected: true });
}

describe('a folder', () => {
  test('of a kept trace gives it back its events', async ({ visitor }) => {
    const folder = join(parent, 'of-nobody');
    cpSync(EXAMPLE, folder, { recursive: true });
    const page = await visitPaths(visitor, folder);
    await page.waitForFunction(() => window.location.hash.includes('trace='));
    await page.reload();
    await page.getByRole('tab', { name: /^Events/ }).click();
    await page.getByText('drop its folder again').waitFor();
    await dropPaths(page, [folder]);
    await listedEvent(page).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await dropPaths(page, [folder]);
    const dialog = page.getByRole('dialog', { name: 'Open of-nobody' });
    await dialog.getByText('It is open already, as of-nobody.').waitFor();
    await inLooks(page, 'drop-open', ['1440-light', '1024-dark']);
  });

  test('is chosen in the dialog; it is listed as recent and can be forgotten', async ({ visitor }) => {
    const page = await visitor.visit();
    await chooseFolder(page, EXAMPLE, () => page.getByRole('button', { name: 'Choose a folder' }).click());
    await opened(page);
    await page.getByRole('button', { name: 'Wakepath' }).click();
    const recent = page.getByRole('region', { name: 'Recent traces' });
    await recent.getByText('imbalance-4t').waitFor();
    await screenshot(page, 'start-recent');
    await recent.getByRole('button', { name: /^Delete/ }).click();
    await recent.getByText('Traces that you open are listed here').waitFor();
    await page.reload();
    await recent.getByText('Traces that you open are listed here').waitFor();
  });

  test('dropped on an open one is added or replaces it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await dropPaths(page, [join(projectDir(), 'public', 'examples', 'disk-io')]);
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('heading', { name: 'disk-io' }).waitFor();
    await opened(page);
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.getByRole('button', { name: 'Why did this wait?' }).click();
    await page.getByRole('heading', { name: /Why did wk-writer wait/ }).waitFor();
    await dropPaths(page, [EXAMPLE]);
    await question.getByText(/links and notes made so far stay with/).waitFor();
    await question.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'disk-io, imbalance-4t' }).waitFor();
    await opened(page);
    // Rows and times mean something else now: nothing of before is selected or explained.
    await page.getByRole('tab', { name: 'Path' }).click();
    await page.getByRole('heading', { name: 'Why did it wait?' }).waitFor();
    await expect.poll(() => page.url()).not.toContain('row=');
    await findThread(page, 'imb-80');
  });

  test('that is no trace leaves what is open, and the question goes with that', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    const dialog = page.getByRole('dialog');
    await dropFiles(page, { 'notes.txt': 'milk, bread' });
    await dialog.getByText('not a trace').waitFor();
    await dialog.getByText('imbalance-4t stays open').waitFor();
    await inLooks(page, 'drop-not-a-trace', ['1440-light', '1440-dark', '1024-light', '1024-dark']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await findThread(page, 'imb-80');
    await dropPaths(page, [join(projectDir(), 'public', 'examples', 'disk-io')]);
    await dialog.getByRole('button', { name: 'Replace' }).waitFor();
    // Past the steps of what was seen.
    await page.evaluate(() => history.go(-1 - (history.state as { step: number }).step));
    await page.getByText('Which thread holds everyone up?').waitFor();
    expect(await dialog.count()).toBe(0);
  });

  test('without files leaves what is open', async ({ visitor }) => {
    mkdirSync(join(parent, 'empty'));
    const page = await visitExample(visitor, 'imbalance-4t');
    await dropPaths(page, [join(parent, 'empty')]);
    const question = page.getByRole('dialog', { name: 'Open empty' });
    await question.getByText('There is no file in this folder').waitFor();
    await screenshot(page, 'drop-empty');
    await question.getByRole('button', { name: 'Close' }).click();
    await findThread(page, 'imb-80');
  });
});

test('statistics cover the whole trace or the selected range, and lead to the rows', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.getByText('Which thread holds everyone up?').click();
  await opened(page);
  await page.keyboard.press('4');
  const table = page.getByRole('grid', { name: 'CPU time by thread' });
  const row = table.getByRole('row').filter({ hasText: 'imb-80' });
  await row.waitFor();
  const whole = await row.innerText();
  await page.getByText('whole trace').waitFor();
  await showRange(page, '100 ms', '200 ms');
  await page.keyboard.press('r');
  await page.getByText(/selected 100\.000/).waitFor();
  await expect.poll(() => row.innerText()).not.toBe(whole);
  await page.getByRole('radio', { name: 'CPU', exact: true }).click();
  await page.getByRole('grid', { name: 'CPU time by CPU' }).getByText('CPU 3').waitFor();
  await page.getByRole('radio', { name: 'Event counts' }).click();
  await page.getByRole('grid', { name: 'Event counts' }).getByText('sched_switch').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText(/whole trace, 10.913 events/).waitFor();
  await page.getByRole('radio', { name: 'Disk and files' }).click();
  await page.getByRole('grid', { name: 'Read and written by thread' }).waitFor();
});
