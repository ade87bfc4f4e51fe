/**
 * What a frame of the timeline costs: pan, zoom and scroll over synthetic rows in a real Chromium. Goals: median below
 * 4 ms of script, 95 % below 8 ms, no upload of geometry while panning, and the heap no larger for more intervals.
 * Run alone: `node bench/frames.mjs`.
 */
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { createServer } from 'vite';
import { findBrowser } from '../scripts/browser.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** 1 M and 30 M intervals in 10,000 rows. */
const CASES = [
  { key: '1M', threads: 10_000, intervals: 100 },
  { key: '30M', threads: 10_000, intervals: 3000 },
];

/** One result a case, with the heap after it in bytes. */
export async function benchFrames() {
  const server = await createServer({
    root: ROOT,
    server: { port: 0, hmr: false, watch: null },
    logLevel: 'error',
  });
  await server.listen();
  const browser = await chromium.launch({ executablePath: findBrowser(), args: FLAGS });
  const results = [];
  for (const { key, threads, intervals } of CASES) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(
      `${server.resolvedUrls.local[0]}dev/timeline.html?renderer=webgl&threads=${threads}&intervals=${intervals}`,
    );
    await page.waitForFunction(() => document.querySelector('.rows-bars')?.dataset.renderer === 'webgl');
    const result = await page.evaluate(() => window.timeline.bench());
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    results.push({ key, ...result, heapBytes: usedSize });
    await page.close();
  }
  await browser.close();
  await server.close();
  return results;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await benchFrames(), undefined, 2));
}
