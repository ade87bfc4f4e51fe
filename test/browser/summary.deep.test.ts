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
    // No events of locks were recorded.
    await page.getByText('Findings may be missing, as events were not recorded').click();
    await page.getByText(/^Without all events .*lttng_ust_pthread.* may be missing: .*Lock order/).waitFor();
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

  test('leads to the lock, who held it in its longest wait, and the path of that', async ({ visitor }) => {
    const page = await visitor.visit();
    await openCard(page, /^Who keeps the lock/);
    const answer = page.getByRole('button', { name: /4 threads waited .* for mutex/ });
    await answer.click();
    await page.getByRole('tab', { name: /^Locks/, selected: true }).waitFor();
    await expect
      .poll(() => page.locator('.gutter-row[aria-selected=true]').innerText())
      .toMatch(/fight-|Locks/);
    // The matrix beside is of this lock alone: its sum is that of the sentence.
    const lock = page.getByRole('complementary', { name: 'Lock', exact: true });
    await lock
      .getByRole('region', { name: 'Longest wait' })
      .getByText(/held in turn by/)
      .waitFor();
    await lock.getByRole('gridcell', { name: '374.6' }).last().waitFor();
    await page.locator('.gutter-row[aria-selected=true]').focus();
    await page.keyboard.press('p');
    await page
      .locator('.path-sentence')
      .getByText(/held in turn by/)
      .waitFor();
  });
});
