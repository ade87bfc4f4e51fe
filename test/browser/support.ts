/**
 * The built page in a real browser: served below a path, as on GitHub Pages, by a server of this process. A test fails
 * when the page logs an error, breaks its content security policy or asks another origin for anything.
 */
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Locator, type Page } from 'playwright';
import { expect, test as base } from 'vitest';
import { findBrowser } from '../../scripts/browser.mjs';
import { serveFolder, type ServedFolder } from '../../scripts/static-server.mjs';
import { projectDir } from '../support/shared.ts';

const PREFIX = '/wakepath/';
const FLAGS = ['--no-sandbox'];
/** Drawing with Canvas 2D, which takes less of the two cores than WebGL in software. */
const WITHOUT_GPU = ['--disable-gpu'];
const SOFTWARE_GPU = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

interface Site {
  readonly url: string;
  /** @param gpu flags of the browser; each browser is launched once */
  browser(gpu: readonly string[]): Promise<Browser>;
}

interface VisitOptions extends BrowserContextOptions {
  /** Of a page that another server has; else the one that is built. */
  readonly url?: string;
  /** Of the address, behind that of the page. */
  readonly path?: string;
  /** The page draws with WebGL, in software. */
  readonly webgl?: boolean;
}

export interface Visitor {
  /** Opens the page in a fresh profile: nothing is stored. */
  visit(options?: VisitOptions): Promise<Page>;
  /** Errors that a test brings about on purpose, by a part of their text. */
  expectProblem(part: string): void;
}

interface Fixtures {
  /** The same browsers for all files of a worker; each page has a context of its own. */
  readonly site: Site;
  readonly visitor: Visitor;
}

export const test = base.extend<Fixtures>({
  site: [
    async ({}, use) => {
      // Built by `support/build.ts` before any test.
      const server: ServedFolder = await serveFolder(join(projectDir(), 'dist'), { prefix: PREFIX });
      const browsers = new Map<readonly string[], Promise<Browser>>();
      const browser = (gpu: readonly string[]) => {
        const known = browsers.get(gpu);
        if (known !== undefined) return known;
        const launched = chromium.launch({ executablePath: findBrowser(), args: [...FLAGS, ...gpu] });
        browsers.set(gpu, launched);
        return launched;
      };
      await use({ url: server.url, browser });
      for (const launched of browsers.values()) await (await launched).close();
      await server.close();
    },
    { scope: 'worker' },
  ],
  visitor: async ({ site, task }, use) => {
    const problems: string[] = [];
    const expected: string[] = [];
    const pages: Page[] = [];
    await use({
      visit: async (options = {}) => {
        const page = await openPage(site, options, problems);
        pages.push(page);
        return page;
      },
      expectProblem: (part) => void expected.push(part),
    });
    const shown: string[] = [];
    for (const page of pages) {
      if (task.result?.state === 'fail') shown.push(await shownText(page));
      // What is being answered still, of a page that goes on, is no mistake of the test.
      await page.context().unrouteAll({ behavior: 'ignoreErrors' });
      await page.context().close();
    }
    // Beside the error of the test, in the list of what failed.
    if (shown.length > 0)
      throw new Error(`What was shown then:\n${shown.join('\n')}\n${problems.join('\n')}`);
    const unexpected = problems.filter((problem) => !expected.some((part) => problem.includes(part)));
    if (unexpected.length > 0) throw new Error(`the page had problems:\n${unexpected.join('\n')}`);
  },
});

/** The first 3,000 characters of what a page shows. */
async function shownText(page: Page): Promise<string> {
  const text = await page.innerText('body', { timeout: 5000 }).catch((error: unknown) => String(error));
  return text.replace(/\n+/g, ' | ').slice(0, 3000);
}

async function openPage(
  site: Site,
  { url = site.url, path = '', webgl = false, ...options }: VisitOptions,
  problems: string[],
): Promise<Page> {
  const browser = await site.browser(webgl ? SOFTWARE_GPU : WITHOUT_GPU);
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    // What it answers no test can change, and not every test waits until it is there.
    serviceWorkers: 'block',
    ...options,
  });
  // Generous: what is waited for comes; a busy machine only takes longer. Of all tabs.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const origin = new URL(url).origin;
  // Of every tab, and of the workers of each.
  context.on('console', (message) => {
    // Policy violations are logged as errors, too. Of a text file the browser asks for an icon that nobody has.
    const { url } = message.location();
    if (message.type() === 'error' && !url.endsWith('/favicon.ico')) {
      problems.push(`console: ${message.text()} ${url}`);
    }
  });
  context.on('weberror', (error) => problems.push(`exception: ${error.error().message}`));
  context.on('request', (request) => {
    const asked = new URL(request.url());
    if (asked.origin !== origin && asked.protocol !== 'blob:' && asked.protocol !== 'data:') {
      problems.push(`request to another origin: ${request.url()}`);
    }
  });
  await page.goto(url + (webgl ? '?renderer=webgl' : '') + path);
  return page;
}

/** Drops real files and folders on the middle of the page, as a file manager does. */
export async function dropPaths(page: Page, paths: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  const data = { items: [], files: [...paths], dragOperationsMask: 1 };
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x: size.width / 2, y: size.height / 2, data });
  // The browser loses drops now and then, so this one moves and lets go until the page took the files.
  const invitation = page.getByText('Release to open');
  await expect
    .poll(
      async () => {
        await send('dragEnter');
        await send('dragOver');
        await invitation.waitFor();
        await send('drop');
        return invitation.waitFor({ state: 'hidden', timeout: 10_000 }).then(
          () => 'taken',
          () => 'lost',
        );
      },
      { timeout: 90_000 },
    )
    .toBe('taken');
  await session.detach();
}

/** Drops files made up in the page, without a folder. */
export async function dropFiles(page: Page, files: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate((contents) => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(contents)) data.items.add(new File([text], name));
    const target = document.querySelector('main') ?? document.body;
    for (const type of ['dragover', 'drop']) {
      target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
  }, files);
}

/** Chooses a folder in the dialog that a click or key opens. */
export async function chooseFolder(page: Page, folder: string, open: () => Promise<void>): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), open()]);
  await chooser.setFiles(folder);
}

/** The first item of a list. */
export function firstItem(page: Page, list: string): Locator {
  return page.getByRole('list', { name: list, exact: true }).getByRole('listitem').first();
}
