/** The page in one file, opened from a disk. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectDir } from '../support/shared.ts';
import { chooseFolder, test } from './support.ts';

const VITE = join(projectDir(), 'node_modules/vite/bin/vite.js');
const EXAMPLES = join(projectDir(), 'public', 'examples');

test('opens a trace and shows a path without any server', async ({ visitor }) => {
  const build = ['build', '--config', 'vite.single.config.ts', '--logLevel', 'error'];
  execFileSync(process.execPath, [VITE, ...build], { cwd: projectDir() });
  const file = pathToFileURL(join(projectDir(), 'build/single/wakepath.html')).href;
  const page = await visitor.visit({ url: file });
  const choose = page.getByRole('button', { name: 'Choose a folder' });
  await chooseFolder(page, join(EXAMPLES, 'imbalance-4t'), () => choose.click());
  await page.getByRole('button', { name: /imb-80; imb-10 longest/ }).click();
  await page.getByRole('row', { name: /imb-80 219\s+Running, user\s+692\.892/ }).waitFor();
  // What was read is kept, and what lies on a server is not offered.
  await page.evaluate(() => (location.hash = ''));
  await page.reload();
  await page
    .getByRole('button', { name: /imbalance-4t/ })
    .first()
    .waitFor();
  for (const name of ['Lessons', 'Examples'])
    await page.getByRole('region', { name }).waitFor({ state: 'detached' });
});
