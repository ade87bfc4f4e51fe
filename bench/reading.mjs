/**
 * Reading in a real Chromium, from the files of a folder, with one worker: the first pass of a fresh page over a trace, as a
 * ratio to babeltrace2, and warm passes as a ratio to only reading the same bytes.
 */
import { join } from 'node:path';
import { build } from 'vite';
import { kernels } from '../scripts/kernels-plugin.mjs';
import { root } from '../scripts/tools.mjs';
import { babeltraceMs, median } from './measure.mjs';
import { openPage } from './page.mjs';

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
      rollupOptions: { input: join(root, 'dev/reading.html') },
    },
  });
  const theirs = [];
  const first = [];
  const map = [];
  const read = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    const { page, close } = await openPage(OUT, 'reading.html', 'input');
    await page.locator('input').setInputFiles(folder);
    const passes = await page.evaluate((count) => window.readPasses(count), PASSES);
    first.push(passes.first);
    map.push(median(passes.map));
    read.push(median(passes.read));
    await close();
  }
  return {
    'reading.firstPassRatio': median(theirs) / median(first),
    'reading.firstPassMs': median(first),
    'reading.mapToRead': median(map.map((ms, i) => ms / read[i])),
    'reading.mapMs': median(map),
    'reading.readMs': median(read),
  };
}
