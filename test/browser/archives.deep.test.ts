/** Archives of an example, dropped on the page or fetched: they show what the folder shows. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { filesOfFolder } from '../support/memory-files.ts';
import { packTarGz, packZip } from '../support/pack-archive.ts';
import { projectDir } from '../support/shared.ts';
import { inLooks, screenshot } from './pictures.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { findThread, opened, visitExample, visitPaths } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EXAMPLE = join(projectDir(), 'public', 'examples', 'imbalance-4t');
const folder = temporaryFolder();

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** What the page shows of a trace, as soon as that is as `expected`, and the key by which it keeps it. */
async function shown(page: Page, expected?: { readonly rows: string }) {
  await opened(page);
  await page.waitForFunction(() => window.location.hash.includes('trace='));
  const key = await page.evaluate(() => new URLSearchParams(window.location.hash.slice(1)).get('trace'));
  await page.keyboard.press('4');
  const table = page.getByRole('grid', { name: 'CPU time by thread' });
  await table.getByRole('row').filter({ hasText: 'imb-80' }).waitFor();
  if (expected !== undefined) await expect.poll(() => firstRows(table)).toBe(expected.rows);
  return { key, rows: expected?.rows ?? (await settledRows(table)) };
}

/** So few that they are there before the table has measured itself. */
async function firstRows(table: Locator): Promise<string> {
  const rows = await table.getByRole('row').allInnerTexts();
  return rows.slice(0, 15).join('\n');
}

/** The table fills as answers come. */
async function settledRows(table: Locator): Promise<string> {
  let rows = '';
  const stays = async () => {
    const before = rows;
    rows = await firstRows(table);
    return rows === before;
  };
  await expect.poll(stays, { interval: 1000 }).toBe(true);
  return rows;
}

describe('a trace in an archive', () => {
  test('opens as its folder does, and is the same recent trace', async ({ visitor }) => {
    const files = filesOfFolder(EXAMPLE);
    const packed = [
      write('deflated.zip', packZip(files)),
      write('stored.zip', packZip(files, 0)),
      write('packed.tar.gz', await packTarGz(files)),
    ];
    const page = await visitor.visit();
    await dropPaths(page, [EXAMPLE]);
    const expected = await shown(page);
    expect(expected.rows).toContain('imb-80');
    for (const path of packed) {
      const other = await visitor.visit();
      await dropPaths(other, [path]);
      expect((await shown(other, expected)).key, path).toBe(expected.key);
    }
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await dropPaths(page, [packed[0]]);
    expect((await shown(page, expected)).key).toBe(expected.key);
    await page.getByRole('tab', { name: /^Info/ }).click();
    await page.getByText('from this browser, without reading').waitFor();
  });

  test('is found in a dropped folder', async ({ visitor }) => {
    write('several/a.zip', packZip(filesOfFolder(EXAMPLE)));
    write('several/deeper/b.tgz', await packTarGz(filesOfFolder(join(EXAMPLE, '../disk-io'))));
    const page = await visitPaths(visitor, join(folder, 'several'));
    for (const host of ['imbalance-4t', 'disk-io'])
      await page.getByText(host, { exact: true }).first().waitFor();
  });

  test('that was cut off shows what comes before, and says so', async ({ visitor }) => {
    const bytes = await packTarGz(metadataFirst());
    const page = await visitPaths(visitor, write('cut.tar.gz', bytes.subarray(0, bytes.length * 0.9)));
    await page.getByRole('tab', { name: /^Info/ }).click();
    await page.getByText('The archive ends too early').first().waitFor();
    await screenshot(page, 'archive-cut');
  });

  test('of something else is named', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [write('photos.zip', packZip(new Map([['sea.txt', new Uint8Array(10)]])))]);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('a zip archive with sea.txt');
    await screenshot(page, 'error-archive');
  });
});

