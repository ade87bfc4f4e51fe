/** Overlays on the page: rows below their threads, a span's details, and the dialog that chooses them. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { dropPaths, LOOKS, screenshot, test } from './support.ts';
import { opened } from './walk.ts';

const EXECUTIONS = join(projectDir(), 'public', 'examples', 'executions-lock');

/** Names of the rows in the gutter, from the top. */
function gutterNames(page: Page): Promise<string[]> {
  return page.locator('.gutter-row').allInnerTexts();
}

describe('overlays', () => {
  test.for(LOOKS)('$name', async ({ name, viewport, colorScheme }, { visitor }) => {
    const page = await visitor.visit({ viewport, colorScheme });
    await dropPaths(page, [EXECUTIONS]);
    await opened(page);
    await page.getByLabel('Filter rows by name or tid').fill('wk_req');
    await expect.poll(() => gutterNames(page), { timeout: 30_000 }).toContain('wk_req');
    const rows = (await gutterNames(page)).map((text) => text.replace(/\s+/g, ' '));
    // Each of the three workers has its requests right below it.
    rows.forEach((text, i) => {
      if (text === 'wk_req') expect(rows[i - 1]).toMatch(/^worker-\d/);
    });
    expect(rows.filter((text) => text === 'wk_req')).toHaveLength(3);
    await page.waitForTimeout(500);
    await screenshot(page, `overlays-${name}`);

    await page.keyboard.press('Escape');
    await page.locator('.gutter-row', { hasText: 'wk_req' }).first().click();
    const area = page.locator('.rows-area');
    const box = await area.boundingBox();
    const row = await page.locator('.gutter-row', { hasText: 'wk_req' }).first().boundingBox();
    if (box === null || row === null) throw new Error('no rows');
    await page.mouse.click(box.x + box.width * 0.6, row.y + row.height / 2);
    await page.mouse.move(box.x + box.width * 0.6, row.y + row.height / 2);
    await page.waitForTimeout(500);
    await screenshot(page, `overlay-span-${name}`);
    await page.keyboard.press('f');
    await page.waitForTimeout(800);
    await screenshot(page, `overlay-fit-${name}`);
    await page.keyboard.press('o');
    await page.getByRole('dialog', { name: 'Overlays' }).getByText('300 spans').waitFor();
    await screenshot(page, `overlays-dialog-${name}`);
  });
});
