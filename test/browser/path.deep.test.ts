/** Why a thread waited: on one host, and across two. Times are those of an independent analysis of the traces. */
import type { Page } from 'playwright';
import { describe, expect } from 'vitest';
import { LOOKS, screenshot } from './pictures.ts';
import { test } from './support.ts';
import { findThread, openExample, selectWithin, visitExample, textOf } from './walk.ts';

/** Text of a part of the page. */
function textIn(page: Page, region: string): Promise<string> {
  return textOf(page.getByRole('region', { name: region, exact: true }));
}

/** What the path's time consists of comes behind the path. */
function explained(page: Page): Promise<void> {
  return page.locator('.path-sum').waitFor();
}

/** Pixels that the timeline's overlay has drawn in ink: lines and arrows of a path. */
function inkOf(page: Page): Promise<number> {
  return page
    .locator('.rows-area > canvas')
    .last()
    .evaluate((canvas: HTMLCanvasElement) => {
      const context = canvas.getContext('2d');
      if (context === null) return 0;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let ink = 0;
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] === 255 && data[i] < 40 && data[i + 1] < 40 && data[i + 2] < 40) ink++;
      return ink;
    });
}

test('paths of threads are offered, but not of the tracer’s, which ran longest', async ({ visitor }) => {
  const page = await visitExample(visitor, 'executions-lock');
  await page.getByRole('tab', { name: 'Path' }).click();
  const offered = page.locator('.path-suggested button');
  await offered.first().waitFor();
  const names = await offered.allInnerTexts();
  expect(names[0]).toMatch(/^wk-server-ust/);
  expect(names.join()).not.toMatch(/lttng|UST registratio/);
});

describe('a wait', () => {
  test('is explained by its path, which adds up to it', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    // fsync waits from 306 485 207 to 316 024 897 ns for the journal thread, which waits for the disk.
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.getByRole('button', { name: 'Why did this wait?' }).click();
    await page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ }).waitFor();
    await explained(page);
    const answer = await textIn(page, 'Answer');
    expect(answer).toMatch(/It waited in fsync, woken by jbd2\/vdb-8 \(tid \d+\)\. It depended on/);
    expect(answer).toContain('jbd2/vdb-8, which waited 8.562 ms for the disk');
    // The thread that waited has no segment of its own: the longest one is of whom it waited for.
    const longest = page.getByRole('region', { name: 'Waits for' }).getByRole('listitem').first();
    expect(await textOf(longest)).toMatch(/^jbd2\/vdb-8 Waits for the disk/);
    const table = await textIn(page, 'Time on the path');
    for (const time of ['8.562', '0.855', '9.540 ms']) expect(table).toContain(time);
    expect(table).toContain('Sum equals the time asked for');
    // Segments are what the tab counts; a segment may have several parts.
    expect(table).toContain('Parts');
    expect(table).not.toContain('Segments');
    for (const row of ['wk-writer', 'jbd2/vdb-8'])
      await page.locator('.gutter').getByText(row, { exact: true }).waitFor();
    await screenshot(page, 'path');

    // The question stays the same while its answer is gone through.
    await page.getByRole('button', { name: 'Next segment' }).click();
    await page.getByRole('button', { name: 'Next segment' }).click();
    await expect.poll(() => page.locator('.path-longest [aria-current=true]').count()).toBe(1);
    await page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ }).waitFor();

    const ink = await inkOf(page);
    await page.keyboard.press('Escape');
    await expect.poll(() => inkOf(page)).toBeLessThan(ink - 200);
    await page.getByText('Why did it wait?').waitFor();
  });

  test('has its flame graph zoomed by keys, which leave the path alone', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.getByRole('button', { name: 'Why did this wait?' }).click();
    await explained(page);
    const frames = page.locator('.flame-frames');
    await frames.focus();
    // The first frame, once there are some.
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown');
        return page.locator('.flame-described b').count();
      })
      .toBe(1);
    // There is none beside it.
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Show all' }).count()).toBe(0);
    await page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ }).waitFor();
  });

  test('is explained again by the link to its path, until that is left', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await selectWithin(page, 'wk-writer', '300 ms', '320 ms');
    await page.keyboard.press('P');
    const question = page.getByRole('heading', { name: /Why did wk-writer wait 9\.540.ms/ });
    const exact = page.getByRole('radio', { name: /^Exact/ });
    await question.waitFor();
    await exact.click();
    await page.waitForFunction(() => window.location.hash.includes('criterion=exact'));
    const link = await page.evaluate(() => window.location.hash);
    await page.reload();
    await question.waitFor();
    await expect.poll(() => exact.getAttribute('aria-checked')).toBe('true');

    await page.getByRole('button', { name: 'Leave', exact: true }).click();
    await page.getByText('Why did it wait?').waitFor();
    // The keyboard goes on in the rows.
    expect(await page.evaluate(() => document.activeElement?.role)).toBe('treegrid');
    await page.waitForFunction(() => !/path=|criterion=/.test(window.location.hash));
    // Pasted.
    await page.evaluate((hash) => (window.location.hash = hash), link);
    await question.waitFor();
    await page.evaluate((hash) => (window.location.hash = hash.replace(/path=[^&]*/, 'path=%3Cb%3E')), link);
    await question.waitFor({ state: 'detached' });
  });

  test('of no time cannot be fitted', async ({ visitor }) => {
    const page = await visitExample(visitor, 'disk-io');
    await findThread(page, 'rcu_gp');
    await page.keyboard.press('P');
    await page.getByRole('heading', { name: /Where did the time of rcu_gp go\? 0/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Fit', exact: true }).isDisabled()).toBe(true);
  });

  test('steps along its path, and other criteria tell how they differ', async ({ visitor }) => {
    const page = await visitor.visit({ colorScheme: 'dark' });
    await openExample(page, 'disk-io');
    await findThread(page, 'wk-writer');
    await page.keyboard.press('P');
    await page.getByRole('heading', { name: /Where did the time of wk-writer go/ }).waitFor();
    const criteria = page.getByRole('radiogroup', { name: 'Criterion' });
    await criteria
      .getByText(/^\d.*ms$|same path/)
      .nth(2)
      .waitFor();
    const longest = page.getByRole('region', { name: 'Waits for' }).getByRole('listitem').getByRole('button');
    await longest.first().click();
    await expect.poll(() => longest.first().getAttribute('aria-current')).toBe('true');
    await page.keyboard.press(']');
    await expect.poll(() => longest.first().getAttribute('aria-current')).toBe('false');
    expect(await page.getByRole('tab', { name: /^Path/ }).getAttribute('aria-selected')).toBe('true');
    await criteria.getByRole('radio', { name: /^Exact/ }).click();
    await expect.poll(() => textIn(page, 'Time on the path')).toContain('Sum equals the time asked for');
    const unrelated = criteria.getByRole('radio', { name: /^Marked unrelated/ });
    expect(await unrelated.isDisabled()).toBe(true);
    const marks = page.getByRole('group', { name: 'Threads that are unrelated' }).getByRole('button');
    await marks.first().click();
    await expect.poll(() => unrelated.getAttribute('aria-checked')).toBe('true');
    await marks.first().click();
    await expect.poll(() => unrelated.isDisabled()).toBe(true);
    await screenshot(page, 'path-dark');
  });
});

