/** How to record: from questions to commands, and from an open trace to what it lacks. */
import { expect } from 'vitest';
import { inLooks } from './pictures.ts';
import { test } from './support.ts';
import { visitExample } from './walk.ts';

test('questions lead to commands', async ({ visitor }) => {
  const page = await visitor.visit();
  await page.getByRole('button', { name: 'How to record a trace' }).click();
  const guide = page.getByRole('dialog', { name: 'How to record a trace' });
  const commands = guide.getByRole('region', { name: 'Commands' });
  await commands.getByText(/^perf record -a -g .*raw_syscalls/).waitFor();
  await guide.getByRole('radio', { name: 'LTTng' }).click();
  await commands.getByText('sched_*').waitFor();
  await guide.getByLabel('Was it the network, or another machine?').check();
  await guide.getByLabel('Which lock is contended').check();
  await guide.getByRole('radio', { name: 'Keep only the last moments' }).click();
  const text = (await commands.locator('pre').textContent()) ?? '';
  expect(text).toContain('net_dev_queue,net_if_receive_skb');
  expect(text).toContain('liblttng-ust-pthread-wrapper.so" ./the-slow-thing');
  expect(text).toContain('lttng snapshot record');
  await page.keyboard.press('Escape');
  await guide.waitFor({ state: 'detached' });
});

test('an open trace says what it answers, and how the rest is recorded', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await page.getByRole('tab', { name: 'Info' }).click();
  const answers = page.getByRole('region', { name: 'What this trace answers' });
  const lines = answers.getByRole('listitem');
  await lines.filter({ hasText: 'Which disk requests were slow' }).getByText('Statistics, Path').waitFor();
  await lines.filter({ hasText: 'Which lock is contended' }).getByText('lttng_ust_pthread:*').waitFor();
  await answers.getByRole('button', { name: 'How to record what is missing' }).click();
  const guide = page.getByRole('dialog', { name: 'How to record a trace' });
  await guide.waitFor();
  await inLooks(page, 'recording-guide', ['1440-light', '1024-dark']);
  expect(await guide.getByLabel('Which lock is contended').isChecked()).toBe(true);
  expect(await guide.getByLabel('Which disk requests were slow').isChecked()).toBe(false);
});
