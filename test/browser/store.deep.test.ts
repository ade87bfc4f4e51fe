/** The store in IndexedDB, in a real browser: over files of the page's own and without, in a private window too. */
import { join } from 'node:path';
import { chromium, type Page } from 'playwright';
import { build } from 'vite';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findBrowser } from '../../scripts/browser.mjs';
import { serveFolder, type ServedFolder } from '../../scripts/static-server.mjs';
import { projectDir } from '../support/shared.ts';
import { STORE_SCENARIOS } from '../support/store-scenarios.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
let server: ServedFolder;

beforeAll(async () => {
  const outDir = join(folder, 'page');
  await build({
    configFile: false,
    root: join(projectDir(), 'dev'),
    logLevel: 'warn',
    worker: { format: 'es' },
    build: {
      target: 'es2022',
      outDir,
      emptyOutDir: true,
      rolldownOptions: { input: join(projectDir(), 'dev/store.html') },
    },
  });
  server = await serveFolder(outDir);
});

afterAll(() => server.close());

describe.each([
  { title: 'with files', hasFiles: true, isPrivate: false },
  { title: 'without files', hasFiles: false, isPrivate: false },
  { title: 'in a private window', hasFiles: true, isPrivate: true },
])('the store $title', ({ title, hasFiles, isPrivate }) => {
  let page: Page;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const options = { executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] };
    const browser = isPrivate
      ? await chromium.launch(options)
      : await chromium.launchPersistentContext(join(folder, title), options);
    close = () => browser.close();
    page = await browser.newPage();
    await page.goto(`${server.url}store.html`);
  });
  afterAll(() => close());

  const scenarios = STORE_SCENARIOS.filter(
    // A private window does not keep to the quota that is set here.
    ({ needsFiles, quotaBytes }) => (hasFiles || !needsFiles) && (!isPrivate || quotaBytes === undefined),
  );
  it.each(scenarios)('$name', async ({ name, quotaBytes }) => {
    const session = await page.context().newCDPSession(page);
    const { origin } = new URL(server.url);
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: quotaBytes });
    await page.evaluate(([one, files]) => window.runStoreScenario?.(one, files), [name, hasFiles] as const);
    await session.detach();
  });
});
