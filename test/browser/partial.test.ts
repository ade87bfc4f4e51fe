/** Traces of which something is missing: what is shown says so wherever it matters. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { recordedTraces } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { opened } from './walk.ts';

const folderOf = (name: string) => recordedTraces().find((trace) => trace.name === name)?.path;

const lossy = folderOf('lost-events/kernel');

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
    await inLooks(page, 'info-lost', ['1440-light', '1024-dark']);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Examples and recent traces' }).click();
    await page.locator('.recent-open').click();
    await opened(page);
    await expectLoss();
  });
});

const long = folderOf('build-mixed/kernel');

describe.skipIf(long === undefined)('a trace of which reading was stopped', () => {
  test('shows how far it was read, and is read again as a whole', async ({ visitor }) => {
    const page = await stoppedEarly(visitor, long ?? '');
    await page.getByText('Up to the line: read. After it: estimate').waitFor();
    await page.locator('.overview-unread').waitFor();
    // Of the whole length it would be a few percent.
    const busy = async () => {
      const text = await page.locator('.gutter-row.host .gutter-right').textContent();
      return Number(/\d+/.exec(text ?? '')?.[0] ?? 0);
    };
    await expect.poll(busy).toBeGreaterThan(30);
    await page.getByText(/^what was read, .* threads$/).waitFor();
    await inLooks(page, 'stopped', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: 'Info partly read' }).click();
    const card = page.getByRole('status').filter({ hasText: 'Stopped at' });
    await card.getByText(/^Stopped at .* of 68\.818.s: .* events are here$/).waitFor();
    expect(await page.getByRole('heading', { name: 'No problems' }).isVisible()).toBe(false);
    await inLooks(page, 'info-stopped', ['1440-light']);
    await card.getByRole('button', { name: 'Read all' }).click();
    await card.waitFor({ state: 'detached' });
    await opened(page);
    await page.getByRole('heading', { name: 'No problems' }).waitFor();
    await page.getByText('CPU load, event density').waitFor();
    await page.getByText(/^CPU 61.%$/).waitFor();
  });
});

/** A trace of which a part was read: on a busy machine the page may hear of it only when all is there. */
async function stoppedEarly(visitor: Visitor, folder: string): Promise<Page> {
  for (;;) {
    const page = await visitor.visit();
    const stopping = page.evaluate(stopWhenLineMoves);
    await dropPaths(page, [folder]);
    await stopping;
    await opened(page);
    if (await page.getByRole('tab', { name: 'Info partly read' }).isVisible()) return page;
    await page.close();
  }
}

/** In the page, as a click from here would come late. Resolves, too, when all was read before. */
function stopWhenLineMoves(): Promise<void> {
  const widthOf = (selector: string) => document.querySelector(selector)?.clientWidth ?? 0;
  return new Promise((resolve) => {
    let isReading = false;
    const look = () => {
      const stop = document.querySelector<HTMLElement>('.progress-row button');
      const unread = widthOf('.overview-unread');
      if (unread > 0 && unread < widthOf('.overview-picture')) stop?.click();
      else if (!isReading || stop !== null) {
        isReading ||= stop !== null;
        return requestAnimationFrame(look);
      }
      resolve();
    };
    look();
  });
}
