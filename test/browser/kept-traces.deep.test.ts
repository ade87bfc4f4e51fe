/** Kept traces that are damaged, and storage that cannot be used: what is shown is right, or says that it is not known. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { changeWorkers } from './changed-workers.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import {
  opened,
  openExample,
  pointAt,
  selectWithin,
  showRange,
  writeNote,
  visitExample,
  visitKept,
} from './walk.ts';

const TRACE = 'imbalance-4t';
const FILES = [join(projectDir(), 'public', 'examples', TRACE)];
const DAMAGED = 'Something that is kept of this trace is damaged';

async function openKept(page: Page): Promise<void> {
  await page.locator('.recent-open').click();
  await opened(page);
}

/** Runs in the page: changes a byte in the middle of what is kept under this name, or deletes it where it is small. */
async function damage(record: string): Promise<void> {
  const asked = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(new Error(String(request.error)));
    });
  const database = await asked(indexedDB.open('wakepath'));
  const store = database.transaction('records', 'readwrite').objectStore('records');
  const key = (await asked(store.getAllKeys())).find((each) => (each as string[])[1] === record);
  if (key === undefined) throw new Error(`no record ${record}`);
  const { arrays } = (await asked(store.get(key))) as {
    readonly arrays?: { readonly file: string; readonly at: number; readonly lengths: readonly number[] };
  };
  const length = arrays?.lengths.reduce((sum, bytes) => sum + bytes, 0) ?? 0;
  if (arrays === undefined || length === 0) await asked(store.delete(key));
  else {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('wakepath');
    const file = await folder.getFileHandle(arrays.file);
    const position = arrays.at + (length >> 1);
    const before = new Uint8Array(await (await file.getFile()).slice(position, position + 1).arrayBuffer());
    const writable = await file.createWritable({ keepExistingData: true });
    await writable.write({ type: 'write', position, data: Uint8Array.of(before[0] ^ 255) });
    await writable.close();
  }
  database.close();
}

/** Runs in the page. */
async function removeFiles(): Promise<void> {
  await (await navigator.storage.getDirectory()).removeEntry('wakepath', { recursive: true });
}

const banner = (page: Page) => page.getByRole('status').filter({ hasText: 'Not all of this is known' });

async function showInfo(page: Page, title: RegExp): Promise<void> {
  await page.getByRole('tab', { name: title }).click();
}

async function expectSound(page: Page): Promise<void> {
  await opened(page);
  await showInfo(page, /^Info/);
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByText(/^whole trace, /).waitFor();
  expect(await banner(page).count()).toBe(0);
}

describe('a kept trace that is damaged', () => {
  test('is said to be unknown, and read again when its files are dropped', async ({ visitor }) => {
    const page = await visitKept(visitor, TRACE);
    page.setDefaultTimeout(40_000);
    for (const record of ['host/0/blocks/0', 'leaves/io/0']) await page.evaluate(damage, record);
    await openKept(page);
    // Nearer than its outline.
    await selectWithin(page, 'imb-80', '262 ms', '267 ms');
    const interval = page.getByRole('region', { name: 'Interval' });
    await interval
      .getByText('the kept data of this trace are damaged here, or nothing was recorded')
      .waitFor();
    await inLooks(page, 'damaged-rows', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await banner(page).getByText('Open the files of the trace again').waitFor();
    await page.getByRole('radio', { name: 'Event counts' }).click();
    await page.getByRole('grid', { name: 'Event counts' }).getByText('sched_switch').waitFor();
    expect(await banner(page).count()).toBe(0);
    await page.getByRole('radio', { name: 'Disk and files' }).click();
    await banner(page).waitFor();
    await page.getByText('Nothing is known here: the kept data are damaged.').waitFor();
    await inLooks(page, 'damaged-table', ['1440-light', '1024-dark']);
    await showInfo(page, /^Info \d+ problems$/);
    await page.getByRole('alert').filter({ hasText: DAMAGED }).first().waitFor();
    await inLooks(page, 'damaged-info', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'CPU time', exact: true }).click();
    await page.keyboard.press('Escape');
    await dropPaths(page, FILES);
    await banner(page).waitFor({ state: 'detached' });
    await expectSound(page);
    // What is kept now is whole.
    await page.evaluate(() => (location.hash = ''));
    await page.reload();
    await openKept(page);
    await showRange(page, '262 ms', '267 ms');
    await expectSound(page);
  });

  test('and cannot be shown says that, until its files are there', async ({ visitor }) => {
    const page = await visitKept(visitor, TRACE);
    await page.evaluate(removeFiles);
    await page.locator('.recent-open').click();
    const card = page.getByRole('alert').filter({ hasText: DAMAGED });
    await card.getByText('Open the files of the trace again').waitFor();
    await inLooks(page, 'damaged-start', ['1440-light', '1024-dark']);
    await dropPaths(page, FILES);
    await expectSound(page);
    await page.evaluate(() => (location.hash = ''));
    await page.evaluate(removeFiles).catch(() => undefined);
    // Its files lie beside the page when it is an example.
    await page.context().unroute('**/examples/examples.json');
    await page.reload();
    await page.locator('.recent-open').click();
    await expectSound(page);
  });
});