test('two hosts dropped together are synchronised, and a path crosses both', async ({ visitor }) => {
  const page = await visitExample(visitor, 'two-hosts-http/client', 'two-hosts-http/server');
  await page.getByRole('tab', { name: 'Sync' }).click();
  await page.getByText(/310 packets show how the clocks relate/).waitFor();
  const sync = await textIn(page, 'Answer');
  expect(sync).toMatch(/server is 5\.508 863 833 s ahead of client/);
  expect(sync).toContain('155 packets arrived before they were sent; now none does');
  await screenshot(page, 'sync');
  await page.getByLabel('Offset, with its unit').fill('-5.4 s');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(/by the offset that was given, −5\.400/).waitFor();
  // A link, as an address that is loaded again, shows the trace by the same clocks.
  await expect.poll(() => page.url()).toContain('clock=1%7E-5400000000');
  await page.reload();
  await page.getByText(/by the offset that was given, −5\.400/).waitFor();
  const moment = page.getByRole('form', { name: 'Two events that are the same moment' });
  await moment.getByLabel('Time of its event').fill('1.5 s');
  await moment.getByLabel("Time of the other host's event").fill('1.600 000 001 s');
  await moment.getByRole('button', { name: 'Apply' }).click();
  await page.getByText(/by the offset that was given, −5\.299\s999\s999/).waitFor();
  await screenshot(page, 'sync-offset');
  await page.getByRole('button', { name: 'By packets again' }).click();
  await page.getByText('by its packets, through client').waitFor();

  await findThread(page, 'wk-httpget');
  await page.keyboard.press('P');
  await page.getByRole('heading', { name: /Where did the time of wk-httpget go/ }).waitFor();
  await explained(page);
  const table = await textIn(page, 'Time on the path');
  expect(table).toContain('Sum equals the time asked for');
  expect(table).toMatch(/http-[01] 19[78] server/);
  expect(table).toMatch(/wk-httpget 221 client/);
  const gutter = page.locator('.gutter');
  for (const row of ['wk-httpget', 'http-0', 'http-1'])
    await gutter.getByText(row, { exact: true }).waitFor();
  await screenshot(page, 'path-two-hosts');

  // The verdict, and the sums that it is of.
  expect(await page.locator('.path-verdict').innerText()).toMatch(/^[\d.]+.% of 5\d\d\.\d{3}.ms was /);
  await page.getByRole('radio', { name: 'Host', exact: true }).click();
  await expect
    .poll(() => textIn(page, 'Time on the path'))
    .toMatch(/server 2 301\.466 52\.0 % client 1 239\.754 41\.3 % Network 0 39\.058/);
  expect(await textIn(page, 'Time on the path')).toContain('Sum equals the time asked for');
});

test('what would help is told as a range, with what limits then', async ({ visitor }) => {
  const page = await visitExample(visitor, 'imbalance-4t');
  await findThread(page, 'imb-10');
  await page.keyboard.press('p');
  await explained(page);
  await page.getByRole('radio', { name: 'What would help' }).click();
  // As `inspect what-if` has it (`test/conformance/what-if.test.ts`).
  const slowest = page.getByRole('button', { name: /^Work of imb-80/ });
  await expect.poll(() => slowest.innerText()).toMatch(/saves 294\.520.ms to 488\.344.ms/);
  await slowest.click();
  await page.getByText(/Then 694\.966.ms, most of it: imb-40 runs \(58\.9.%\), imb-10 runs/).waitFor();
  await page.getByRole('img', { name: /^Now: path of 989\.486.ms/ }).waitFor();
  const after = page.getByRole('img', { name: /^Then: path of 694\.966.ms/ });
  await after
    .getByTitle(/^imb-40 runs, /)
    .first()
    .waitFor();
  await screenshot(page, 'what-helps');
  // Twice as long costs.
  await page.getByRole('slider', { name: 'What is changed takes' }).fill('2');
  await expect.poll(() => slowest.innerText()).toMatch(/costs \d/);
  await expect.poll(() => after.count()).toBe(0);
});

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
