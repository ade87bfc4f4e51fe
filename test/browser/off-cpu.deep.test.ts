/** Blocked time in the tab Flame graph, and locks by place: on recorded traces, with the numbers that `inspect` prints. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test, type Visitor } from './support.ts';
import { findThread, visitPaths, textOf } from './walk.ts';

const SHARED = sharedDir();
const EXAMPLE = join(projectDir(), 'public/examples/executions-lock');
const traceOf = (name: string) => join(SHARED ?? '', 'traces', name);

const ms = (ns: number) => (ns / 1e6).toFixed(3);

interface Profile {
  readonly time: number;
  readonly functions: readonly { readonly name: string; readonly total: number }[];
}

/** What `inspect profile` says of blocked time. */
const blockedOf = (path: string, ...options: readonly string[]) =>
  inspectJson<Profile>('profile', path, ...options, '--off-cpu', '--debug-dir', '');

/** The tab with blocked time of a thread, else of all. */
async function showOffCpu(visitor: Visitor, path: string, thread?: string): Promise<Page> {
  const page = await visitPaths(visitor, path);
  await page.getByRole('tab', { name: 'Flame graph' }).waitFor();
  if (thread !== undefined) await findThread(page, thread);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
  await page.getByRole('radio', { name: 'Off CPU' }).click();
  return page;
}

function rowOf(page: Page, table: string, name: string): Locator {
  const cell = page.getByRole('gridcell').getByText(name, { exact: true });
  return page.getByRole('grid', { name: table }).getByRole('row').filter({ has: cell }).first();
}

async function expectFunctions(page: Page, profile: Profile, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const known = profile.functions.find((each) => each.name === name);
    await expect
      .poll(() => textOf(rowOf(page, 'Functions', name)), { message: name })
      .toContain(ms(known?.total ?? NaN));
  }
}

test('a worker waits for a lock: its stack, the lock, and who ended the waits', async ({ visitor }) => {
  const page = await showOffCpu(visitor, EXAMPLE, '256');
  const profile = await blockedOf(EXAMPLE, '--thread', '256');
  await expect
    .poll(() => textOf(page.locator('.profile-bar')))
    .toContain(`worker-0 256 ${ms(profile.time)} ms blocked in 2.388 s that are visible`);
  const lock = 'waits for futex cache_lock of wk-server';
  await expectFunctions(page, profile, [lock, 'cache_lookup', '← thread maintenance', 'ended by a timer']);
  await inLooks(page, 'off-cpu');

  const find = page.getByRole('searchbox', { name: 'Find in Flame graph' });
  await find.fill('maintenance');
  const ofMaintenance = profile.functions.find(({ name }) => name === '← thread maintenance')?.total ?? NaN;
  const share = ((100 * ofMaintenance) / profile.time).toFixed(1);
  await page.getByText(new RegExp(`^${share}.% match$`)).waitFor();
  await find.fill('');

  // By keys, as any choice of one of a few; the link has what was chosen.
  const first = page.getByRole('radio', { name: 'Sleeper first' });
  await first.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.getByRole('radio', { name: 'Waker first' }).isChecked()).toBe(true);
  await page.getByRole('radio', { name: 'Lock', exact: true }).click();
  await expectFunctions(page, profile, [lock]);
  await rowOf(page, 'Functions', 'no lock known').waitFor();
  await expect.poll(() => page.url()).toContain('flame.first=lock');
  expect(page.url()).toContain('flame.time=off');

  // The function's callers, and what stands below it.
  await rowOf(page, 'Functions', 'cache_lookup').click();
  await page.getByRole('tree', { name: 'Callees' }).waitFor();
  await page.getByRole('button', { name: 'All functions' }).click();
  await page.getByRole('radio', { name: 'On CPU' }).click();
  await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('on a CPU in');
});

test('slow requests differ from fast ones in the time that they are blocked', async ({ visitor }) => {
  const page = await visitPaths(visitor, EXAMPLE);
  await page.getByRole('tab', { name: /^Compare/ }).click();
  await page
    .getByRole('button', { name: /^wk_req:begin to wk_req:end/ })
    .first()
    .click();
  await page.getByRole('tab', { name: /^Compare \d/ }).waitFor();
  const graph = page.getByRole('region', { name: 'Where B spends its time' });
  await graph.getByRole('radio', { name: 'Off CPU' }).click();
  const find = graph.getByRole('searchbox');
  await find.fill('cache_lock');
  const { offCpu } = await inspectJson<{ offCpu: readonly (readonly [string, number, number])[] }>(
    ...['executions', EXAMPLE, '--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'],
    ...['--slow', 'auto', '--off-cpu', '--debug-dir', ''],
  );
  const meanOf = (lines: typeof offCpu) => lines.reduce((sum, [, , meanB]) => sum + meanB, 0);
  const share = (100 * meanOf(offCpu.filter(([stack]) => stack.includes('cache_lock')))) / meanOf(offCpu);
  expect(share).toBeGreaterThan(90);
  await graph.getByText(new RegExp(`^${share.toFixed(1)}.% match$`)).waitFor();
  expect(page.url()).not.toContain('compare.direction');
  await expect.poll(() => page.url()).toContain('compare.time=off');
  await find.fill('');
  await inLooks(page, 'compare-off-cpu', ['1440-light', '1024-dark']);
});

describe.skipIf(SHARED === undefined)('recorded traces', () => {
  test('system calls alone tell of blocked time, and of locks of the kernel', async ({ visitor }) => {
    const path = traceOf('kernel-contention');
    const page = await showOffCpu(visitor, path);
    const profile = await blockedOf(path, '--of', 'all');
    await expect
      .poll(() => textOf(page.locator('.profile-bar')))
      .toContain(`${(profile.time / 1e9).toFixed(3)} s blocked in 1.088 s`);
    await page.getByRole('searchbox', { name: 'Filter Functions' }).fill('rwsem');
    await expectFunctions(page, profile, ['waits for rwsem 0x…39a8 of the kernel (in pwrite64)']);

    await page.getByRole('tab', { name: 'Locks' }).click();
    await page.getByRole('radio', { name: 'Places' }).click();
    const place = rowOf(page, 'Places', 'pwrite64');
    expect(await textOf(place)).toMatch(
      /^pwrite64 rwsem 0x…39a8 of the kernel \(in pwrite64\) 17 17 .*164\.120 .*164\.103$/,
    );
    await place.click();
    await page.getByRole('button', { name: 'All locks' }).waitFor();
    await expect
      .poll(() => page.getByRole('grid', { name: 'Places' }).getAttribute('aria-rowcount'))
      .toBe('3');
    await page.getByRole('tree', { name: 'Waits by place' }).waitFor();
    await inLooks(page, 'lock-places', ['1440-light', '1024-dark']);
  });

  test('a server waits for its client and the network', async ({ visitor }) => {
    const path = traceOf('sampled-cxx');
    const page = await showOffCpu(visitor, path, 'srv-main');
    const profile = await blockedOf(path, '--thread', '272');
    await expectFunctions(page, profile, [
      'ended by the network',
      'file socket (srv-main)',
      'syscall accept',
    ]);
    await page.getByRole('radio', { name: 'File', exact: true }).click();
    await rowOf(page, 'Functions', 'no file known').waitFor();
    await expectFunctions(page, profile, ['file socket (srv-main)']);
  });
});
