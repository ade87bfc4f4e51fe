/** How much this browser keeps, for how long, and how all of it is deleted. */
import { expect } from 'vitest';
import { formatBytes } from '../../src/app/format/numbers.ts';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';
import { openExample } from './walk.ts';

test('the start page says what kept traces take, keeps them for good, deletes all', async ({ visitor }) => {
  const page = await visitor.visit();
  const kept = page.locator('details.kept');
  await page.getByText('Traces that you open are listed here').waitFor();
  expect(await kept.count()).toBe(0);
  // What browsers ask their user, or decide by themselves.
  await page.evaluate(() => {
    let isPersistent = false;
    navigator.storage.persisted = () => Promise.resolve(isPersistent);
    navigator.storage.persist = () => Promise.resolve((isPersistent = true));
  });
  for (const example of ['disk-io', 'imbalance-4t']) {
    await openExample(page, example);
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await page.getByRole('button', { name: `Delete ${example} from this browser` }).waitFor();
  }
  await kept.getByText(/B kept on this computer/).click();
  const files = await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('wakepath');
    const sizes: number[] = [];
    for await (const handle of folder.values()) {
      if (handle instanceof FileSystemFileHandle) sizes.push((await handle.getFile()).size);
    }
    return sizes;
  });
  expect(files).toHaveLength(2);
  for (const bytes of files) expect(bytes).toBeGreaterThan(1000);
  const shown = (await kept.locator('dd').allTextContents()).sort();
  expect(shown).toEqual(files.map(formatBytes).sort());
  const total = formatBytes(files[0] + files[1]);
  expect(await kept.locator('summary').textContent()).toBe(`${total} kept on this computer`);
  await kept.getByText(/^The browser counts .*B of .*B, with indexes and the page itself/).waitFor();
  await kept.getByText('It may delete them when it needs room.').waitFor();
  await screenshot(page, 'kept-storage');
  await kept.getByRole('button', { name: 'Keep them for good' }).click();
  await kept.getByText('It keeps them until you delete them.').waitFor();
  await kept.getByRole('button', { name: 'Delete all' }).click();
  await page.getByText('Traces that you open are listed here').waitFor();
  expect(await kept.count()).toBe(0);
  await page.reload();
  await page.getByText('Traces that you open are listed here').waitFor();
});