describe('a trace on another server', () => {
  test('is fetched once its host was confirmed', async ({ visitor }) => {
    const server = await otherServer({ 'access-control-allow-origin': '*' });
    visitor.expectProblem(`request to another origin: ${server.url}`);
    const page = await visitor.visit();
    await page.getByRole('button', { name: 'Open by address' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open by address' });
    await dialog.getByRole('textbox').fill(`${server.url}imbalance.tar.gz`);
    const fetchIt = dialog.getByRole('button', { name: `Fetch from ${new URL(server.url).host}` });
    await fetchIt.waitFor();
    expect(server.asked).toEqual([]);
    const goOn = server.pauseHalfway();
    await fetchIt.click();
    await page.getByRole('progressbar', { name: 'Read' }).waitFor();
    await page.getByText('The archive is read when all of it is here').waitFor();
    await inLooks(page, 'opening');
    goOn();
    await opened(page);
    expect(server.asked).toEqual(['/imbalance.tar.gz']);
    await page.getByRole('heading', { name: 'imbalance.tar.gz' }).waitFor();
    await server.close();
  });

  test('is asked for by a link, and by the link to a place in it', async ({ visitor }) => {
    const server = await otherServer({ 'access-control-allow-origin': '*' });
    visitor.expectProblem(`request to another origin: ${server.url}`);
    const page = await visitor.visit({ path: `#url=${encodeURIComponent(`${server.url}imbalance.zip`)}` });
    const dialog = page.getByRole('dialog', { name: 'Open by address' });
    await dialog.getByRole('button', { name: /^Fetch from/ }).waitFor();
    expect(server.asked).toEqual([]);
    await dialog.getByRole('button', { name: /^Fetch from/ }).click();
    const { key } = await shown(page);
    await page.waitForFunction(() => window.location.hash.includes('tab=statistics'));
    const link = await page.evaluate(() => window.location.hash);
    const other = await visitor.visit({ path: link });
    await other
      .getByRole('dialog', { name: 'Open by address' })
      .getByRole('button', { name: /^Fetch from/ })
      .click();
    expect((await shown(other)).key).toBe(key);
    expect(server.asked).toEqual(['/imbalance.zip', '/imbalance.zip']);
    await server.close();
  });

  test('that lets no other page read it, or leads elsewhere, is said in words', async ({ visitor }) => {
    const refusals: Record<string, string>[] = [
      {},
      { 'access-control-allow-origin': '*', location: 'http://localhost:1/' },
    ];
    for (const headers of refusals) {
      const server = await otherServer(headers);
      visitor.expectProblem(`request to another origin: ${server.url}`);
      visitor.expectProblem('console: Access to fetch');
      visitor.expectProblem('console: Failed to load resource');
      const page = await visitor.visit({ path: `#url=${encodeURIComponent(`${server.url}imbalance.zip`)}` });
      await page.getByRole('button', { name: /^Fetch from/ }).click();
      await page.getByText('Nothing can be read from this address').waitFor();
      expect(await page.getByRole('alert').innerText()).toContain('does not let other pages read the file');
      expect(server.asked.length).toBe(1);
      await screenshot(page, 'error-address');
      await server.close();
    }
  });

  test('is no text that is no web address', async ({ visitor }) => {
    const page = await visitor.visit({ path: '#url=javascript%3Aalert(1)' });
    const dialog = page.getByRole('dialog', { name: 'Open by address' });
    await dialog.getByText('This is no address').waitFor();
    expect(await dialog.getByRole('button', { name: 'Fetch' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });
});

describe('a trace on another server, while one is open', () => {
  /** Has it fetched, as the user does. */
  async function give(page: Page, address: string): Promise<void> {
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Open by address…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open by address' });
    await dialog.getByRole('textbox').fill(address);
    await dialog.getByRole('button', { name: /^Fetch from/ }).click();
  }

  /** The page with an example open, and a server that others may read. */
  async function besideServer(visitor: Visitor) {
    const server = await otherServer({ 'access-control-allow-origin': '*' });
    visitor.expectProblem(`request to another origin: ${server.url}`);
    const page = await visitExample(visitor, 'disk-io');
    // The row is part of the link.
    await findThread(page, 'wk-writer');
    await page.waitForFunction(() => /trace=.*row=/.test(window.location.hash));
    const dialog = page.getByRole('dialog', { name: /^Open / });
    return { server, page, dialog };
  }

  /** Everything is as it was before the address was given. */
  async function expectUntouched(page: Page, before: string): Promise<void> {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => tempFilesOf(page)).toEqual(0);
    expect(page.url()).toBe(before);
    await page.getByRole('heading', { name: 'disk-io' }).waitFor();
    await findThread(page, 'wk-writer');
  }

  test('leaves it open when it cannot be read, and says why', async ({ visitor }) => {
    visitor.expectProblem('console: Failed to load resource');
    const { server, page, dialog } = await besideServer(visitor);
    const before = page.url();
    for (const [name, says, found] of [
      ['missing.zip', 'Nothing can be read from this address', 'HTTP 404'],
      ['photos.zip', 'not a trace', 'a zip archive with sea.txt'],
      ['cut.tar.gz', 'Nothing can be read from this address', 'Read until then'],
    ]) {
      await give(page, server.url + name);
      const alert = dialog.getByRole('alert');
      await alert.getByText(says).waitFor();
      expect(await alert.innerText()).toContain(found);
      await dialog.getByText('disk-io stays open').waitFor();
      if (name === 'missing.zip') await inLooks(page, 'offer-unreadable');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await expectUntouched(page, before);
    }
    const { url } = server;
    await server.close();
    await give(page, `${url}imbalance.zip`);
    await dialog.getByText('The server does not answer').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expectUntouched(page, before);
  });

  test('is added to it or replaces it, fetched once', async ({ visitor }) => {
    const { server, page, dialog } = await besideServer(visitor);
    await give(page, `${server.url}imbalance.tar.gz`);
    await dialog.getByText('Add it to disk-io').waitFor();
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'disk-io, imbalance.tar.gz' }).waitFor();
    await opened(page);
    await findThread(page, 'imb-80');
    expect(page.url()).not.toContain('url=');
    await give(page, `${server.url}imbalance.tar.gz`);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('heading', { name: 'imbalance.tar.gz', exact: true }).waitFor();
    await opened(page);
    await findThread(page, 'imb-80');
    await expect.poll(() => page.url()).toContain('url=');
    expect(await tempFilesOf(page)).toBe(1);
    expect(server.asked).toEqual(['/imbalance.tar.gz', '/imbalance.tar.gz']);
    // The same once more: there is nothing to ask.
    await give(page, `${server.url}imbalance.tar.gz`);
    await dialog.getByText('It is open already, as imbalance.tar.gz').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => tempFilesOf(page)).toBe(1);
    await server.close();
  });

  test('is given up while it is fetched, or when it was looked at', async ({ visitor }) => {
    const { server, page, dialog } = await besideServer(visitor);
    const before = page.url();
    const goOn = server.pauseHalfway();
    await give(page, `${server.url}imbalance.tar.gz`);
    await dialog.getByRole('progressbar', { name: 'Read' }).waitFor();
    await dialog.getByText(/kB of/).waitFor();
    expect(await tempFilesOf(page)).toBe(1);
    await inLooks(page, 'offer-fetching');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectUntouched(page, before);
    goOn();
    await give(page, `${server.url}imbalance.tar.gz`);
    await dialog.getByRole('button', { name: 'Replace' }).waitFor();
    await inLooks(page, 'offer-found', ['1440-light', '1024-dark']);
    expect(await tempFilesOf(page)).toBe(1);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expectUntouched(page, before);
    await server.close();
  });

  test('is told to be cut off before it is taken', async ({ visitor }) => {
    const { server, page, dialog } = await besideServer(visitor);
    visitor.expectProblem('console: Failed to load resource');
    await give(page, `${server.url}cut-late.tar.gz`);
    await dialog.getByRole('alert').getByText('Nothing can be read from this address').waitFor();
    await dialog.getByRole('button', { name: 'Add' }).waitFor();
    await inLooks(page, 'offer-cut', ['1440-light', '1024-dark']);
    await server.close();
  });
});

/** Number of temporary files that the pages of this origin have. */
function tempFilesOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folders = await root.getDirectoryHandle('spills', { create: true });
    const names: string[] = [];
    for await (const folder of folders.values())
      for await (const name of (folder as FileSystemDirectoryHandle).keys()) names.push(name);
    return names.length;
  });
}