/** In the session's worker: as browsers do where the user allows no storage. */
function refuseDatabase(): void {
  IDBFactory.prototype.open = () => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
}

/** In the session's worker: nothing more can be written. */
function fillStorage(): void {
  const refuse = (): never => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  };
  IDBObjectStore.prototype.put = refuse;
  FileSystemSyncAccessHandle.prototype.write = refuse;
}

describe('a storage', () => {
  test.for([
    { change: refuseDatabase, says: 'The browser offers no storage here', name: 'refused' },
    { change: fillStorage, says: 'The storage of the browser is full', name: 'full' },
  ])(
    'that is $name leaves the trace in memory, and its page says so',
    async ({ change, says, name }, { visitor }) => {
      const page = await visitor.visit();
      await changeWorkers(page.context(), { session: change });
      await page.reload();
      await openExample(page, TRACE);
      await page.getByText(/^whole trace, /).waitFor();
      await showInfo(page, /^Info 1 problem$/);
      await page.getByRole('alert').getByText(says).waitFor();
      await inLooks(page, `storage-${name}`, ['1440-light', '1024-dark']);
    },
  );

  test('that is cleared while a trace is open takes no note that is in sight', async ({ visitor }) => {
    const page = await visitExample(visitor, TRACE);
    await showRange(page, '400 ms', '410 ms');
    await pointAt(page, 0.25);
    await writeNote(page, 'before');
    await page.evaluate(() => localStorage.clear());
    await pointAt(page, 0.75);
    await writeNote(page, 'after');
    const kept = () =>
      page.evaluate(() =>
        Object.entries(localStorage)
          .filter(([name]) => name.startsWith('wakepath.notes.'))
          .flatMap(([, notes]) =>
            (JSON.parse(String(notes)) as { readonly text: string }[]).map(({ text }) => text),
          ),
      );
    expect(await kept()).toEqual(['before', 'after']);
  });
});

test('a recording by perf dropped again opens from the store; its events follow', async ({ visitor }) => {
  const page = await visitor.visit();
  const recording = [join(projectDir(), 'public/examples/own-machine/perf.data')];
  await dropPaths(page, recording);
  await opened(page);
  await page.reload();
  await page.getByRole('button', { name: 'Wakepath' }).click();
  await page.locator('.recent-open').waitFor();
  await dropPaths(page, recording);
  await opened(page);
  await page.getByRole('tab', { name: /^Info/ }).click();
  await page.getByText('from this browser, without reading').waitFor();
  const lacks = page.getByRole('region', { name: 'What this trace answers' }).getByRole('listitem');
  await lacks
    .filter({ hasText: 'raw_syscalls:sys_enter' })
    .getByText(/^perf record -a -g .*raw_syscalls:sys_exit/)
    .waitFor();
  await page.getByRole('button', { name: 'How to record what is missing' }).click();
  const guide = page.getByRole('dialog', { name: 'How to record a trace' });
  await guide.getByText(/^perf record -a -g/).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByRole('gridcell', { name: 'sched:sched_switch' }).first().waitFor();
});
