/** What the Compare tab says of recorded programs whose cause is known, each opened as a user opens it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { sharedPath } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test, type Visitor } from './support.ts';
import { visitPaths, textsOf } from './walk.ts';

const TRACES = sharedPath('traces');

/** Opens a recording and takes the first executions that it suggests and whose words begin so. */
async function chosen(visitor: Visitor, trace: string, proposal: string): Promise<Page> {
  const page = await visitPaths(visitor, join(TRACES, trace));
  await page.getByRole('tab', { name: /^Compare/ }).click();
  await page
    .getByRole('button', { name: new RegExp(`^${proposal}`) })
    .first()
    .click();
  await page.getByRole('tab', { name: /^Compare \d/ }).waitFor();
  return page;
}

/** The same, until it says what explains the slow ones. */
async function compared(visitor: Visitor, trace: string, proposal: string): Promise<Page> {
  const page = await chosen(visitor, trace, proposal);
  await page.getByRole('list', { name: 'Where' }).getByRole('listitem').first().waitFor();
  return page;
}

/** The lines of a list of what explains B. */
function linesOf(page: Page, list: string): Promise<string[]> {
  return textsOf(page.getByRole('list', { name: list, exact: true }).getByRole('listitem'));
}

// Skipped where the folder with recorded traces is not there.
test.skipIf(!existsSync(TRACES))('a case study: its cause is the first', async ({ visitor }) => {
  const page = await compared(visitor, 'executions-preempt', 'wk_req:begin to wk_req:end');
  expect((await linesOf(page, 'Where'))[0]).toMatch(
    /^sort_keys, in house ▸ housekeeper ▸ rebuild_index of thread house-30hz, which ran instead of handle_tick ▸ compute_frame ▸ filter_block: 3.109 ms against none in A. Explains 14 of 21/,
  );
  const [first, second] = await linesOf(page, 'In which threads');
  // That of the execution comes first where it did most of it.
  expect(first.startsWith('Its own') ? second : first).toMatch(
    /^Thread house-30hz: .* against none in A; in 18 of 21/,
  );
  await inLooks(page, 'compare-preempted', ['1440-light', '1024-dark']);
});

describe.skipIf(!existsSync(TRACES))('programs that nothing was put into', () => {
  test('Apache: the slow requests waited for the lock of OPcache', async ({ visitor }) => {
    const page = await chosen(visitor, 'apache-opcache', 'syscall_exit_accept4 to syscall_entry_shutdown');
    // Requests of 2 to 548 ms, evenly: none stands out.
    await page.getByRole('button', { name: 'Look at the slowest tenth' }).click();
    await page.getByRole('list', { name: 'For which locks' }).waitFor();
    const [first, ...others] = await linesOf(page, 'For which locks');
    expect(first).toMatch(
      /^Waiting for \/tmp\/\.ZendSem\.\S+( \(deleted\))?: 26\.190 ms against 3\.157 ms in A; in all of B, 4 of 17 in A/,
    );
    expect(others).toEqual([]);
    await inLooks(page, 'compare-apache', ['1440-light', '1024-dark']);
  });

  test('PostgreSQL: slow statements waited for a backend whose log went to the disk', async ({ visitor }) => {
    const page = await compared(
      visitor,
      'pgbench',
      'syscall_exit_recvfrom to syscall_entry_sendto, process is postgres',
    );
    expect((await linesOf(page, 'Where'))[0]).toMatch(
      /^Waiting for the disk, epoll_wait → postgres in fdatasync → jbd2\/vdb-8: .* against none in A. Explains 23 of 110/,
    );
    expect((await linesOf(page, 'In which threads'))[0]).toMatch(/^Thread jbd2\/vdb-8: /);
    await inLooks(page, 'compare-postgres', ['1440-light', '1024-dark']);
  });
});

describe.skipIf(!existsSync(TRACES))('what would help a group', () => {
  test('is ranked by what it saves its executions', async ({ visitor }) => {
    const page = await compared(visitor, 'executions-lock', 'wk_req:begin to wk_req:end');
    await page.getByRole('radio', { name: 'What would help B' }).click();
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.getByText('26 of 26 replayed').waitFor();
    // As `inspect what-if --slow auto` has it.
    const lines = await linesOf(page, 'Changes');
    expect(lines[0]).toMatch(
      /^Program wk-server half as long: 18 of 26 gain 5 % or more. saves 3.572 ms on average/,
    );
    expect(lines.slice(0, 4).join()).toMatch(/Waits at futex cache_lock .* 18 of 26 gain 5 %/);
    await page.getByRole('button', { name: 'Replay again' }).waitFor();
  });
});