interface OtherServer {
  readonly url: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  /** Sends only half of the next file until the function that is returned is called. */
  pauseHalfway(): () => void;
  close(): Promise<void>;
}

/** After which a server breaks off: what it sent before has come. */
const CUT_MS = 500;

/** A server of another origin; with a `location` it leads there. Files called `cut` break off. */
async function otherServer(headers: Readonly<Record<string, string>>): Promise<OtherServer> {
  const files = filesOfFolder(EXAMPLE);
  const archives: Readonly<Record<string, Uint8Array>> = {
    '/imbalance.zip': packZip(files),
    '/imbalance.tar.gz': await packTarGz(files),
    '/photos.zip': packZip(new Map([['sea.txt', new Uint8Array(10)]])),
    '/cut.tar.gz': await packTarGz(files),
    '/cut-late.tar.gz': await packTarGz(metadataFirst()),
  };
  const asked: string[] = [];
  let halfway = Promise.resolve();
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const bytes = archives[path];
    if (bytes === undefined) {
      response.writeHead(404, headers).end();
      return;
    }
    response.writeHead('location' in headers ? 302 : 200, { 'content-length': bytes.length, ...headers });
    const pause = bytes.length * (path.includes('late') ? 0.9 : 0.5);
    response.write(bytes.subarray(0, pause));
    await halfway;
    if (path.includes('cut')) setTimeout(() => response.destroy(), CUT_MS);
    else response.end(bytes.subarray(pause));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const pauseHalfway = () => {
    let goOn = () => {};
    halfway = new Promise((resolve) => (goOn = resolve));
    return goOn;
  };
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}/`, asked, pauseHalfway, close };
}

/** The example's files, as in archives that `lttng` users make of a session that ended. */
function metadataFirst(): ReturnType<typeof filesOfFolder> {
  return new Map(
    [...filesOfFolder(EXAMPLE)].sort(([a], [b]) => Number(isMetadata(b)) - Number(isMetadata(a))),
  );
}

function isMetadata(path: string): boolean {
  return path.endsWith('/metadata');
}
