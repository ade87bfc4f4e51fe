/** The way from the README to a finding that somebody else can read, with pictures for docs. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { opened } from './walk.ts';

test('a new user does a lesson, opens a trace, finds a cause and exports it', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.getByRole('region', { name: 'Lessons' }).getByRole('link').first().click();
  const lesson = page.locator('aside.lesson');
  await lesson.getByText(/^1 of \d+$/).waitFor();
  await opened(page);
  await page.locator('.gutter').getByText('imb-80', { exact: true }).waitFor();
  await inLooks(page, 'walk-lesson', ['1440-light']);
  await lesson.getByRole('button', { name: /^(Next|Skip)$/ }).click();
  await lesson.getByText(/^2 of \d+$/).waitFor();
  await page.getByRole('button', { name: 'Wakepath' }).click();

  await dropPaths(page, [join(projectDir(), 'public', 'examples', 'rpc-chain')]);
  await opened(page);
  await page.getByRole('tab', { name: 'Summary' }).click();
  const finding = page
    .getByRole('region', { name: /stands out/ })
    .getByRole('button')
    .first();
  await finding.waitFor();
  await inLooks(page, 'walk-summary', ['1440-light']);
  await finding.click();
  const path = page.getByRole('grid', { name: 'Time on the path' });
  await path.getByRole('row').nth(1).waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page
    .getByRole('menuitem', { name: /as PNG$/ })
    .first()
    .waitFor();
  await inLooks(page, 'walk-export', ['1440-light']);
  const saved = page.waitForEvent('download');
  await page
    .getByRole('menuitem', { name: /as PNG$/ })
    .first()
    .click();
  expect((await saved).suggestedFilename()).toMatch(/\.png$/);
});
