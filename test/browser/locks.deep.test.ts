/** The Locks tab: each view answers a question, on recorded traces. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { sharedPath } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { test, type Visitor } from './support.ts';
import { visitExample, visitPaths, textOf, textsOf, plain } from './walk.ts';

/** The tab, with its count, once the locks have been read. */
async function showLocks(page: Page): Promise<Locator> {
  await page.getByRole('tab', { name: /^Locks/ }).click();
  const panel = page.locator('.locks');
  await panel.getByRole('gridcell').first().waitFor();
  return panel;
}

/** The cells of a table's row by its name. */
async function rowOf(panel: Locator, table: string, name: string | RegExp): Promise<string[]> {
  const row = panel.getByRole('grid', { name: table }).getByRole('row').filter({ hasText: name }).first();
  return textsOf(row.getByRole('gridcell'));
}

describe('two threads and more that fight for a mutex', () => {
  test('which lock costs most, who made whom wait, and who held it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    const panel = await showLocks(page);
    expect(await textOf(page.getByRole('tab', { name: /^Locks/ }))).toMatch(/^Locks\s+8$/);
    const table = panel.getByRole('grid', { name: 'Locks' });
    const first = await textsOf(table.getByRole('row').nth(1).getByRole('gridcell'));
    expect(first[0]).toBe('mutex 0x…f260');
    // 36 of 60 requests waited, 374.583 ms together, 25.148 ms at most, and no more than three at once.
    expect(first).toEqual(expect.arrayContaining(['36 of 60', '374.583', '25.148 ms', '3']));
    expect(await rowOf(panel, 'Locks', 'f220')).toEqual(expect.arrayContaining(['4 of 25', '40.107']));

    const matrix = panel.getByRole('grid', { name: 'Who made whom wait' });
    // Who made others wait longest is first.
    expect((await textsOf(matrix.getByRole('columnheader'))).slice(1)).toEqual([
      'fight-0',
      'fight-3',
      'fight-1',
      'fight-2',
      'Sum',
    ]);
    const cell = matrix.getByRole('gridcell', {
      name: /^62.0: fight-3 waited 62.033.936.ms for fight-0, in 11 waits$/,
    });
    expect(await cell.innerText()).toBe('62.0');
    await inLooks(page, 'locks');

    await cell.click();
    const waits = panel.getByRole('grid', { name: 'Waits' });
    await expect.poll(() => waits.getAttribute('aria-rowcount')).toBe('12');
    expect(await textOf(panel.locator('.stat-head'))).toContain('11 waits, 62.034 ms');
    // The link shows them again.
    await expect.poll(() => page.url()).toContain('waits');
    const again = await visitor.visit({ path: new URL(page.url()).hash });
    await expect
      .poll(() => again.getByRole('grid', { name: 'Waits' }).getAttribute('aria-rowcount'))
      .toBe('12');
  });

  test('a lock leads to its place, path and holder, and has the name given to it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    const panel = await showLocks(page);
    await panel.getByRole('grid', { name: 'Locks' }).getByText('f260').click();
    const detail = panel.getByRole('complementary', { name: 'Lock', exact: true });
    const longest = detail.getByRole('region', { name: 'Longest wait' });
    await longest.getByText(/fight-2 waited 25.148.ms/).waitFor();
    const selected = page.locator('.gutter-row[aria-selected=true]');
    await expect.poll(() => selected.innerText()).toContain('mutex 0x…f260 of wk-lockfight');
    // Its place: 25.148 ms and a little around it, and the tab stays.
    await longest.getByRole('button', { name: 'Show it' }).click();
    await expect.poll(() => textOf(page.locator('.range-button'))).toMatch(/9\d\d.* ms/);
    // What the group's row sums up follows its name.
    await expect.poll(() => selected.innerText()).toMatch(/^Locks\b/);
    await longest.getByRole('button', { name: 'Its holder' }).click();
    await page.getByRole('tab', { name: 'Selection' }).click();
    await page.getByRole('heading', { name: /^holds mutex 0x…f260/ }).waitFor();
    await page.getByRole('tab', { name: /^Locks/ }).click();

    await detail.getByRole('button', { name: 'Rename' }).click();
    await detail.getByLabel('Name of the lock').fill('m_hot');
    await page.keyboard.press('Enter');
    expect(await rowOf(panel, 'Locks', 'm_hot')).toEqual(expect.arrayContaining(['374.583']));
    // The address follows after a moment.
    await expect.poll(() => page.url()).toContain('tab=locks');
    await page.reload();
    await page.getByRole('grid', { name: 'Locks' }).getByText('m_hot').waitFor();

    // The row of the lock, to which a click leads, is called so, too, and the path says in whose hands it was.
    await page.getByRole('grid', { name: 'Locks' }).getByText('m_hot').click();
    await page.locator('.gutter-row', { hasText: 'm_hot' }).waitFor();
    await page.getByRole('button', { name: 'Its path' }).click();
    await page.getByRole('heading', { name: /Where did the time of fight-2 go/ }).waitFor();
    const sentence = page.locator('.path-sentence');
    await sentence.getByText('held in turn by').waitFor();
    expect(plain((await sentence.textContent()) ?? '')).toMatch(
      /for m_hot, held in turn by fight-1, fight-0, fight-3 \(twice\) and fight-0 while they ran [\d.]+ ms; [\d.]+ ms it was free and fight-2 and fight-3 waited for a CPU\. /,
    );
  });

  test('how long locks were held within locks', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    const panel = await showLocks(page);
    await panel.getByRole('radio', { name: 'Sections' }).click();
    const sections = panel.getByRole('tree', { name: 'Critical sections' });
    await sections.focus();
    // The thread that held locks longest, once it is there; then the lock that it held longest.
    const described = panel.locator('.flame-described');
    await expect
      .poll(async () => {
        if ((await described.locator('b').count()) > 0) return described.innerText();
        // One key alone: a second one would lead further.
        await page.keyboard.press('ArrowDown');
        await described
          .locator('b')
          .waitFor({ timeout: 3000 })
          .catch(() => undefined);
        return '';
      })
      .toMatch(/^fight-0/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => textOf(described)).toMatch(/^mutex 0x…f260 \d+\.\d+ ms .* in fight-0$/);
    await inLooks(page, 'locks-sections', ['1440-light', '1024-dark']);
  });

  test('events of the user’s own are read as lock events, and are in the link', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    const panel = await showLocks(page);
    await panel.getByRole('button', { name: 'Lock events' }).click();
    const dialog = page.getByRole('dialog', { name: 'Lock events' });
    await dialog.getByText('424 events of this trace are known to be about locks.').waitFor();
    await dialog.getByLabel('Event', { exact: true }).fill('lttng_ust_pthread:*_mutex_lock_req');
    await dialog.getByText('Matches 1 event, recorded 138 times').waitFor();
    await dialog.getByLabel('Kind').selectOption('read-write lock');
    await dialog.getByLabel('Mode').selectOption('shared (to read)');
    await dialog.getByRole('button', { name: 'Add the event' }).click();
    await dialog.getByText('A thread asks for the lock: read-write lock by mutex, shared').waitFor();
    await inLooks(page, 'lock-events', ['1440-light']);
    await dialog.getByRole('button', { name: 'Show', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    // Requests are no mutex's any more.
    await panel.getByRole('grid', { name: 'Locks' }).getByText('rwlock 0x…f260').waitFor();
    await expect.poll(() => page.url()).toContain('lock-event');

    // Who opens the link, which leads to the example, has them too, and can take them away.
    const again = await visitor.visit({ path: new URL(page.url()).hash });
    const locks = again.getByRole('grid', { name: 'Locks' });
    await locks.getByText('rwlock 0x…f260').waitFor();
    await again.getByRole('button', { name: 'Lock events' }).click();
    await again.getByRole('button', { name: /^Remove lttng_ust_pthread/ }).click();
    await again.getByRole('button', { name: 'Show', exact: true }).click();
    await locks.getByText('rwlock 0x…f260').waitFor({ state: 'detached' });
  });

  test('cells of the matrix are reached by keys', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    const panel = await showLocks(page);
    const matrix = panel.getByRole('grid', { name: 'Who made whom wait' });
    await matrix.locator('td[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toMatch(/^15.0: fight-0 waited 15.049.401.ms for fight-3, in 4 waits$/);
    await page.keyboard.press('Enter');
    await expect
      .poll(() => panel.getByRole('grid', { name: 'Waits' }).getAttribute('aria-rowcount'))
      .toBe('5');
  });
});

