/** What is done faster than the page answers comes out as if it had been done slowly. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { clickRow, findThread, opened, selectInRow, selectWithin, showRange, visitExample } from './walk.ts';

/** Presses keys within one task, before the browser draws or the session answers. */
function pressAtOnce(page: Page, ...keys: readonly string[]): Promise<void> {
  return page.evaluate(async (all) => {
    for (const chord of all) {
      const [key, ctrl] = chord.startsWith('Control+') ? [chord.slice(8), true] : [chord, false];
      const target = document.activeElement ?? document.body;
      target.dispatchEvent(
        new KeyboardEvent('keydown', { key, ctrlKey: ctrl, bubbles: true, cancelable: true }),
      );
      // What is rendered is rendered by now; frames and messages come later.
      for (let i = 0; i < 20; i++) await Promise.resolve();
    }
  }, keys);
}

/** Presses keys with the next click, before anything else is heard of it. */
function pressWithClick(page: Page, ...keys: readonly string[]): Promise<void> {
  return page.evaluate((all) => {
    const press = () => {
      for (const key of all)
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    };
    window.addEventListener('pointerup', press, { once: true });
  }, keys);
}

test('a dialog asked for right after it was closed stays', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  for (const key of ['?', 'g']) {
    await page.keyboard.press(key);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.evaluate(async (again) => {
      const closed = document.querySelector('dialog');
      const closing = new Promise((tell) => closed?.addEventListener('close', tell));
      // As Escape does, of which the page hears later.
      closed?.close();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: again, bubbles: true }));
      await closing;
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    }, key);
    expect(await dialog.count(), key).toBe(1);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
});

describe('keys right after a click', () => {
  test('explain all of the interval of which a pixel was clicked', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await findThread(page, 'wk-writer');
    // Its waits for the disk are much shorter than a pixel here.
    await pressWithClick(page, 'p');
    await clickRow(page, 'wk-writer');
    await page.locator('.path-sum').waitFor();
    // Anything left to be done with the frame of the click is done by now.
    await page.waitForTimeout(200);
    expect(await page.getByRole('tab', { name: /^Path/ }).getAttribute('aria-selected')).toBe('true');
    const title = await page.locator('.path-title').innerText();
    await page.getByRole('tab', { name: 'Selection' }).click();
    const selected = page.locator('.selection-head h3 .nowrap');
    expect(title).toContain(await selected.innerText());
  });

  test('step from it as often as they are pressed', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    const from = page.locator('.selection .pairs').getByText('From', { exact: true }).locator('+ dd');
    const first = await from.innerText();
    for (let i = 0; i < 3; i++) {
      const before = await from.innerText();
      await page.keyboard.press('ArrowRight');
      await expect.poll(() => from.innerText()).not.toBe(before);
    }
    const third = await from.innerText();
    for (let i = 0; i < 3; i++) {
      const before = await from.innerText();
      await page.keyboard.press('ArrowLeft');
      await expect.poll(() => from.innerText()).not.toBe(before);
    }
    expect(await from.innerText()).toBe(first);
    await pressAtOnce(page, 'ArrowRight', 'ArrowRight', 'ArrowRight');
    await expect.poll(() => from.innerText()).toBe(third);
  });
});

test('a row gone to by name is explained instead of the interval before', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await findThread(page, 'wk-writer');
  await selectInRow(page, 'wk-writer');
  await page.locator('.selection-head').waitFor();
  await page.locator('.gutter').getByText('wk-reader', { exact: true }).first().click();
  await page.getByRole('heading', { name: /^Thread wk-reader/ }).waitFor();
  await page.keyboard.press('P');
  await page.getByRole('heading', { name: /^Where did the time of wk-reader go/ }).waitFor();
});

describe('keys right after each other', () => {
  test('go to the dialog that the first one opens', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    const before = await theme();
    await pressAtOnce(page, 'Control+k', 't', 'x');
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
    expect(await theme()).toBe(before);
    expect(await page.locator('.drawer-panel').isVisible()).toBe(true);
  });

  test('go back no further than to the first view', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('trace=');
    const whole = await page.locator('.range-button').innerText();
    await showRange(page, '300 ms', '320 ms');
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('view=');
    await pressAtOnce(page, 'Backspace', 'Backspace', 'Backspace');
    await expect.poll(() => page.locator('.range-button').innerText()).toBe(whole);
    expect(await page.getByRole('tab', { name: 'Statistics' }).isVisible()).toBe(true);
  });

  test('leave a path, whatever else is selected', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await findThread(page, 'wk-writer');
    await page.keyboard.press('P');
    await page.locator('.path-sum').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Why did it wait?').waitFor();
    await pressAtOnce(page, 'p', 'Escape');
    await page.waitForTimeout(300);
    expect(await page.getByText('Why did it wait?').isVisible()).toBe(true);
  });
});

describe('the way back', () => {
  test('leads from the path of a wait to its list, then to the tab before', async ({ visitor }) => {
    const page = await visitExample(visitor, 'lockfight-mutex');
    await page.waitForFunction(() => window.location.hash.includes('tab=statistics'));
    const whole = await page.locator('.range-button').innerText();
    await page.getByRole('tab', { name: /^Locks/ }).click();
    await page.getByRole('radio', { name: 'Waits', exact: true }).click();
    const waits = page.getByRole('grid', { name: 'Waits' });
    const count = await waits.getAttribute('aria-rowcount');
    await page.waitForFunction(() => window.location.hash.includes('tab=locks'));
    await page.getByRole('button', { name: 'Its path' }).click();
    await page.locator('.path-sum').waitFor();
    await page.waitForFunction(() => window.location.hash.includes('path='));
    await page.goBack();
    // Of the whole trace again, not of the time of the wait.
    await expect.poll(() => waits.getAttribute('aria-rowcount')).toBe(count);
    await expect.poll(() => page.locator('.range-button').innerText()).toBe(whole);
    await page.waitForFunction(() => !window.location.hash.includes('path='));
    await page.goBack();
    const statistics = page.getByRole('tab', { name: 'Statistics' });
    await expect.poll(() => statistics.getAttribute('aria-selected')).toBe('true');
  });

  test('leads to the views of a visit before', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await showRange(page, '300 ms', '320 ms');
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('view=');
    const far = await page.locator('.range-button').innerText();
    await showRange(page, '100 ms', '200 ms');
    await expect.poll(() => page.evaluate(() => location.hash)).toContain('view=100000000');
    await page.reload();
    await opened(page);
    await page.goBack();
    await expect.poll(() => page.locator('.range-button').innerText()).toBe(far);
  });
});

test('the trace opened last is shown, though the files of one before come later', async ({ visitor }) => {
  const page = await visitor.visit();
  const first = page.getByText('Which thread holds everyone up?');
  await first.waitFor();
  await page.route('**/examples/imbalance-4t/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await route.continue();
  });
  await first.click();
  await page.getByText('Who keeps the lock that the others want?').click();
  await opened(page);
  await page.waitForTimeout(2000);
  expect(await page.locator('.experiment-name').innerText()).toBe('lockfight-mutex');
});
