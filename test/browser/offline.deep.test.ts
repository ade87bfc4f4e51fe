/** The page with a server that has a newer version of it by now, installed, and as a file. */
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright';
import { beforeEach, describe, expect, onTestFinished } from 'vitest';
import { writeServiceWorker } from '../../scripts/offline-plugin.mjs';
import { serveFolder, type ServedFolder } from '../../scripts/static-server.mjs';
import { projectDir } from '../support/shared.ts';
import { test, type Visitor } from './support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const EXAMPLE = /Which thread holds everyone up/;
const NOTICE = 'A new version of Wakepath is ready';
const folder = temporaryFolder();
let server: ServedFolder;

beforeEach(async () => {
  rmSync(folder, { recursive: true });
  cpSync(join(projectDir(), 'dist'), folder, { recursive: true });
  server = await serveFolder(folder, { prefix: '/some/path/' });
  onTestFinished(() => server.close());
});

/** A page that its service worker serves from now on. */
async function visitServed(visitor: Visitor): Promise<Page> {
  const page = await visitor.visit({ url: server.url, serviceWorkers: 'allow' });
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  return page;
}

/** Path of the one built file whose name begins so. */
function assetCalled(name: string): string {
  const file = readdirSync(join(folder, 'assets')).find(
    (each) => each.startsWith(name) && each.endsWith('.js'),
  );
  if (file === undefined) throw new Error(`no file ${name}`);
  return `assets/${file}`;
}

/** The server has another version: one whose page says so, and whose scripts have other names where they changed. */
async function deploy(title: string): Promise<void> {
  const changed = assetCalled('export-file');
  const renamed = changed.replace('.js', `-${title}.js`);
  renameSync(join(folder, changed), join(folder, renamed));
  const index = join(folder, 'index.html');
  writeFileSync(
    index,
    readFileSync(index, 'utf8').replace(/content="Open [^"]*"/, `content="Open ${title}"`),
  );
  await writeServiceWorker(folder);
}

/** Runs in the page, which was away for long. Resolves to how the newer version's service worker ended up. */
async function comeBackLater(): Promise<ServiceWorkerState | undefined> {
  const registration = await navigator.serviceWorker.getRegistration();
  const found = new Promise((resolve) => registration?.addEventListener('updatefound', resolve));
  const now = performance.now();
  performance.now = () => now + 2 * 60 * 60 * 1000;
  document.dispatchEvent(new Event('visibilitychange'));
  await found;
  const newer = registration?.installing;
  while (newer?.state === 'installing')
    await new Promise((changed) => newer.addEventListener('statechange', changed, { once: true }));
  return newer?.state;
}

const versionOf = (page: Page) => page.locator('meta[name=description]').getAttribute('content');
const statusOf = (page: Page, path: string) =>
  page.evaluate((address) => fetch(address).then(({ status }) => status), path);

describe('a newer version on the server', () => {
  /** Whether a worker of the page has loaded a file, as it does some time after it began. */
  const hasLoaded = async (tab: Page, file: string): Promise<boolean> => {
    const loaded = await Promise.all(
      tab
        .workers()
        .map((worker) =>
          worker.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name)),
        ),
    );
    return loaded.flat().some((name) => name.includes(file));
  };

  test('waits until the reader takes it, and other tabs go on with theirs', async ({ visitor }) => {
    const page = await visitServed(visitor);
    const old = await versionOf(page);
    const chunk = assetCalled('export-file');
    await deploy('better');
    expect(await page.evaluate(comeBackLater)).toBe('installed');
    await page.getByText(NOTICE).waitFor();
    // Also when it is loaded again, and what it loads late.
    await page.reload();
    expect(await versionOf(page)).toBe(old);
    const other = await page.context().newPage();
    await other.goto(server.url);
    for (const tab of [page, other]) {
      await tab.getByText(NOTICE).waitFor();
      // While the version in use answers, Chromium takes no other; with a debugger attached, as here, also not later.
      await expect.poll(() => hasLoaded(tab, chunk)).toBe(true);
      await tab.waitForLoadState('networkidle');
    }
    await page.getByRole('button', { name: 'Load the new version' }).click();
    await expect.poll(() => versionOf(page).catch(() => '')).toBe('Open better');
    expect(await page.getByText(NOTICE).count()).toBe(0);
    expect(await versionOf(other)).toBe(old);
    expect(await statusOf(other, chunk)).toBe(200);
    await other.getByRole('button', { name: 'Load the new version' }).click();
    await expect.poll(() => versionOf(other).catch(() => '')).toBe('Open better');
    expect(await statusOf(other, assetCalled('export-file'))).toBe(200);
    await server.close();
    await other.reload();
    await other.getByText(EXAMPLE).waitFor();
    expect(await versionOf(other)).toBe('Open better');
  });

  test('of which the server has one file only is not taken', async ({ visitor }) => {
    const page = await visitServed(visitor);
    const old = await versionOf(page);
    await deploy('half');
    writeFileSync(join(folder, 'index.html'), 'of another version');
    expect(await page.evaluate(comeBackLater)).toBe('redundant');
    await page.reload();
    expect(await versionOf(page)).toBe(old);
    // The page that was loaded again may be asking for the newer version once more.
    await expect.poll(() => page.evaluate(() => caches.keys())).toHaveLength(1);
  });
});

test('the page can be installed', async ({ visitor }) => {
  const page = await visitor.visit({ url: server.url });
  const session = await page.context().newCDPSession(page);
  const { url, errors, data } = await session.send('Page.getAppManifest');
  expect([url, errors]).toEqual([`${server.url}manifest.webmanifest`, []]);
  expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Wakepath', display: 'standalone', scope: './' });
});

test('a page that is opened as a file says how to serve it', async ({ visitor }) => {
  // What browsers do not load for a file.
  visitor.expectProblem('CORS policy');
  visitor.expectProblem('ERR_FAILED');
  const page = await visitor.visit({ url: pathToFileURL(join(folder, 'index.html')).href });
  await page.getByText('It cannot start where this page is opened as a file').waitFor();
});

test('a worker that starts from a file has the page’s policy', async ({ visitor, site }) => {
  visitor.expectProblem('Content Security Policy');
  visitor.expectProblem(`request to another origin: ${site.url}`);
  writeFileSync(
    join(folder, 'asks.js'),
    `fetch('${site.url}', { mode: 'no-cors' }).then(() => postMessage('came'), () => postMessage('refused'))`,
  );
  const asking = async (page: Page) => {
    // It has no policy of its own.
    await page.goto(`${server.url}licences.txt`);
    return page.evaluate(() => {
      const worker = new Worker('asks.js');
      return new Promise((resolve) => worker.addEventListener('message', ({ data }) => resolve(data)));
    });
  };
  expect(await asking(await visitServed(visitor))).toBe('refused');
  expect(await asking(await visitor.visit({ url: server.url }))).toBe('came');
});
