/** The Path tab: who took the time of a path. */
import { expect } from 'vitest';
import { LOOKS, screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, openExample } from './walk.ts';

test.for(LOOKS)(
  'the path of a thread tells who took its time: $name',
  async ({ name, viewport, colorScheme }, { visitor }) => {
    const page = await visitor.visit({ viewport, colorScheme });
    await openExample(page, 'disk-io');
    await findThread(page, 'wk-reader');
    await page.keyboard.press('p');
    const table = page.getByRole('region', { name: 'Time on the path' });
    const waits = table.getByRole('row').filter({ hasText: 'disk' }).first();
    await waits.waitFor();
    const title = await waits.locator('.path-state').getAttribute('title');
    expect(title).toContain('request of wk-reader on disk 254:16, at the device');
    expect(title).toContain('The disk served meanwhile:');
    // On narrow screens the flame graph is behind a button.
    const turn = page.getByRole('button', { name: 'Show waits', exact: true });
    if (await turn.isVisible()) await turn.click();
    await page.getByRole('button', { name: 'Copy stacks' }).hover();
    await screenshot(page, `path-blockers-${name}`);
  },
);
