/** A virtual machine beside its host: what that took of a path, and which machine the user says it is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { ASK, recordGuest } from '../support/recorded-guest.ts';
import { screenshot } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { findThread, opened } from './walk.ts';

const folder = mkdtempSync(join(tmpdir(), 'guests-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the path of a guest', () => {
  test('tells what its host took, as far as it is known which machine it is', async ({ visitor }) => {
    const tid = recordGuest(folder, [ASK, ASK, ASK, { does: 'compute', ns: 6_000_000 }, ASK]);
    const page = await visitor.visit();
    await dropPaths(page, [join(folder, 'host0'), join(folder, 'host1')]);
    await opened(page);
    await findThread(page, String(tid));
    await page.keyboard.press('p');
    const table = page.getByRole('region', { name: 'Time on the path' });
    const taken = table.getByRole('row').filter({ hasText: 'Preempted by the host' });
    await taken.waitFor();
    expect(await taken.locator('.path-state').getAttribute('title')).toMatch(/^[\d.]+\s.s\s+other-\d$/m);
    await page.getByText(/preempted by its host/).waitFor();
    await screenshot(page, 'path-guest');
    await page.getByRole('tab', { name: 'Sync' }).click();
    const machines = page.getByRole('list', { name: 'Virtual machines' });
    await machines
      .getByText(/process \d+ \(init\) of host1/)
      .last()
      .waitFor();
    await screenshot(page, 'sync-guest');
    await machines.getByRole('combobox').selectOption('none');
    await page.getByRole('tab', { name: 'Path' }).click();
    await taken.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Sync' }).click();
    // A link tells it, too.
    await page.waitForFunction(() => /guest=.*tab=sync/.test(window.location.hash));
    await page.reload();
    await expect.poll(() => machines.getByRole('combobox').inputValue()).toBe('none');
    await machines.getByRole('combobox').selectOption('found');
    await page.getByRole('tab', { name: 'Path' }).click();
    await taken.waitFor();
  });
});
