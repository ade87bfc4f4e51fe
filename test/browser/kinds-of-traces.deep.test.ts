/** Folders as tracers leave them: each is dropped on the page, and shows what the plain folder of the trace shows. */
import { join } from 'node:path';
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { asCtf2 } from '../support/ctf-writer/as-ctf2.ts';
import { ctf2Of } from '../support/ctf-writer/ctf2.ts';
import { metadataFile } from '../support/ctf-writer/metadata-file.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { projectDir } from '../support/shared.ts';
import { randomOf } from '../support/simulator/random.ts';
import { inFolders } from '../support/trace-chunks.ts';
import { loadTrace, modelOf, saveTrace } from '../support/trace-files.ts';
import { dropPaths, test } from './support.ts';
import { opened } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const examples = join(projectDir(), 'public', 'examples');
const files = loadTrace(join(examples, 'imbalance-4t', 'kernel'));
const folder = temporaryFolder();

/** Writes files below a folder of the name; returns its path. */
function write(name: string, written: TraceFiles): string {
  saveTrace(written, join(folder, name));
  return join(folder, name);
}

/** The table of CPU times, once it has the thread. */
async function cpuTable(page: Page, thread: string): Promise<string> {
  await opened(page);
  await page.getByRole('tab', { name: 'Statistics' }).click();
  const table = page.getByRole('grid', { name: 'CPU time by thread' });
  await table.getByRole('row').filter({ hasText: thread }).first().waitFor();
  await page.waitForTimeout(1000); // it fills as answers come
  return table.innerText();
}

describe('a dropped folder', () => {
  test('of a rotated session, and of CTF 2, shows what the plain one shows', async ({ visitor }) => {
    const plain = await visitor.visit();
    await dropPaths(plain, [join(examples, 'imbalance-4t')]);
    const expected = await cpuTable(plain, 'imb-80');
    const rotated = await inFolders(files, { folders: 3, overlap: false, partial: false }, randomOf(3));
    const model = modelOf(files);
    const form = { packetBytes: 4000, byteOrder: model.byteOrder, uuid: model.uuid };
    const ctf2 = new Map(files).set('metadata', metadataFile(ctf2Of(asCtf2(model)), form));
    const kinds = [
      write('rotated', rotated),
      write('ctf2', new Map([...ctf2].map(([path, bytes]) => [`kernel/${path}`, bytes]))),
    ];
    for (const path of kinds) {
      const page = await visitor.visit();
      await dropPaths(page, [path]);
      await expect.poll(() => cpuTable(page, 'imb-80')).toBe(expected);
    }
  });

  test('of a session with kernel and user space is one host with both', async ({ visitor }) => {
    const page = await visitor.visit();
    await dropPaths(page, [join(examples, 'lockfight-mutex')]);
    await cpuTable(page, 'lockfight');
    await page.getByRole('tab', { name: /^Info/ }).click();
    for (const domain of ['kernel', 'ust']) await page.getByText(domain).first().waitFor();
  });
});
