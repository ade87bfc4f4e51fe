/** The renderer that most people have: WebGL, here in software, beside Canvas 2D, which all other tests see. */
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { test, type Visitor } from './support.ts';
import { openExample } from './walk.ts';

/** Pixels of a cell, in x and y: within it edges are smoothed and hatches lie in other ways. */
const CELL = 8;
/** Between two pictures, which tell whether the page is still drawing. */
const REST_MS = 300;
/** Of 255. */
const SAME = 32;

/** The rows of an example once they are drawn, as a PNG file. */
async function pictureOf(page: Page, renderer: string): Promise<Buffer> {
  await openExample(page, 'disk-io');
  return rowsBy(page, renderer);
}

/** The rows as this renderer draws them. */
async function rowsBy(page: Page, renderer: string): Promise<Buffer> {
  await page.locator(`[data-renderer=${renderer}]`).waitFor({ state: 'attached' });
  // Rows of layers come last.
  await page.locator('.gutter').getByText('Interrupts').waitFor();
  const rows = page.locator('.timeline-rows');
  let before = await rows.screenshot();
  for (;;) {
    await page.waitForTimeout(REST_MS);
    const now = await rows.screenshot();
    if (now.equals(before)) return now;
    before = now;
  }
}

/** Share of the cells that differ. */
function differing(page: Page, pictures: readonly Buffer[]): Promise<number> {
  return page.evaluate(
    async ({ files, same, cell }) => {
      const [a, b] = await Promise.all(
        files.map(async (file) => {
          const picture = await createImageBitmap(new Blob([Uint8Array.from(file)]));
          const [width, height] = [Math.floor(picture.width / cell), Math.floor(picture.height / cell)];
          const context = new OffscreenCanvas(width, height).getContext('2d');
          if (context === null) throw new Error('no canvas');
          context.imageSmoothingQuality = 'high';
          context.drawImage(picture, 0, 0, width, height);
          return context.getImageData(0, 0, width, height).data;
        }),
      );
      if (a.length !== b.length) return 1;
      let cells = 0;
      for (let i = 0; i < a.length; i += 4)
        if ([0, 1, 2].some((channel) => Math.abs(a[i + channel] - b[i + channel]) > same)) cells++;
      return (4 * cells) / a.length;
    },
    { files: pictures.map((file) => [...file]), same: SAME, cell: CELL },
  );
}

async function pictures(visitor: Visitor): Promise<number> {
  const page = await visitor.visit();
  const canvas = await pictureOf(page, 'canvas');
  const webgl = await pictureOf(await visitor.visit({ webgl: true }), 'webgl');
  return differing(page, [canvas, webgl]);
}

test('WebGL draws what Canvas 2D draws', async ({ visitor }) => {
  expect(await pictures(visitor)).toBeLessThan(0.002);
});

/** Runs in the page: the GPU goes, as when its driver is restarted. Returns what brings it back. */
function loseContext(): () => void {
  const canvas = document.querySelector<HTMLCanvasElement>('.rows-bars canvas');
  const gpu = canvas?.getContext('webgl2')?.getExtension('WEBGL_lose_context');
  if (!gpu) throw new Error('no context to lose');
  gpu.loseContext();
  return () => gpu.restoreContext();
}

test('what is drawn stays where the context of the GPU is lost, and when it is back', async ({ visitor }) => {
  const page = await visitor.visit({ webgl: true });
  const before = await pictureOf(page, 'webgl');
  const gpu = await page.evaluateHandle(loseContext);
  const meanwhile = await rowsBy(page, 'canvas');
  expect(await differing(page, [before, meanwhile])).toBeLessThan(0.002);
  await gpu.evaluate((restore) => restore());
  const after = await rowsBy(page, 'webgl');
  expect(await differing(page, [before, after])).toBeLessThan(0.002);
});
