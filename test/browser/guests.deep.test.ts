/** A virtual machine beside its host: what that took of a path, and which machine the user says it is. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { ASK, recordGuest } from '../support/recorded-guest.ts';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, visitPaths } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

test('the path of a guest tells what its host took, if the machine is known', async ({ visitor }) => {
  const tid = recordGuest(folder, [ASK, ASK, ASK, { does: 'compute', ns: 6_000_000 }, ASK]);
  const page = await visitPaths(visitor, join(folder, 'host0'), join(folder, 'host1'));
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
