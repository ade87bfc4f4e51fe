/** Statistics of input and output: which file took most time, which request was slowest, and who made it. */
import type { Locator } from 'playwright';
import { expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { visitExample, cellsOf } from './walk.ts';

/** The cells of the first row. */
const firstRow = (table: Locator) => cellsOf(table.getByRole('row').nth(1));

test('disk and files lead to the longest call, and to who made a slow request', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('radio', { name: 'Disk and files' }).click();
  await page.getByRole('radio', { name: 'File', exact: true }).click();
  const files = page.getByRole('grid', { name: 'Read and written by file' });
  const [path, ...numbers] = await firstRow(files);
  expect(path).toBe('/data/write.dat');
  // 20 writes and 20 syncs: by the program itself 231.6 ms and 153.5 ms, with the way into the kernel and back.
  expect(numbers).toEqual(expect.arrayContaining(['384.404 ms', '111.185 ms', '20']));
  expect(await files.getByText(/pipe|socket/).count()).toBe(0);
  await inLooks(page, 'statistics-files', ['1440-light', '1024-dark']);
  await files.getByText('/data/write.dat').click();
  await expect.poll(() => page.locator('.gutter-row.selected').innerText()).toContain('wk-writer');
  await page.getByRole('tab', { name: 'Selection' }).click();
  const call = page.getByRole('region', { name: 'System call', exact: true });
  await call.getByRole('heading', { name: /^write 111\.185.ms/ }).waitFor();
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('radio', { name: 'Pipes' }).click();
  expect((await firstRow(files))[0]).toBe('pipe (tail)');

  await page.getByRole('radio', { name: 'Call', exact: true }).click();
  const calls = page.getByRole('grid', { name: 'Each read, write and sync' });
  await expect
    .poll(() => firstRow(calls))
    .toEqual(expect.arrayContaining(['111.185 ms', 'write', '/data/write.dat', 'wk-writer', '222']));
  await page.getByRole('searchbox', { name: 'Filter Each read, write and sync' }).fill('fsync');
  await expect.poll(() => firstRow(calls)).toEqual(expect.arrayContaining(['25.572 ms', 'fsync']));
  expect(await calls.getAttribute('aria-rowcount')).toBe('21');
  await inLooks(page, 'statistics-each', ['1440-light', '1024-dark']);
  await calls.getByText('fsync').first().click();
  await page.getByRole('tab', { name: 'Selection' }).click();
  await call.getByRole('heading', { name: /^fsync 25\.572.ms/ }).waitFor();
  await page.getByRole('tab', { name: 'Statistics' }).click();

  await page.getByRole('radio', { name: 'Request' }).click();
  const requests = page.getByRole('grid', { name: 'Each request of a disk' });
  await expect
    .poll(() => firstRow(requests))
    .toEqual(expect.arrayContaining(['8.237 ms', 'RA', '61.4 kB', 'tail']));
  // 45 of them are flushes.
  await page.getByText('whole trace, 212 requests').waitFor();
  await page
    .getByRole('img', { name: /^Queue to completion: 212, shortest .*longest 8\.237\sms$/ })
    .waitFor();
  await inLooks(page, 'statistics-requests', ['1440-light', '1024-dark']);
  const filter = page.getByRole('searchbox', { name: 'Filter Each request of a disk' });
  // Three by the events, and a fourth of 61,440 bytes took as long.
  await filter.fill('size>=65536 took>6.6ms');
  await expect.poll(() => requests.getAttribute('aria-rowcount')).toBe('4');
  await filter.fill('fsync');
  await expect
    .poll(() => firstRow(requests))
    .toEqual(expect.arrayContaining(['6.661 ms', 'WS', 'wk-writer', 'fsync', '/data/write.dat']));
  await requests.getByText('wk-writer').first().click();
  await expect.poll(() => page.locator('.gutter-row.selected').innerText()).toContain('wk-writer');
  await page.getByRole('tab', { name: 'Selection' }).click();
  // The request went to the disk at 332.798 ms, and was there until 339.459 ms.
  await page
    .getByRole('region', { name: 'Interval' })
    .getByRole('heading', { name: /^Blocked/ })
    .waitFor();
});
