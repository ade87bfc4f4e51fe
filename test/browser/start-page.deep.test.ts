import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { screenshot } from './pictures.ts';
import { dropFiles, dropPaths, test } from './support.ts';
import { opened } from './walk.ts';
import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const empty = temporaryFolder();

test('the start page fits at 200 % zoom of a small screen', async ({ visitor }) => {
  const page = await visitor.visit({ viewport: { width: 512, height: 350 } });
  await page.getByText('Which thread holds everyone up?').waitFor();
  const { scroll, client } = await page.evaluate(() => ({
    scroll: document.documentElement.scrollWidth,
    client: document.documentElement.clientWidth,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
});

describe('what the start page loads', () => {
  test('is not enough to show a trace: if the rest does not come, that is said', async ({ visitor }) => {
    visitor.expectProblem('workspace-parts');
    const page = await visitor.visit();
    await page.route(/workspace-parts/, (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: /Which thread holds everyone up/ }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'This part of the page could not be loaded' });
    await notice.getByRole('button', { name: 'Load the page again' }).waitFor();
    await page.unroute(/workspace-parts/);
    await notice.getByRole('button', { name: 'Try again' }).click();
    await opened(page);
  });
});

describe('while the page waits, the session reads an example', () => {
  const folder = join(projectDir(), 'public', 'examples', 'disk-io');

  test('of which nothing is kept; what comes then opens as ever', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.waitForFunction(() => performance.getEntriesByName('wakepath:ready').length > 0);
    await page.reload();
    await page.getByText('Which thread holds everyone up?').waitFor();
    expect(await page.locator('.recent-open').count()).toBe(0);
    await page.waitForFunction(() => performance.getEntriesByName('wakepath:ready').length > 0);
    await dropPaths(page, [folder]);
    await opened(page);
    expect(await page.title()).toContain('disk-io');
  });

  test('until something is opened', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.waitForFunction(() =>
      performance
        .getEntriesByType('resource')
        .some(({ name }) => name.endsWith('imbalance-4t/kernel/metadata')),
    );
    await dropPaths(page, [folder]);
    await opened(page);
    expect(await page.title()).toContain('disk-io');
  });
});

describe('wrong input', () => {
  test('that is no trace is named', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropFiles(page, { 'notes.txt': 'milk, bread' });
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('not a trace');
    await screenshot(page, 'error-not-a-trace');
  });

  test('of an empty folder says what to drop', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [empty]);
    await page.getByText('There is no file in this folder').waitFor();
  });
});
