/** Every screen, as axe checks it in both themes: nothing that keeps people from a part of the page. */
import { join } from 'node:path';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright';
import { expect } from 'vitest';
import { FEATURES } from '../../src/app/features/registry.ts';
import { projectDir } from '../support/shared.ts';
import { expectAccessible } from './axe.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { findThread, opened, writeNote } from './walk.ts';

const HOSTS = ['public/examples/two-hosts-http'];
const RECORDINGS = ['rt-softirq-preempted', 'kernel-step-back'].map((name) => `test/fixtures/cases/${name}`);

/** A page on which axe can be run: so small that much scrolls, and without fading, which would be measured halfway. */
async function visitWithAxe(visitor: Visitor): Promise<Page> {
  const page = await visitor.visit({ viewport: { width: 1024, height: 600 }, reducedMotion: 'reduce' });
  await page.evaluate(axe.source);
  return page;
}

/** Between two looks at a panel, which tell whether answers are still to come. */
const REST_MS = 200;

/** Waits until a panel has its answers. */
async function settled(panel: Locator): Promise<void> {
  let before = '';
  await expect
    .poll(async () => {
      await panel.page().waitForTimeout(REST_MS);
      const last = before;
      before = await panel.innerHTML();
      return last === before && !/Counting|Reading/.test(await panel.innerText());
    })
    .toBe(true);
}

/** Checks what each tab below the timeline shows that is not among the `seen`, and adds its title to them. */
async function expectTabs(page: Page, seen: Set<string>): Promise<void> {
  for (const tab of await page.getByRole('tablist', { name: 'Details' }).getByRole('tab').all()) {
    const title = await tab.evaluate((element) => element.firstChild?.textContent ?? '');
    if (seen.has(title)) continue;
    seen.add(title);
    await tab.click();
    await settled(page.getByRole('tabpanel'));
    await expectAccessible(page, title, '.drawer');
  }
}

test('the start page, its dialogs and a lesson', async ({ visitor }) => {
  const page = await visitWithAxe(visitor);
  await page.getByText('Which thread holds everyone up?').waitFor();
  await expectAccessible(page, 'start page');
  for (const name of ['How to record a trace', 'Open by address']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog', { name }).waitFor();
    await expectAccessible(page, name);
    await page.keyboard.press('Escape');
  }
  for (const key of ['?', 'Control+k']) {
    await page.keyboard.press(key);
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, key);
    await page.keyboard.press('Escape');
  }
  await page.locator('.lessons button, .lessons a').first().click();
  await opened(page);
  await page.locator('aside.lesson').getByRole('heading', { level: 3 }).first().waitFor();
  await expectAccessible(page, 'lesson');
});

test('the timeline, every tab and every statistic', async ({ visitor }) => {
  const page = await visitWithAxe(visitor);
  await page.getByText('Who holds up 18 of 300 requests?').click();
  await opened(page);
  await page.getByRole('tab', { name: 'Compare 300' }).waitFor();
  await findThread(page, 'wk-server');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: /^Where did the time of/ }).waitFor();
  await writeNote(page, 'a note');
  await expectAccessible(page, 'timeline');
  const seen = new Set<string>();
  await expectTabs(page, seen);
  await page.getByRole('tab', { name: 'Statistics' }).click();
  const panel = page.getByRole('tabpanel');
  for (const section of await panel.getByRole('radiogroup').first().getByRole('radio').all()) {
    await section.click();
    await settled(panel);
    await expectAccessible(page, `statistics, ${await section.textContent()}`, '.drawer');
  }
  // Those of several hosts, and of several traces of one.
  for (const folders of [HOSTS, RECORDINGS]) {
    const other = await visitWithAxe(visitor);
    await dropPaths(
      other,
      folders.map((folder) => join(projectDir(), folder)),
    );
    await opened(other);
    await expectTabs(other, seen);
  }
  const all = FEATURES.flatMap(({ tab }) => (tab ? [tab.title] : []));
  expect([...seen].sort()).toEqual(all.sort());
});
