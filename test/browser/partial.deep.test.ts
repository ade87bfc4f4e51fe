/** Traces of which something is missing: what is shown says so wherever it matters. */
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { projectDir, recordedTraces } from '../support/shared.ts';
import { holdReads, letRead, paintedTexts, readFirstChunks } from './held-reads.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { opened } from './walk.ts';

const lossy = recordedTraces().find(({ name }) => name === 'lost-events/kernel')?.path;

describe.skipIf(lossy === undefined)('a trace of which events were lost', () => {
  test('says how many, and what that means, when it is read and when it is kept', async ({ visitor }) => {
    const page = await visitor.visit();
    const expectLoss = async () => {
      await page.getByRole('tab', { name: /^Info 1 problem$/ }).click();
      const card = page.getByRole('alert').filter({ hasText: 'Events were lost while recording' });
      await card.getByText(/^41.754 lost, 7.981 recorded$/).waitFor();
      await card.getByText('States are unknown from there').waitFor();
      await page.getByRole('heading', { name: 'No problems' }).waitFor({ state: 'detached' });
    };
    await dropPaths(page, [lossy ?? '']);
    await opened(page);
    await expectLoss();
    // Of the CPUs' time in sum, which is not known where events were lost.
    await page
      .locator('.gutter')
      .getByText(/^CPU ≥ 22.%$/)
      .waitFor();
    await inLooks(page, 'info-lost', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: 'Statistics' }).click();
    const banner =
      /^84\.0.% of the events were lost while recording: 41.754 of 49.735, in [\d.]+.% of .* too low/;
    await page.getByText(banner).waitFor();
    await page.locator('.experiment-facts .bad', { hasText: /^7.981 of 49.735 events$/ }).waitFor();
    await inLooks(page, 'statistics-lost');
    // In the narrow window, where the search gives way.
    const facts = page.locator('.experiment-facts');
    expect(await facts.evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Examples and recent traces' }).click();
    await page.locator('.recent-open').click();
    await opened(page);
    await expectLoss();
  });
});

/** Its streams, the system calls' last. Those of CPU 1 are two chunks, all else is one each. */
const LONG = join(projectDir(), 'public', 'examples', 'executions-lock', 'kernel');
const SIZES = [94208, 122880, 147456, 98304, 159744, 434176, 49152, 192512];

test('a trace whose reading was stopped shows how far, and is read again whole', async ({ visitor }) => {
  const page = await visitor.visit();
  await holdReads(page.context());
  await page.reload();
  await dropPaths(page, [LONG]);
  await readFirstChunks(page, SIZES);
  const unread = () =>
    page.evaluate(paintedTexts).then((texts) => texts.findLast((text) => /^Not read/.test(text)));
  await expect.poll(unread).toBe('Not read yet: load from packet headers only');
  await page.getByRole('button', { name: 'Stop, keep what is here' }).click();
  await opened(page);
  await page.getByText('Estimated after the line').waitFor();
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.locator('.overview-unread').waitFor();
  await page.getByText(/^what was read, .* threads$/).waitFor();
  await inLooks(page, 'stopped', ['1440-light', '1024-dark']);
  expect(await unread()).toBe('Not read: load from packet headers only');
  await page.getByRole('tab', { name: 'Info partly read' }).click();
  const card = page.getByRole('status').filter({ hasText: 'Stopped at' });
  await card.getByText(/^Stopped at 1\.609.s of 2\.437.s: 32.880 events are here$/).waitFor();
  await inLooks(page, 'info-stopped', ['1440-light']);
  expect(await page.getByRole('heading', { name: 'No problems' }).isVisible()).toBe(false);
  await letRead(page);
  await card.getByRole('button', { name: 'Read all' }).click();
  await card.waitFor({ state: 'detached' });
  await opened(page);
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
  await page.getByText('CPU load, event density').waitFor();
});
