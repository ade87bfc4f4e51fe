/** Threads of containers: both numbers on rows, spans of user space below the host's thread, groups by pid namespace. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { formatDuration } from '../../src/app/format/numbers.ts';
import { sharedPath } from '../support/shared.ts';
import { casePath } from '../support/states-goldens.ts';
import { threadTrace, type ThreadEvent } from '../support/thread-trace.ts';
import { saveTrace } from '../support/trace-files.ts';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { findThread, opened, visitPaths, gutterRows } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Name and number of each row that is rendered, from the top. */
const namesOf = (page: Page) => gutterRows(page, '.gutter-name, .gutter-id');

/** Goes to a thread; what the tab Selection says of it, by name of the pair. */
async function detailsOf(page: Page, query: string, title: string): Promise<Record<string, string>> {
  await findThread(page, query);
  await page.getByRole('tab', { name: 'Selection' }).click();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  const texts = await page
    .locator('section[aria-label=Row] dl.pairs')
    .evaluate((list) =>
      [...list.querySelectorAll('dt')].map((name) => [
        name.textContent,
        name.nextElementSibling?.textContent ?? '',
      ]),
    );
  return Object.fromEntries(texts) as Record<string, string>;
}

test('a span of a container lies below its thread, which says both numbers', async ({ visitor }) => {
  const page = await visitPaths(visitor, casePath('container-vtid'));
  // Thread 7 of the host is a kernel thread, in the last group.
  const rows = ['trace box', 'CPU 0', 'svc 4711 (7)', 'app:work', 'other 20', 'Resources', 'Kernel threads'];
  await expect.poll(() => namesOf(page)).toEqual(rows);
  expect(await detailsOf(page, '4711', 'Thread svc 4711 (7)')).toMatchObject({
    'Thread id': '4711, 7 in its container',
    'Pid namespace': '4026532500',
    'On CPU': formatDuration(5_000_000),
  });
  // One nested namespace makes no groups, and nothing to choose.
  await page.getByTitle('Order of the rows').click();
  await page.getByRole('menuitemradio', { name: 'Name' }).waitFor();
  expect(await page.getByRole('menuitemcheckbox', { name: 'Group by namespace' }).count()).toBe(0);
});

const RECORDED = sharedPath('traces', 'container-ns');

// Skipped where the folder with recorded traces is not there.
test.skipIf(!existsSync(RECORDED))('locks of a recorded container have its threads', async ({ visitor }) => {
  const page = await visitPaths(visitor, RECORDED);
  const rows = [
    ...['wk-lockfight 261 (3)', 'fight-2 274 (9)', 'Locks', 'fight-1 273 (8)', 'Locks'],
    ...['fight-3 275 (10)', 'Locks', 'fight-0 272 (7)', 'Locks', 'wk-lockfight 261 (3)'],
  ];
  await expect.poll(async () => (await namesOf(page)).slice(5, 15)).toEqual(rows);
  expect(await detailsOf(page, '273', 'Thread fight-1 273 (8)')).toMatchObject({
    'Thread id': '273, 8 in its container',
    Process: 'wk-lockfight 261, 3 in its container',
    'Pid namespace': '4026532253',
    'On CPU': formatDuration(606_349_000),
  });
});

/** Process 1 of two containers and their workers, and a process of the host; in order of their events, most first. */
const THREADS = [
  { pid: 1, tid: 1, name: 'web', ns: 4026532501 },
  { pid: 1, tid: 7, name: 'worker', ns: 4026532501 },
  { pid: 1, tid: 1, name: 'db', ns: 4026532502 },
  { pid: 20, tid: 20, name: 'client' },
];
const EVENTS = THREADS.flatMap((thread, at) =>
  Array.from({ length: 40 - 10 * at }, (_, i): ThreadEvent => ({ time: i * 1000 + at, cpu: 0, thread })),
).sort((a, b) => a.time - b.time);

test('rows are grouped by namespace where there are several, and need not be', async ({ visitor }) => {
  saveTrace(threadTrace(EVENTS, { packetEvents: 50 }), join(folder, 'two'));
  const page = await visitPaths(visitor, join(folder, 'two'));
  const grouped = [
    ...['two simulated-0', 'client 20', 'web (namespace 4026532501)', 'web 1', 'web 1', 'worker 7'],
    ...['db (namespace 4026532502)', 'db 1'],
  ];
  const plain = ['two simulated-0', 'web 1', 'web 1', 'worker 7', 'db 1', 'client 20'];
  const shown = () => expect.poll(() => namesOf(page));
  await shown().toEqual(grouped);

  const menu = page.getByTitle('Order and grouping of the rows');
  const choice = page.getByRole('menuitemcheckbox', { name: 'Group by namespace' });
  await menu.click();
  await expect.poll(() => choice.getAttribute('aria-checked')).toBe('true');
  await inLooks(page, 'namespaces');
  await choice.click();
  await shown().toEqual(plain);

  // It is kept.
  await page.reload();
  await opened(page);
  await shown().toEqual(plain);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Group rows by pid namespace');
  await page.keyboard.press('Enter');
  await shown().toEqual(grouped);
});
