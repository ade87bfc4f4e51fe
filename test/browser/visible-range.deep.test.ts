/** The button with the visible range, and the form behind it. */
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { opened, openExample, pointAt, showRange, visitExample } from './walk.ts';

describe('the visible range', () => {
  test('is told apart however short, and typed only where the trace is', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await showRange(page, '1.20000001 s', '1.20000401 s');
    const text = await page.locator('.range-button').innerText();
    expect(text.replace(/\s/g, ' ')).toBe('1.200 000 01 s to 1.200 004 01 s');

    await page.locator('.range-button').click();
    const form = page.getByRole('dialog', { name: 'Visible range' });
    await form.getByLabel('From', { exact: true }).fill('100 s');
    await form.getByLabel('To', { exact: true }).fill('200 s');
    await form.getByText(/The trace has nothing there: it is from 0.s to \d/).waitFor();
    expect(await form.getByRole('button', { name: 'Show', exact: true }).isDisabled()).toBe(true);
  });

  test('is written by another clock without leaving the form', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await page.locator('.range-button').click();
    const form = page.getByRole('dialog', { name: 'Visible range' });
    await form.getByRole('radio', { name: 'UTC' }).click();
    expect(await form.getByRole('radio', { name: 'UTC' }).getAttribute('aria-checked')).toBe('true');
    expect(await form.isVisible()).toBe(true);

    // Everywhere, and in the next visit.
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: /^Events/ }).click();
    const heads = page.getByRole('grid', { name: 'Events', exact: true }).getByRole('columnheader');
    await heads.getByText('Time, UTC').waitFor();
    await page
      .getByText(/^\d\d:\d\d:\d\d\.\d{3}\s\d{3}\s\d{3}$/)
      .first()
      .waitFor();
    await page.reload();
    await opened(page);
    await page.locator('.range-button').click();
    await expect
      .poll(() => form.getByRole('radio', { name: 'UTC' }).getAttribute('aria-checked'))
      .toBe('true');
  });

  test('is typed on a narrow screen, too, and from the palette', async ({ visitor }) => {
    const page = await visitor.visit({ viewport: { width: 760, height: 600 } });
    await openExample(page, 'disk-io');
    const form = page.getByRole('dialog', { name: 'Visible range' });
    await page.getByRole('button', { name: 'Visible range' }).click();
    await form.waitFor();
    await page.keyboard.press('Escape');
    // The page hears of it later than the dialog goes.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find a command' }).waitFor();
    await page.keyboard.type('type the range');
    await page.keyboard.press('Enter');
    await form.waitFor();
  });
});

test('the selected range has its ends as two marks, by keys at the pointer', async ({ visitor }) => {
  const page = await visitExample(visitor, 'disk-io');
  await showRange(page, '300 ms', '340 ms');
  await page.getByRole('tab', { name: 'Selection' }).click();
  await pointAt(page, 0.25);
  await page.keyboard.press('Shift+A');
  const range = page.getByRole('region', { name: 'Range', exact: true });
  await range.getByRole('heading', { name: /^Range of 30\.\d+.ms/ }).waitFor();
  await pointAt(page, 0.75);
  await page.keyboard.press('Shift+B');
  await range.getByRole('heading', { name: /^Range of (?:20\.0|19\.9)\d+.ms/ }).waitFor();
});
