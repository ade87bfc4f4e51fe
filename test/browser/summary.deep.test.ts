/** What stands out comes first, answers the question of an example, and leads to what shows it. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { opened } from './walk.ts';

const openCard = async (page: Page, question: RegExp) => {
  await page.getByRole('button', { name: question }).click();
  await opened(page);
  await page.getByRole('tab', { name: 'Summary', selected: true }).waitFor();
};

describe('the summary of an example', () => {
  test('answers the question of its card, and leads to the path that shows it', async ({ visitor }) => {
    const page = await visitor.visit();
    await openCard(page, /^Which thread holds everyone up/);
    const asked = page.getByRole('region', { name: 'The question of the example' });
    await asked.getByRole('heading', { name: 'Which thread holds everyone up?' }).waitFor();
    const answer = asked.getByRole('button', { name: /imb-10, imb-20 and imb-40 waited for imb-80/ });
    await answer.waitFor();
    expect(await answer.innerText()).toMatch(/703\.601.ms, 71\.1.%/);
    // By the keyboard alone.
    await answer.press('Enter');
    await page.getByRole('tab', { name: /^Path/, selected: true }).waitFor();
    const row = page
      .getByRole('grid', { name: 'Time on the path' })
      .getByRole('row')
      .filter({ hasText: 'imb-80' });
    await row.first().waitFor();
    await page.waitForFunction(() => window.location.hash.includes('path=thread%3A0%3A216'));
    // A link to the path does not show the summary.
    await page.reload();
    await page.getByRole('tab', { name: /^Path/, selected: true }).waitFor();
  });

  test('leads to the longest wait for a lock', async ({ visitor }) => {
    const page = await visitor.visit();
    await openCard(page, /^Who keeps the lock/);
    const answer = page.getByRole('button', { name: /4 threads waited .* for mutex/ });
    await answer.click();
    await page.getByRole('tab', { name: /^Locks/, selected: true }).waitFor();
    await expect
      .poll(() => page.locator('.gutter-row[aria-selected=true]').innerText())
      .toMatch(/fight-|Locks/);
  });
});
