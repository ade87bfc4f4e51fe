/** Traces of which something was lost: what is shown says so. */
import { describe } from 'vitest';
import { recordedTraces } from '../support/shared.ts';
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
    await inLooks(page, 'info-lost', ['1440-light', '1024-dark']);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Examples and recent traces' }).click();
    await page.locator('.recent-open').click();
    await opened(page);
    await expectLoss();
  });
});
