/**
 * The page's benches, in a real Chromium with a real IndexedDB: from dropped files to every interval stored, the first
 * picture, re-opening, statistics that follow a drag, frames, and the memory of the renderer process.
 * Times are read from the page's own performance marks (`src/app/marks.ts`).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from '../scripts/browser.mjs';
import { serveFolder } from '../scripts/static-server.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** Opens the built page in a fresh profile; `close` ends everything. */
export async function openPage(dist) {
  const server = await serveFolder(dist, { port: 0 });
  const profile = mkdtempSync(join(tmpdir(), 'wakepath-bench-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: FLAGS,
    viewport: { width: 1440, height: 900 },
  });
  const page = await context.newPage();
  await page.goto(server.url);
  return {
    page,
    context,
    url: server.url,
    close: async () => {
      await context.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Peak resident bytes of the page's renderer process. */
export async function rendererPeak(context, page) {
  const browser = await context.browser()?.newBrowserCDPSession();
  const session = browser ?? (await context.newCDPSession(page));
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const peaks = processInfo.filter((p) => p.type === 'renderer').map((p) => peakOf(p.id));
  return Math.max(...peaks);
}

function peakOf(pid) {
  const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return line ? Number(line[1]) * 1024 : NaN;
}

/** ms from the page's mark `from` to its mark `to`, waiting for the latter. */
export async function between(page, from, to, timeout = 600_000) {
  await page.waitForFunction((name) => performance.getEntriesByName(name).length > 0, to, {
    timeout,
    polling: 50,
  });
  return page.evaluate(
    ([a, b]) =>
      performance.getEntriesByName(b).at(-1).startTime - performance.getEntriesByName(a).at(-1).startTime,
    [from, to],
  );
}
