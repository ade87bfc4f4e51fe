/**
 * Reading in a real Chromium, from the files of a folder, with one worker: the first pass of a new page over a trace, as
 * a ratio to babeltrace2, when the page has prepared itself and at once; and warm passes as a ratio to only reading the
 * same bytes.
 */
import { join } from 'node:path';
import { build } from 'vite';
import { kernels } from '../scripts/wasm-plugin.mjs';
import { root } from '../scripts/tools.mjs';
import { babeltraceMs, median } from './measure.mjs';
import { openPage } from './page.mjs';

/** What the start page prepares itself with. */
const EXAMPLE = join(root, 'public/examples/imbalance-4t');
const OUT = join(root, 'build/bench-page');
/** Warm passes of each kind in one page. */
const PASSES = 9;

export async function readingBench(folder, rounds) {
  await build({
    root: join(root, 'dev'),
    base: './',
    logLevel: 'warn',
    plugins: [kernels()],
    worker: { format: 'es', plugins: () => [kernels()] },
    build: {
      target: 'es2022',
      outDir: OUT,
      emptyOutDir: true,
      rolldownOptions: { input: join(root, 'dev/reading.html') },
    },
  });
  const theirs = [];
  const first = [];
  const atOnce = [];
  const map = [];
  const read = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    atOnce.push((await passesIn(folder, false, 0)).first);
    const passes = await passesIn(folder, true, PASSES);
    first.push(passes.first);
    map.push(median(passes.map));
    read.push(median(passes.read));
  }
  return {
    'reading.firstPassRatio': median(theirs) / median(first),
    'reading.firstPassMs': median(first),
    'reading.unpreparedRatio': median(theirs) / median(atOnce),
    'reading.unpreparedMs': median(atOnce),
    'reading.mapToRead': median(map.map((ms, i) => ms / read[i])),
    'reading.mapMs': median(map),
    'reading.readMs': median(read),
  };
}

/** ms of passes over the files of a folder, in a new page. */
async function passesIn(folder, isPrepared, count) {
  const { page, close } = await openPage(OUT, 'reading.html', 'input');
  const input = page.locator('input');
  if (isPrepared) {
    await input.setInputFiles(EXAMPLE);
    await page.evaluate(() => window.prepare());
  }
  await input.setInputFiles(folder);
  const passes = await page.evaluate((passes) => window.readPasses(passes), count);
  await close();
  return passes;
}
