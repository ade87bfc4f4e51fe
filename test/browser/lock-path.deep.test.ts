/** The Path tab: waits for locks, by criterion `lock holder`. */
import { expect } from 'vitest';
import { screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, visitExample } from './walk.ts';

test('a path by lock holder names the lock and who held it', async ({ visitor }) => {
  const page = await visitExample(visitor, 'lockfight-mutex');
  await findThread(page, 'fight-1');
  await page.keyboard.press('p');
  // It can be chosen when the events of locks have been read, after all others.
  const criterion = page.getByRole('radio', { name: /^Lock holder/ });
  await expect.poll(() => criterion.isEnabled()).toBe(true);
  await criterion.click();
  const sentence = page.locator('.path-sentence');
  await sentence.getByText(/, held (by|in turn by|longest by)/).waitFor();
  expect(await sentence.textContent()).toMatch(
    /It waited [\d.]+\sms for mutex 0x…\w{4} of wk-lockfight( in \d+ waits)?, held .*by fight-\d.* while they ran/,
  );
  await screenshot(page, 'lock-path');
});
