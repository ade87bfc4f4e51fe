/** Rows that are active in what is seen, and the others. */
import { screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, opened, showRange, visitExample } from './walk.ts';

test('only rows that are active in view are shown where the reader wants that', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  const gutter = page.locator('.gutter');
  const row = (name: string) => gutter.getByText(name, { exact: true });
  const hidden = gutter.getByText(/\d+ rows not active here/);
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'CPU time', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: item }).click();
  };
  await row('wk-reader').waitFor();
  await choose('Active in view only');
  // In this part the reader waits all the time.
  await showRange(page, '306.6 ms', '306.7 ms');
  await hidden.waitFor();
  await row('wk-reader').waitFor({ state: 'detached' });
  await screenshot(page, 'rows-in-view');
  // Who is looked for is shown, and stays.
  await findThread(page, 'wk-reader');
  await row('wk-reader').waitFor();
  // The address follows a moment later.
  await page.waitForFunction(() => /&row=.*&rows=active/.test(window.location.hash));
  await page.reload();
  await opened(page);
  await hidden.waitFor();
  await row('wk-reader').waitFor();
  await gutter.getByRole('button', { name: 'Show all' }).click();
  await hidden.waitFor({ state: 'detached' });
  await row('wk-writer').waitFor();
});
