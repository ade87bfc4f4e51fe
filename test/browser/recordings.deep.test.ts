/** Two recordings of one machine: where nothing was recorded, and side by side, each as if it were opened alone. */
import { basename, join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir, sharedDir } from '../support/shared.ts';
import { holdReads, letRead, paintedTexts } from './held-reads.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { opened, visitPaths } from './walk.ts';

const shared = sharedDir();
const FOLDERS =
  shared === undefined
    ? ['rt-softirq-preempted', 'kernel-step-back'].map((name) => {
        return join(projectDir(), 'test', 'fixtures', 'cases', name);
      })
    : ['regression-a', 'regression-b'].map((name) => join(shared, 'traces', name));

/** Columns of the table that do not depend on what else is open. */
const SUMS = ['On CPU, ms', 'User', 'Kernel', 'Interrupted', 'Runnable', 'Blocked'];

/** Sums of the threads with most time, by name and tid; of one host where there are several. */
async function sumsOf(page: Page, host?: string): Promise<readonly string[]> {
  await page.getByRole('tab', { name: 'Statistics' }).click();
  const grid = page.getByRole('grid', { name: 'CPU time by thread' });
  if (host !== undefined) await page.getByRole('searchbox', { name: 'Filter CPU time by thread' }).fill(host);
  await expect.poll(() => grid.getByRole('row').count()).toBeGreaterThan(2);
  const heads = (await grid.getByRole('columnheader').allInnerTexts()).map((text) => text.replace(' ↓', ''));
  const rows = await grid.getByRole('row').all();
  const texts = await Promise.all(rows.slice(1, 6).map((row) => row.getByRole('gridcell').allInnerTexts()));
  return texts.map((cells) =>
    ['Thread', 'tid', ...SUMS].map((head) => `${head} ${cells[heads.indexOf(head)]}`).join(', '),
  );
}

describe('two recordings of one machine', () => {
  test('have nothing between them, and streams of their own', async ({ visitor }) => {
    const page = await visitor.visit();
    await holdReads(page.context());
    await page.reload();
    await letRead(page);
    await dropPaths(page, FOLDERS);
    await opened(page);
    const gap = () =>
      page.evaluate(paintedTexts).then((texts) => texts.findLast((text) => text.startsWith('Not recorded,')));
    await expect.poll(gap).toMatch(/^Not recorded, [\d.]+.m?s$/);
    await inLooks(page, 'recordings', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: /^Info/ }).click();
    const headings = page.locator('.info-trace');
    const domains = shared === undefined ? 1 : 2;
    await expect.poll(() => headings.count()).toBe(2 * domains);
    expect((await headings.allTextContents()).map((text) => text.split('/')[0])).toEqual(
      FOLDERS.toSorted().flatMap((folder) => Array.from({ length: domains }, () => basename(folder))),
    );
    await inLooks(page, 'info-recordings', ['1440-light', '1024-dark']);
  });

  test('are laid side by side, each with the sums that it has alone, and back', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, FOLDERS);
    await opened(page);
    const tab = page.getByRole('tab', { name: 'Recordings 2' });
    await tab.click();
    await page.getByText('The time between them was not recorded').waitFor();
    const begin = await page.getByText(/^from [^0]/).innerText();
    await inLooks(page, 'recordings-offer', ['1440-light']);
    await page.getByRole('button', { name: 'Lay side by side' }).click();
    await page.getByText(begin.replace('from ', 'shifted by −'), { exact: true }).waitFor();
    await opened(page);
    expect(await page.getByRole('tab', { name: 'Sync' }).count()).toBe(0);
    await inLooks(page, 'recordings-side-by-side');
    // All columns have room.
    await page.setViewportSize({ width: 1440, height: 900 });
    for (const folder of FOLDERS) {
      const alone = await visitPaths(visitor, folder);
      expect(await alone.getByRole('tab', { name: /^Recordings/ }).count()).toBe(0);
      expect(await sumsOf(page, basename(folder))).toEqual(await sumsOf(alone));
    }
    // A link lays them side by side where they are opened anew.
    await page.waitForFunction(() => window.location.hash.includes('side-by-side=1'));
    const linked = await visitor.visit({ path: new URL(page.url()).hash });
    await linked.getByText('This link shows a place').waitFor();
    await dropPaths(linked, FOLDERS);
    await opened(linked);
    await linked.getByRole('tab', { name: 'Recordings 2' }).click();
    await linked.getByRole('button', { name: 'Show as recorded' }).click();
    await linked.getByText('The time between them was not recorded').waitFor();
  });
});
