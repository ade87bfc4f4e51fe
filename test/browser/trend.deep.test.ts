/** Files of executions of many recordings, dropped together: the trend, and the way from a recording to what is slower in it. */
import { join } from 'node:path';
import axe from 'axe-core';
import { beforeAll, expect } from 'vitest';
import { inspect } from '../support/inspect-run.ts';
import { writtenRecording } from '../support/written-recordings.ts';
import { expectAccessible } from './axe.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const MEDIANS = [20_000, 21_000, 20_500, 19_800, 20_200, 27_000, 26_500, 28_000];
const files = MEDIANS.map((_, i) => join(folder, `build-${i}.executions`));

beforeAll(async () => {
  for (const [i, ns] of MEDIANS.entries()) {
    const waitNs = Array.from({ length: 30 }, (_, turn) => ns + 150 * turn);
    const written = { hostname: 'h', waitNs, second: 1_795_000_000 + 3600 * i };
    const trace = writtenRecording(join(folder, `trace-${i}`), written);
    const calls = ['--begin', 'syscall_entry_futex', '--end', 'syscall_exit_futex'];
    await inspect('executions', trace, ...calls, '--database', files[i]);
  }
}, 120_000);

test('a trend names the first slower recording, and compares it with the one before', async ({ visitor }) => {
  const page = await visitor.visit();
  await dropPaths(page, files.slice(0, 6));
  await page.getByRole('heading', { name: 'Executions of many recordings' }).waitFor();
  const sentence = page.getByText(/^The first slower one is/);
  expect(await sentence.innerText()).toMatch(
    /build-5\.executions: its median is .*, 2\d % above the largest before/,
  );
  const grid = page.getByRole('grid', { name: 'Recordings' });
  const rows = () => grid.getByRole('row', { name: /build-/ });
  expect(await rows().count()).toBe(6);
  // More files belong to it as well, and each is there once.
  await dropPaths(page, files.slice(4));
  await rows().nth(7).waitFor();
  expect(await rows().count()).toBe(8);
  expect(await sentence.innerText()).toMatch(/build-5\.executions/);
  await page.evaluate(axe.source);
  await expectAccessible(page, 'trend', 'main');
  await inLooks(page, 'trend');
  await rows().nth(5).click();
  await page.getByText(/executions without their trace/).waitFor();
  await page.getByRole('list', { name: 'Where' }).waitFor();
  await page.getByRole('button', { name: 'Trend', exact: true }).click();
  // By keys as well.
  await rows().first().focus();
  await page.keyboard.press('Enter');
  await page.getByText(/executions without their trace/).waitFor();
});
