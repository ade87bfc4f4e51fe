/** What the Compare tab says of recorded programs whose cause is known, each opened as a user opens it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { sharedDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { opened } from './walk.ts';

const TRACES = join(sharedDir() ?? '', 'traces');

/** Opens a recording and takes the first executions that it suggests and whose words begin so. */
async function chosen(visitor: Visitor, trace: string, proposal: string): Promise<Page> {
  const page = await visitor.visit();
  await dropPaths(page, [join(TRACES, trace)]);
  await opened(page);
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

/** The lines of a list of what explains B, with the thin spaces of numbers as spaces. */
async function linesOf(page: Page, list: string): Promise<string[]> {
  const lines = await page
    .getByRole('list', { name: list, exact: true })
    .getByRole('listitem')
    .allInnerTexts();
  return lines.map((line) =>
    line
      .replace(/[\u2009\u202f]/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

// Skipped where the folder with recorded traces is not there.
describe.skipIf(!existsSync(TRACES))('the case studies', () => {
  const REQUESTS = 'wk_req:begin to wk_req:end';

  test.for([
    {
      trace: 'executions-preempt',
      cause:
        /^sort_keys, in house ▸ housekeeper ▸ rebuild_index of thread house-30hz, which ran instead of handle_tick ▸ compute_frame ▸ filter_block: explains 14 /,
      thread: /^Thread house-30hz: .* in 18 of 21 in B, 0 of 120 in A/,
    },
    {
      trace: 'executions-fsync',
      cause: /^Waiting for the disk, in load_page ▸ read_block ▸ syscall pread64: explains 89 /,
      thread: /^Thread logger: .* in 73 of 91 in B, 2 of 125 in A/,
    },
    {
      trace: 'executions-disk',
      cause:
        /^Waiting for the disk, in thread jbd2\/vdb-8, for which handle_request ▸ journal_append ▸ syscall fsync waited: explains 20 /,
      thread: /^Thread jbd2\/vdb-8: .* in 28 of 36 in B, 0 of 150 in A/,
    },
    {
      trace: 'server-sleep',
      cause: /^Sleeping for a time, in page_in ▸ hazard_pointer_wait ▸ syscall clock_nanosleep: explains 6 /,
      thread: /^Its own thread: /,
    },
  ])('$trace: its cause is the first', async ({ trace, cause, thread }, { visitor }) => {
    const page = await compared(visitor, trace, REQUESTS);
    expect((await linesOf(page, 'Where'))[0]).toMatch(cause);
    const [first, second] = await linesOf(page, 'In which threads');
    // That of the execution comes first where it did most of it.
    expect(trace !== 'server-sleep' && first.startsWith('Its own') ? second : first).toMatch(thread);
    if (trace === 'executions-preempt') await inLooks(page, 'compare-preempted', ['1440-light', '1024-dark']);
  });
});

describe.skipIf(!existsSync(TRACES))('programs that nothing was put into', () => {
  test('Apache: the slow requests waited for the lock of OPcache', async ({ visitor }) => {
    const page = await chosen(visitor, 'apache-opcache', 'syscall_exit_accept4 to syscall_entry_shutdown');
    // Requests of 2 to 548 ms, evenly: none stands out.
    await page.getByRole('button', { name: 'Look at the slowest tenth' }).click();
    await page.getByRole('list', { name: 'For which locks' }).waitFor();
    const [first, ...others] = await linesOf(page, 'For which locks');
    expect(first).toMatch(
      /^Waiting for \/tmp\/\.ZendSem\.\S+( \(deleted\))?: 26\.190 ms in B on average, 3\.157 ms in A; in 3 of 3 in B, 4 of 17 in A/,
    );
    expect(others).toEqual([]);
    await inLooks(page, 'compare-apache', ['1440-light', '1024-dark']);
  });

  test('PostgreSQL: the slow statements waited for a backend whose log went to the disk', async ({
    visitor,
  }) => {
    const page = await compared(
      visitor,
      'pgbench',
      'syscall_exit_recvfrom to syscall_entry_sendto, process is postgres',
    );
    expect((await linesOf(page, 'Where'))[0]).toMatch(
      /^Waiting for the disk, in thread jbd2\/vdb-8, for which syscall fdatasync of thread postgres waited, for which syscall epoll_wait waited: explains 23 executions; in 37 of 110 in B, 0 of 131 in A/,
    );
    expect((await linesOf(page, 'In which threads'))[0]).toMatch(/^Thread jbd2\/vdb-8: /);
    await inLooks(page, 'compare-postgres', ['1440-light', '1024-dark']);
  });
});
