/** Slices of a file, read by a worker whose garbage is collected all the while. */
import { join } from 'node:path';
import { chromium } from 'playwright';
import { expect, test } from 'vitest';
import { build, type Rolldown } from 'vite';
import { findBrowser } from '../../scripts/browser.mjs';
import { projectDir } from '../support/shared.ts';

const SLICES = 100;
const SLICE_BYTES = 4 * 1024 * 1024;

test('every slice of a blob is read, whenever garbage is collected', { timeout: 120_000 }, async () => {
  const code = await readerCode();
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc'],
  });
  const page = await browser.newPage();
  const read = await page.evaluate(readSlices, { code, slices: SLICES, bytes: SLICE_BYTES });
  await browser.close();
  expect(read).toBe(SLICES);
});

/** A worker that is sent a blob, reads slices of it side by side, and says after each how many are read. */
async function readerCode(): Promise<string> {
  const worker = `
    import { openSource } from ${JSON.stringify(join(projectDir(), 'src/engine/io/open-source.ts'))};
    let read = 0;
    onmessage = async ({ data: { blob, slices, bytes } }) => {
      const { value: source } = await openSource({ kind: 'file', path: 'blob', size: blob.size, file: blob });
      for (let slice = 0; slice < slices; slice++) {
        const from = (slice % 2) * bytes;
        void source.readOn(from, from + bytes).next(bytes, new ArrayBuffer(bytes)).then(({ ok, value }) => {
          if (ok && value.length === bytes) postMessage(++read);
        });
        for (let turn = 0; turn < 3; turn++) {
          gc();
          await new Promise((resolve) => setTimeout(resolve));
        }
      }
    };`;
  const entry = 'worker-of-blob-reads';
  const built = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id === entry ? entry : undefined),
        load: (id) => (id === entry ? worker : undefined),
      },
    ],
    build: { write: false, rolldownOptions: { input: entry, preserveEntrySignatures: false } },
  })) as Rolldown.RolldownOutput;
  return built.output[0].code;
}

/** In the page: how many slices are read before none comes any more. */
async function readSlices({ code, slices, bytes }: { code: string; slices: number; bytes: number }) {
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })));
  worker.postMessage({ blob: new Blob([new Uint8Array(2 * bytes)]), slices, bytes });
  return new Promise<number>((resolve, reject) => {
    let read = 0;
    let silence = setTimeout(() => resolve(read), 20_000);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.onmessage = ({ data }: MessageEvent<number>) => {
      read = data;
      clearTimeout(silence);
      if (read === slices) resolve(read);
      else silence = setTimeout(() => resolve(read), 20_000);
    };
  });
}
