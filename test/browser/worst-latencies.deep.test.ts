/** The longest delays: what ran meanwhile, a limit that marks those above it, and the way to the timeline. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { sharedDir, sharedPath } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { opened, textsOf } from './walk.ts';

async function openEach(page: Page, trace: string, section: string): Promise<void> {
  await dropPaths(page, [sharedPath('traces', trace)]);
  await opened(page);
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByRole('radio', { name: section }).click();
  await page.getByRole('radio', { name: 'Each' }).click();
}

describe.skipIf(sharedDir() === undefined)('the longest delays', () => {
  test('of threads say who ran on the CPU meanwhile', async ({ visitor }) => {
    const page = await visitor.visit();
    await openEach(page, 'threaded-irq', 'Scheduling latency');
    await page.getByRole('radio', { name: 'Real-time' }).click();
    await page.getByLabel(/^Limit/).fill('100us');
    await page.getByText(/^22 above 100\.0/).waitFor();
    const row = page.getByRole('grid', { name: 'Each wait for a CPU' }).getByRole('row').nth(1);
    const cells = await textsOf(row.getByRole('gridcell'));
    expect(cells).toEqual(
      expect.arrayContaining(['22.943 ms', '22.843 ms', 'woken', 'irq/26-virtio1-', '129']),
    );
    const lane = row.getByRole('img', { name: /^ps \(tid 257\), nice 0 / });
    await lane.waitFor();
    const detail = page.getByRole('region', { name: 'What ran meanwhile' });
    await detail.getByText(/woken by irq 26 virtio1-req.1/).waitFor();
    const pieces = await textsOf(detail.getByRole('listitem'));
    expect(pieces).toHaveLength(14);
    expect(pieces.at(0)).toBe('2.997 ms ps (tid 257), nice 0 CPU 1');
    expect(pieces).toContain('887.5 µs migration/1 (tid 20), real-time priority 99 CPU 1');
    await inLooks(page, 'statistics-latencies', ['1440-light', '1440-dark', '1024-light', '1024-dark']);
  });

  test('of interrupts and softirqs lead to the timeline by keyboard', async ({ visitor }) => {
    const page = await visitor.visit();
    await openEach(page, 'cpu-contention', 'Interrupts');
    const detail = page.getByRole('region', { name: 'What ran meanwhile' });
    const pieces = detail.getByRole('listitem');
    await pieces.first().waitFor();
    expect(await textsOf(pieces)).toEqual([
      '6.807 ms softirq RCU CPU 0',
      '7.72 µs hrtimer CPU 0',
      '30.96 µs softirq RCU CPU 0',
    ]);
    await pieces.first().getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Selection' }).click();
    await page.getByText('Soft interrupt').first().waitFor();
  });
});
