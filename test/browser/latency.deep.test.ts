/** Scheduling latency, system calls and interrupts: known values of an example, and the way from them to the timeline. */
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { metadataFile } from '../support/ctf-writer/metadata-file.ts';
import { tsdlOf } from '../support/ctf-writer/tsdl.ts';
import { projectDir } from '../support/shared.ts';
import { loadTrace, modelOf, saveTrace } from '../support/trace-files.ts';
import { inLooks, LOOKS, screenshot } from './pictures.ts';
import { test } from './support.ts';
import { openExample, visitExample, visitPaths, textOf } from './walk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

describe('distributions', () => {
  test.for(LOOKS)('$name', async ({ name, viewport, colorScheme }, { visitor }) => {
    const page = await visitor.visit({ viewport, colorScheme });
    await openExample(page, 'disk-io');
    await page.getByRole('tab', { name: 'Statistics' }).click();

    await page.getByRole('radio', { name: 'Scheduling latency' }).click();
    const waits = page.getByRole('grid', { name: 'Scheduling latency' });
    const journal = waits.getByRole('row').filter({ hasText: 'jbd2/vdb-8' });
    await journal.waitFor();
    // 58 wake-ups, 5.036408 ms in all: the time in state 5 of an independent analysis.
    expect(await textOf(journal)).toContain('149 58 5.036 ms');
    await screenshot(page, `scheduling-${name}`);

    await page.getByRole('radio', { name: 'System calls' }).click();
    const calls = page.getByRole('grid', { name: 'System calls' });
    await calls.getByRole('row').filter({ hasText: 'fsync' }).first().click();
    await screenshot(page, `system-calls-${name}`);

    await page.getByRole('radio', { name: 'Interrupts', exact: true }).click();
    await page.getByRole('grid', { name: 'Interrupts' }).getByText('softirq RCU').click();
    const detail = page.getByRole('complementary', { name: 'Distribution' });
    await detail.getByRole('img', { name: /^Raise to entry: 360, .*longest 3\.335\sms$/ }).waitFor();
    await screenshot(page, `interrupts-${name}`);
  });

  test('the longest wait is shown on the timeline', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Scheduling latency' }).click();
    const longest = page.getByRole('region', { name: 'Longest waits' }).getByRole('button').first();
    expect(await textOf(longest)).toBe('9.452 ms tail woken to running');
    await longest.click();
    await page.getByRole('tab', { name: 'Selection' }).click();
    const selection = page.getByRole('region', { name: 'Interval' });
    await selection.getByText('9.452 239 ms', { exact: false }).first().waitFor();
    await screenshot(page, 'longest-wait');
  });

  test('each interrupt, and waits for a CPU by priority', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Interrupts', exact: true }).click();
    await page.getByRole('radio', { name: 'Each', exact: true }).click();
    const each = page.getByRole('grid', { name: 'Each interrupt' });
    const first = each.getByRole('row').nth(1);
    await first.filter({ hasText: 'softirq RCU' }).waitFor();
    expect(await textOf(first)).toContain('5.912 ms softirq RCU CPU 1');
    await page.getByRole('img', { name: /^Entry to exit, raise to entry: 2\s762, / }).waitFor();
    await page.getByRole('searchbox', { name: 'Filter Each interrupt' }).fill('virtio2-req.0');
    await expect.poll(() => each.getAttribute('aria-rowcount')).toBe('79');
    await inLooks(page, 'statistics-interrupts', ['1440-light', '1024-dark']);
    await first.click();
    await expect.poll(() => page.locator('.gutter-row.selected').innerText()).toContain('CPU');

    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Scheduling latency' }).click();
    await page.getByRole('radio', { name: 'Priority', exact: true }).click();
    const priorities = page.getByRole('grid', { name: 'Scheduling latency by priority' });
    const highest = priorities.getByRole('row').nth(1);
    await highest.waitFor();
    // As added up from the events that babeltrace2 prints.
    expect(await textOf(highest)).toContain('0, nice -20 3 63 3.054 ms');
    await inLooks(page, 'statistics-priorities', ['1440-light', '1024-dark']);
  });

  test('what was not to be recorded is said, with the command that records it', async ({ visitor }) => {
    // No event of the example is of these classes.
    const files = loadTrace(join(projectDir(), 'public', 'examples', 'executions-lock', 'kernel'));
    const model = modelOf(files);
    const streams = model.streams.map((stream) => {
      return { ...stream, events: stream.events.filter(({ name }) => !name?.startsWith('irq_handler_')) };
    });
    const metadata = metadataFile(tsdlOf({ ...model, streams }), {
      packetBytes: 4096,
      byteOrder: model.byteOrder,
      uuid: model.uuid,
    });
    saveTrace(new Map(files).set('metadata', metadata), join(folder, 'kernel'));

    const page = await visitPaths(visitor, folder);
    await page.getByRole('tab', { name: 'Statistics' }).click();
    await page.getByRole('radio', { name: 'Interrupts', exact: true }).click();
    const note = page.getByTitle('lttng enable-event --kernel irq_handler_entry,irq_handler_exit');
    await note.waitFor();
    expect(await note.innerText()).toContain('Not recorded: irq_handler_entry');
    await screenshot(page, 'interrupts-not-recorded');
  });
});
