/** The Compare tab: which requests were slow, and what they did differently. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test, firstItem } from './support.ts';
import { openExample, visitExample, textOf, addressAtRest, boxOf } from './walk.ts';

/** Opens the example and takes the executions that it suggests. */
async function compareRequests(page: Page): Promise<void> {
  await openExample(page, 'executions-lock');
  await page.getByRole('tab', { name: /^Compare/ }).click();
  await page.getByRole('button', { name: /^wk_req:begin to wk_req:end/ }).click();
  await page.getByRole('tab', { name: /^Compare 300$/ }).waitFor();
}

function rowCount(page: Page, table: string): Promise<string | null> {
  return page.getByRole('grid', { name: table }).getAttribute('aria-rowcount');
}

describe('300 requests, of which a lock held up 18', () => {
  test('the slow ones waited under cache_lookup for the thread maintenance', async ({ visitor }) => {
    const page = await visitor.visit();
    await compareRequests(page);
    expect(await textOf(page.locator('.compare-heads'))).toMatch(
      /^A, fast half 150 of 300, up to 737.7 µs B, slow tail 26 of 300, over 3.271 ms$/,
    );
    expect(await textOf(firstItem(page, 'Where'))).toMatch(
      /^System call futex, in worker ▸ handle_request ▸ cache_lookup: 6.372 ms against 84 ns in A. Explains 18 of 26\. Of the difference /,
    );
    expect(await textOf(firstItem(page, 'In which threads'))).toMatch(
      /^Thread maintenance: 6.049 ms against none in A; in 18 of 26/,
    );
    expect(await rowCount(page, 'Group B')).toBe('27');
    await inLooks(page, 'compare');
  });

  test('answer the question of their card on the start page', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.getByRole('button', { name: /Who holds up 18 of 300 requests\?/ }).click();
    await page.getByRole('tab', { name: /^Compare 300$/, selected: true }).waitFor();
    expect(await textOf(firstItem(page, 'In which threads'))).toMatch(/^Thread maintenance: .* in 18 of 26/);
    // Another tab shows the timeline again.
    await page.getByRole('tab', { name: 'Selection' }).click();
    await page.locator('.gutter-row').first().waitFor();
  });

  test('a slow request leads to its path, and a link to what is compared', async ({ visitor }) => {
    const page = await visitor.visit();
    await compareRequests(page);
    // The slowest of all, 18.699 ms.
    const slowest = page.getByRole('grid', { name: 'Group B' }).getByRole('row').nth(1);
    expect(await textOf(slowest)).toMatch(/^120 worker-0 256 .*18\.\d\d\d/);
    await slowest.click();
    await page.getByRole('heading', { name: /Where did the time of worker-0 go\? 18\.\d* ms/ }).waitFor();
    expect(await page.locator('.gutter-row[aria-selected=true]').innerText()).toContain('worker-0');

    await page.getByRole('tab', { name: /^Compare/ }).click();
    // Fewer than the slow ones are left in B.
    const low = page.getByRole('slider', { name: 'Duration in B, from' });
    await low.focus();
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
    const left = await textOf(page.locator('.compare-heads'));
    const [, count] = /slow tail (\d+) of 300/.exec(left) ?? [];
    expect(Number(count)).toBeLessThan(26);
    expect(Number(count)).toBeGreaterThan(0);
    const chip = page.getByRole('button', { name: /^B: Duration from/ });
    const range = await textOf(chip);
    await expect.poll(() => addressAtRest(page)).toContain('brush=b');
    const again = await visitor.visit({ path: new URL(page.url()).hash });
    await again.getByRole('tab', { name: /^Compare 300$/ }).waitFor();
    expect(await textOf(again.locator('.compare-heads'))).toBe(left);
    expect(await textOf(again.getByRole('button', { name: /^B: Duration from/ }))).toBe(range);
    await again.getByRole('button', { name: /^B: Duration from/ }).click();
    expect(await textOf(again.locator('.compare-heads'))).toContain('26 of 300');
  });

  test('dragging in a histogram limits its group', async ({ visitor }) => {
    const page = await visitor.visit();
    await compareRequests(page);
    await page.getByLabel('Split by').selectOption('Ranges');
    const box = await boxOf(page.getByRole('group', { name: 'Duration in B' }));
    await page.mouse.move(box.x + 0.7 * box.width, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, { steps: 4 });
    await page.mouse.move(box.x + box.width + 5, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.getByRole('button', { name: /^B: Duration from/ }).waitFor();
    await inLooks(page, 'compare-ranges', ['1440-dark']);
    const [, a, b] = /(\d+) of 300.* (\d+) of 300/.exec(await textOf(page.locator('.compare-heads'))) ?? [];
    expect(Number(b)).toBeGreaterThan(0);
    expect(Number(a) + Number(b)).toBe(300);
    // A click beside the range gives it up.
    await page.mouse.click(box.x + 0.1 * box.width, box.y + box.height / 2);
    expect(await page.getByRole('button', { name: /^B: Duration/ }).count()).toBe(0);
  });

  test("two events of one's own are executions, too", async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByRole('tab', { name: /^Compare/ }).click();
    await inLooks(page, 'compare-choice', ['1024-light']);
    const form = page.getByRole('form', { name: 'Other executions' });
    await form.getByLabel('Begins with').fill('wk_req:begin');
    await form.getByLabel('Ends with').fill('wk_req:ending');
    await form.getByRole('button', { name: 'Compare these' }).click();
    await form.getByText('No event of this trace is called wk_req:ending.').waitFor();
    await form.getByLabel('Ends with').fill('wk_req:end');
    await form.getByLabel('id', { exact: true }).check();
    await form.getByRole('button', { name: 'Compare these' }).click();
    await page.getByRole('tab', { name: /^Compare 300$/ }).waitFor();
  });

  test("two events of one's own are executions in one process only, too", async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByRole('tab', { name: /^Compare/ }).click();
    const form = page.getByRole('form', { name: 'Other executions' });
    await form.getByLabel('Begins with').fill('syscall_entry_futex');
    await form.getByLabel('Ends with').fill('syscall_exit_futex');
    expect(await form.locator('#execution-processes option[value="wk-server"]').count()).toBe(1);
    await form.getByLabel('In process').fill('wk-server');
    await inLooks(page, 'compare-process', ['1440-light', '1024-dark']);
    await form.getByRole('button', { name: 'Compare these' }).click();
    // Of all processes there are 192.
    await page.getByRole('tab', { name: /^Compare 141$/ }).waitFor();
    await expect.poll(() => addressAtRest(page)).toContain(encodeURIComponent('process=wk-server'));
  });
});
