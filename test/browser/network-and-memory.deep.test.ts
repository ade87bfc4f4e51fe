/** Statistics of the network, which interface sent how much and to whom, of the kernel's memory, and of a program's heap. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { visitExample, visitPaths, cellsOf } from './walk.ts';

/** The cells of the first row of a table with this text. */
function rowWith(page: Page, table: string, text: string): Promise<string[]> {
  return cellsOf(page.getByRole('grid', { name: table }).getByRole('row').filter({ hasText: text }).first());
}

test('network shows what each host sent and received, by interface and by peer', async ({ visitor }) => {
  const page = await visitExample(visitor, 'two-hosts-http');
  await page.getByRole('radio', { name: 'Network' }).click();
  expect(await rowWith(page, 'Packets by interface', 'client')).toEqual(
    expect.arrayContaining(['eth0', '157', '156']),
  );
  await page.getByRole('radio', { name: 'Peer' }).click();
  expect(await rowWith(page, 'Packets by peer', '10.0.0.1')).toEqual(
    expect.arrayContaining(['client', '155', '155']),
  );
  await inLooks(page, 'statistics-network', ['1440-light', '1024-dark']);
});

describe('kernel memory', () => {
  test('says which events are missing', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('radio', { name: 'Kernel memory' }).click();
    await page.getByRole('heading', { name: 'Not recorded' }).waitFor();
    await page.getByText(/lttng enable-event .*kmem_mm_page_alloc/).waitFor();
  });

  test.skipIf(sharedDir() === undefined)('is shown by thread and program', async ({ visitor }) => {
    const page = await visitPaths(visitor, sharedPath('real/16-cores-rt'));
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Kernel memory' }).click();
    expect(await rowWith(page, 'Kernel memory by thread', '13040')).toEqual(
      expect.arrayContaining(['lttng-consumerd', '5 832', '5 811']),
    );
    await page.getByRole('radio', { name: 'Program', exact: true }).click();
    expect(await rowWith(page, 'Kernel memory by program', 'lttng-consumerd')).toEqual(
      expect.arrayContaining(['2', '6 074', '6 037']),
    );
    await inLooks(page, 'statistics-memory', ['1440-light', '1024-dark']);
  });
});

test('the heap shows what was not freed, by process, thread and call site', async ({ visitor }) => {
  const page = await visitPaths(visitor, join(projectDir(), 'test/fixtures/heap/ust'));
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('radio', { name: 'Heap' }).click();
  expect(await rowWith(page, 'Heap by process', '10928')).toEqual(
    expect.arrayContaining(['leaky', '3.7 kB', '9', '28.9 kB', '80.6 kB']),
  );
  await inLooks(page, 'statistics-heap', ['1440-light', '1024-dark']);
  await page.getByRole('radio', { name: 'Call site', exact: true }).click();
  expect(await rowWith(page, 'Heap by call site', 'leaky+0x11c7')).toEqual(
    expect.arrayContaining(['3.0 kB', '3']),
  );
  await inLooks(page, 'statistics-heap-sites', ['1440-light']);
});
