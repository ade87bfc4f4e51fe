/**
 * `npm run screens`: walks the page as some browser tests do, and renews those pictures in docs/screens that
 * look different now. A picture `NAME.png` without a look is that of the large window in light.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { findBrowser } from './browser.mjs';
import { root, runTool } from './tools.mjs';

const TAKEN = join(root, 'test-results', 'screens');
/** Tests that take the pictures. */
const WALKS = ['screens', 'locks', 'first-walk', 'compare', 'profile', 'trend'];
const KEPT = join(root, 'docs', 'screens');

rmSync(TAKEN, { recursive: true, force: true });
process.exitCode = await runTool('vitest', [
  'run',
  ...WALKS.map((name) => `test/browser/${name}.deep.test.ts`),
]);
if (process.exitCode === 0) await renew();

async function renew() {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox'] });
  const page = await browser.newPage();
  for (const name of readdirSync(KEPT)) {
    const kept = join(KEPT, name);
    const taken = [name, name.replace('.png', '-1440-light.png')]
      .map((file) => join(TAKEN, file))
      .find((file) => existsSync(file));
    if (taken === undefined) {
      console.error(`${name}: no screen of the walk has this name`);
      process.exitCode = 1;
    } else if (await page.evaluate(lookDifferent, [kept, taken].map(dataUrl))) {
      console.log(`${name}: renewed, ${statSync(kept).size} bytes before, ${statSync(taken).size} now`);
      copyFileSync(taken, kept);
    }
  }
  await browser.close();
}

function dataUrl(path) {
  return `data:image/png;base64,${readFileSync(path, 'base64')}`;
}

/**
 * Whether an eye can tell the pictures apart: their pixels differ a little at the edges of letters, from machine to
 * machine. Runs in the browser, which reads PNG.
 */
async function lookDifferent(urls) {
  // Of 255, and of all channels of all pixels.
  const [MUCH, MANY] = [96, 300];
  const [a, b] = await Promise.all(
    urls.map(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const { width, height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context.drawImage(image, 0, 0);
      return { width, height, data: context.getImageData(0, 0, width, height).data };
    }),
  );
  if (a.width !== b.width || a.height !== b.height) return true;
  return a.data.filter((value, i) => Math.abs(value - b.data[i]) >= MUCH).length >= MANY;
}
