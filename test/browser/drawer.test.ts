/** The drawer below the timeline: what it keeps while one looks at something else, its height, its keys. */
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { openExample } from './walk.ts';

describe('the drawer', () => {
  test('keeps what was chosen in the statistics while another tab is shown', async ({ visitor }) => {
    const page = await visitor.visit();
    await openExample(page, 'disk-io');
    await page.getByRole('radio', { name: 'System calls' }).click();
    await page.getByRole('radio', { name: 'Thread', exact: true }).click();
    const table = page.getByRole('grid', { name: 'System calls' });
    const calls = table.getByRole('columnheader', { name: /^Calls/ });
    await calls.getByRole('button').click();
    await expect.poll(() => calls.getAttribute('aria-sort')).toBe('descending');
    await page.getByRole('tab', { name: 'Selection' }).click();
    await table.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await table.getByRole('columnheader', { name: 'Thread' }).waitFor();
    expect(await calls.getAttribute('aria-sort')).toBe('descending');
  });
});