const TRACES = sharedPath('traces');

async function openRecorded(visitor: Visitor, name: string): Promise<{ page: Page; panel: Locator }> {
  const page = await visitPaths(visitor, join(TRACES, name));
  return { page, panel: await showLocks(page) };
}

// Skipped where the folder with recorded traces is not there.
describe.skipIf(!existsSync(TRACES))('recorded locks', () => {
  test('who is in the deadlock, and which order led to it', async ({ visitor }) => {
    const { page, panel } = await openRecorded(visitor, 'deadlock-ust');
    const deadlock = panel.getByRole('region', { name: 'Deadlock' });
    const said = (await deadlock.innerText()).replace(/[\u2009\u202f]/g, ' ');
    expect(said).toContain('Deadlock of dead-ab and dead-ba');
    expect(said).toMatch(/dead-ab waits for mutex mb .*, which dead-ba holds/);
    expect(said).toMatch(/dead-ba waits for mutex ma .*, which dead-ab holds/);
    expect(await panel.getByRole('region', { name: 'Lock order' }).count()).toBe(1);
    await inLooks(page, 'locks-deadlock');
    await deadlock.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.locator('.gutter-row[aria-selected=true]').innerText()).toMatch(/^Locks/);
  });

  test('which orders of locks are dangerous, and is it fair', async ({ visitor }) => {
    const { panel } = await openRecorded(visitor, 'locks-many');
    const orders = panel.getByRole('region', { name: 'Lock order' });
    expect(await orders.count()).toBe(2);
    for (const order of await orders.all()) await order.locator('summary').click();
    const [two, three] = await textsOf(orders);
    expect(two).toMatch(/g_b .* then mutex g_a .* lk-1 \(3 times/);
    expect(two).toMatch(/g_a .* then mutex g_b .* lk-0 \(3 times/);
    expect(three.match(/ then /g)).toHaveLength(3);
    // The mutex that threads overtake each other at.
    await panel.getByRole('grid', { name: 'Locks' }).getByText('g_convoy').click();
    await panel.getByText('30 of its acquisitions overtook a thread that had asked earlier.').waitFor();
  });

  test('was it spinning', async ({ visitor }) => {
    const { panel } = await openRecorded(visitor, 'spinlock-sem');
    expect(await rowOf(panel, 'Locks', 'spinlock')).toContain('95.1 %');
    expect(await rowOf(panel, 'Locks', 'items')).toContain('0.1 %');
  });

  test('waits for locks of the kernel: which, in which call, and who ended them', async ({ visitor }) => {
    const { page, panel } = await openRecorded(visitor, 'kernel-contention');
    const table = panel.getByRole('grid', { name: 'Locks of the kernel' });
    const first = table.getByRole('row').nth(1);
    const cells = await textsOf(first.getByRole('gridcell'));
    expect(cells[0]).toBe('rwsem 0x…d5f0, mostly outside of system calls');
    expect(cells).toEqual(expect.arrayContaining(['none, mmap, munmap, mprotect', '260', '519.629']));
    // Its waits for futexes are shorter: no advice on them.
    expect(await panel.getByRole('region', { name: 'Holders' }).count()).toBe(0);
    await table.getByText('rwsem 0x…4c48').click();
    const waits = panel.getByRole('grid', { name: 'Waits' });
    await expect.poll(() => waits.getAttribute('aria-rowcount')).toBe('34');
    const wait = panel.getByRole('region', { name: 'Wait' });
    expect(await textOf(wait)).toMatch(
      /kc-\d waited 31\.235 ms for rwsem 0x…4c48 of the kernel in rename, from .* on, until kc-\d released it and woke it/,
    );
    await wait.getByRole('button', { name: 'Its path' }).click();
    await page
      .locator('.path-sentence')
      .getByText(/For 31.235.ms it waited for rwsem 0x…4c48 of the kernel, mostly until kc-\d released it/)
      .waitFor();
  });

  test('a lock behind which a server waits for work is in no headline and no matrix', async ({ visitor }) => {
    const { panel } = await openRecorded(visitor, 'apache-opcache');
    await panel.getByText(/^Without .*mpm-accept.*: who holds .* waits for work/).waitFor();
    expect(await panel.getByRole('region', { name: 'Convoy' }).count()).toBe(0);
    const matrix = panel.getByRole('grid', { name: 'Who made whom wait' });
    const [sum] = (await textsOf(matrix.getByRole('row').last().getByRole('gridcell'))).slice(-1);
    // The waits for the cache's lock, 174 ms; those of the idle one are 4.7 s.
    expect(Number(sum)).toBeCloseTo(174, -1);
    // Who waits for a file's lock does not spin.
    const cache = await rowOf(panel, 'Locks', 'ZendSem');
    expect(cache.filter((cell) => cell.includes('%'))).toEqual([]);
    // Threads of one name are told apart.
    const heads = (await textsOf(matrix.getByRole('columnheader'))).slice(1, -1);
    expect(new Set(heads).size).toBe(heads.length);
  });

  test('futexes of a program without lock events: waits, and that they gave up', async ({ visitor }) => {
    const { panel } = await openRecorded(visitor, 'deadlock-timeout');
    await panel.getByRole('region', { name: 'Holders' }).waitFor();
    const futexes = panel.getByRole('grid', { name: 'Futexes' });
    await futexes.getByText('0x556540c1e0e0').first().click();
    const waits = panel.getByRole('grid', { name: 'Waits' });
    const ended = waits.getByRole('gridcell').filter({ hasText: 'gave up' });
    await expect.poll(() => ended.count()).toBe(2);
  });
});
