/**
 * A program that an ordinary user recorded with the kit, without the kernel: for which lock, for whom, and in which function.
 * Only where LTTng's user-space tracer and a C compiler are installed.
 */
import { beforeAll, describe, expect } from 'vitest';
import { type KitRecording, recordDemo, whatIsMissing } from '../support/kit-recording.ts';
import { test } from './support.ts';
import { visitPaths } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const missing = whatIsMissing();
if (missing !== undefined) console.warn(`a program recorded by the kit is not shown: ${missing}`);

describe.skipIf(missing !== undefined)('a program recorded by the kit without the kernel', () => {
  const work = temporaryFolder();
  let recording: KitRecording;
  beforeAll(async () => (recording = await recordDemo(work)), 120_000);

  test('shows which lock made whom wait for whom, and what it answers', async ({ visitor }) => {
    const page = await visitPaths(visitor, recording.trace);
    await page.getByRole('tab', { name: /^Locks/ }).click();
    const locks = page.locator('.locks').getByRole('grid', { name: 'Locks' });
    for (const name of ['rwlock rwlock', 'mutex mutex', 'spinlock spin', 'semaphore sem', 'condition cond'])
      await locks.getByRole('row').filter({ hasText: name }).first().waitFor();
    const [, waiter, holder] = /^wait rwlock (\d+) (\d+) /m.exec(recording.output) ?? [];
    const matrix = page.getByRole('grid', { name: 'Who made whom wait' });
    await matrix
      .getByRole('gridcell', { name: new RegExp(`waited .* for demo.* in \\d+ waits?$`) })
      .first()
      .waitFor();
    expect(Number(waiter)).toBeGreaterThan(Number(holder));

    await page.getByRole('tab', { name: /^Info/ }).click();
    const answers = page.getByRole('region', { name: 'What this trace answers' }).getByRole('listitem');
    for (const [question, where] of [
      ['Which lock is contended', 'Locks'],
      ['In which function', 'Flame graph'],
    ])
      await answers.filter({ hasText: question }).getByText(where, { exact: true }).waitFor();
    await answers.filter({ hasText: 'Why did a thread wait' }).getByText('sched_switch').waitFor();
  });

  test('shows in which functions it was sampled, as deep as it calls itself', async ({ visitor }) => {
    const page = await visitPaths(visitor, recording.trace);
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('radio', { name: 'All threads' }).click();
    const functions = page.getByRole('grid', { name: 'Functions' });
    for (const name of ['compress', 'checksum', 'descend'])
      await functions.getByRole('gridcell').getByText(name, { exact: true }).waitFor();
    await page.getByRole('tree', { name: 'Flame graph' }).waitFor();
    await page
      .locator('.profile-bar')
      .getByText(/\d+ samples/)
      .waitFor();
  });
});
