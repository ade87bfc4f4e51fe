/** What is told of the place under the pointer: by the card, and in the list of events around it. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { test } from './support.ts';
import { findThread, showRange, visitExample, boxOf } from './walk.ts';

/** Where the pointer is left, in CSS pixels of the page. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Name of the row beside a place; '' where there is none. */
function rowAt(page: Page, { y }: Place): Promise<string> {
  return page.evaluate((at) => {
    const row = document.elementsFromPoint(100, at).find((element) => element.matches('.gutter-row'));
    return row?.querySelector('.gutter-name')?.textContent ?? '';
  }, y);
}

/** Name of the row on the card; '' while there is no card. */
async function cardText(page: Page): Promise<string> {
  const name = page.locator('.hover-card:not([hidden]) .hover-head > span:first-child');
  return (await name.count()) > 0 ? name.innerText() : '';
}

async function expectTold(page: Page, place: Place, row: string): Promise<void> {
  await expect.poll(() => rowAt(page, place)).toBe(row);
  await expect.poll(() => cardText(page)).toBe(row);
}

describe('under the pointer', () => {
  test('the card follows rows and times that move while the pointer rests', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await findThread(page, 'imb-40');
    await showRange(page, '700 ms', '710 ms');
    const row = await boxOf(page.locator('.gutter-row.selected'));
    const area = await boxOf(page.locator('.rows-area'));
    const place = { x: area.x + area.width / 2, y: row.y + row.height / 2 };
    await page.mouse.move(place.x, place.y);
    await expectTold(page, place, 'imb-40');

    await page.mouse.wheel(0, row.height);
    await expectTold(page, place, 'imb-20');
    await page.mouse.wheel(0, -row.height);
    await expectTold(page, place, 'imb-40');

    // Its time goes on with the view.
    const flag = page.locator('.hover-card dd').last();
    const before = await flag.innerText();
    await page.keyboard.press('0');
    await expect
      .poll(async () => ((await cardText(page)) === '' ? before : flag.innerText()))
      .not.toBe(before);

    await page.mouse.click(place.x, place.y);
    await page.keyboard.press('p');
    await page.locator('.path-sum').waitFor();
    await expect.poll(() => rowAt(page, place)).not.toBe('imb-40');
    const beside = await rowAt(page, place);
    await expect.poll(() => cardText(page)).toBe(beside);
  });

  test('it is said why a state is not known', async ({ visitor }) => {
    const page = await visitExample(visitor, 'imbalance-4t');
    await findThread(page, '194');
    await showRange(page, '200 ms', '210 ms');
    const row = await boxOf(page.locator('.gutter-row.selected'));
    await page.mouse.click(800, row.y + row.height / 2);
    await page.locator('.hover-card').getByText('no earlier event shows it').waitFor();
    await page.getByRole('tab', { name: 'Selection' }).click();
    await page.getByRole('region', { name: 'Interval' }).getByText('no earlier event shows it').waitFor();
  });

  test('events are listed with what they are told apart by', async ({ visitor }) => {
    const page = await visitExample(visitor, 'two-hosts-http');
    await page.getByRole('tab', { name: /^Events/ }).click();
    const list = page.getByRole('grid', { name: 'Events', exact: true });
    await list
      .getByText(/=0x[0-9a-f]+/)
      .first()
      .waitFor();
    const heads = await list.getByRole('columnheader').allInnerTexts();
    expect(heads).toEqual([
      'Time, s',
      'After',
      'Host',
      'CPU',
      'Thread',
      'Process',
      'Event',
      'Fields',
      'Context',
    ]);
    // Their order is that of time.
    expect(await list.getByRole('columnheader').getByRole('button').count()).toBe(0);
    await list.getByText('server', { exact: true }).first().waitFor();
  });
});
