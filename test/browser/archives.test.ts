/** Archives of an example, dropped on the page: they show what the folder shows. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { afterAll, describe, expect } from 'vitest';
import { filesOfFolder } from '../support/memory-files.ts';
import { packTarGz, packZip } from '../support/pack-archive.ts';
import { projectDir } from '../support/shared.ts';
import { dropPaths, screenshot, test } from './support.ts';
import { opened } from './walk.ts';

const EXAMPLE = join(projectDir(), 'public', 'examples', 'imbalance-4t');
const folder = mkdtempSync(join(tmpdir(), 'archives-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, bytes);
  return path;
}

/** What the page shows of a trace, and the key by which it keeps it. */
async function shown(page: Page) {
  await opened(page);
  await page.waitForFunction(() => window.location.hash.includes('trace='));
  const key = await page.evaluate(() => new URLSearchParams(window.location.hash.slice(1)).get('trace'));
  await page.keyboard.press('2');
  const table = page.getByRole('grid', { name: 'CPU time by thread' });
  await table.getByRole('row').filter({ hasText: 'imb-80' }).waitFor();
  return { key, rows: await table.innerText() };
}

describe('a trace in an archive', () => {
  test('opens as its folder does, and is the same recent trace', async ({ visitor }) => {
    const files = filesOfFolder(EXAMPLE);
    const packed = [
      write('deflated.zip', packZip(files)),
      write('stored.zip', packZip(files, 0)),
      write('packed.tar.gz', await packTarGz(files)),
    ];
    const page = await visitor.visit();
    await dropPaths(page, [EXAMPLE]);
    const expected = await shown(page);
    expect(expected.rows).toContain('imb-80');
    for (const path of packed) {
      const other = await visitor.visit();
      await dropPaths(other, [path]);
      expect(await shown(other), path).toEqual(expected);
    }
    await page.getByRole('button', { name: 'Wakepath' }).click();
    await dropPaths(page, [packed[0]]);
    expect(await shown(page)).toEqual(expected);
    await page.getByRole('tab', { name: /^Info/ }).click();
    await page.getByText('from this browser, without reading').waitFor();
  });

  test('is found in a dropped folder', async ({ visitor }) => {
    write('several/a.zip', packZip(filesOfFolder(EXAMPLE)));
    write('several/deeper/b.tgz', await packTarGz(filesOfFolder(join(EXAMPLE, '../disk-io'))));
    const page = await visitor.visit();
    await dropPaths(page, [join(folder, 'several')]);
    await opened(page);
    await page.getByText('a.zip', { exact: true }).first().waitFor();
    await page.getByText('deeper', { exact: true }).first().waitFor();
  });

  test('that was cut off shows what comes before, and says so', async ({ visitor }) => {
    const bytes = await packTarGz(filesOfFolder(EXAMPLE));
    const page = await visitor.visit();
    await dropPaths(page, [write('cut.tar.gz', bytes.subarray(0, bytes.length * 0.9))]);
    await opened(page);
    await page.getByRole('tab', { name: /^Info/ }).click();
    await page.getByText('The archive ends too early').waitFor();
    await screenshot(page, 'archive-cut');
  });

  test('of something else is named', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [write('photos.zip', packZip(new Map([['sea.txt', new Uint8Array(10)]])))]);
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('a zip archive with sea.txt');
    await screenshot(page, 'error-archive');
  });
});
