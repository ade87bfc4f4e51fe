/** The tab with the flame graph: where the time of threads went, by their call stacks. */
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { describe, expect } from 'vitest';
import { goldenCommands } from '../support/execution-goldens.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test } from './support.ts';
import { findThread, opened, selectInRow, showRange, visitExample, textOf, addressAtRest } from './walk.ts';

const SHARED = sharedDir();

interface GoldenProfile {
  readonly time: number;
  readonly samples: number;
  readonly functions: readonly {
    readonly name: string;
    readonly self: number;
    readonly total: number;
    readonly totalSamples: number;
    readonly margin: number;
  }[];
}

/** What `inspect profile` says of a thread. */
function goldenProfile(trace: string, thread: number): GoldenProfile {
  const found = goldenCommands(trace, 'profile').find(
    ({ args }) => args.includes(String(thread)) && !args.includes('--path'),
  );
  if (found === undefined) throw new Error(`no golden of ${thread}`);
  return found.output as GoldenProfile;
}

async function openTrace(page: Page, name: string, thread?: string): Promise<void> {
  await dropPaths(page, [join(SHARED ?? '', 'traces', name)]);
  await opened(page);
  await page.getByRole('tab', { name: 'Flame graph' }).waitFor();
  if (thread !== undefined) await findThread(page, thread);
  await page.getByRole('tab', { name: 'Flame graph' }).click();
}

function rowOf(page: Page, name: string): Locator {
  const cell = page.getByRole('gridcell').getByText(name, { exact: true });
  return page.getByRole('grid', { name: 'Functions' }).getByRole('row').filter({ has: cell });
}

const ms = (ns: number) => (ns / 1e6).toFixed(3);

interface Numbers {
  readonly self: number;
  readonly total: number;
  /** Percent. */
  readonly share: number;
  readonly samples: number;
  readonly margin: number;
}

/** Those of a function that the table shows. */
async function numbersOf(page: Page, name: string): Promise<Numbers> {
  const cells = rowOf(page, name).getByRole('gridcell');
  await cells.first().waitFor();
  const texts = (await cells.allInnerTexts()).map((text) => text.replace(/[\u2009\u202f\s%]/g, ''));
  const [self, total, share, samples, margin] = texts.filter((text) => /^[\d.]+$/.test(text)).map(Number);
  return { self, total, share, samples, margin };
}

function expectedNumbers(
  time: number,
  golden: GoldenProfile['functions'][number] | undefined,
): Numbers | undefined {
  if (golden === undefined) return undefined;
  const { self, total, totalSamples, margin } = golden;
  const share = Number(((100 * total) / time).toFixed(1));
  return { self: Number(ms(self)), total: Number(ms(total)), share, samples: totalSamples, margin };
}

describe.skipIf(SHARED === undefined)('recorded call stacks', () => {
  test('of a C++ program and a library that it loads: 70 to 30', async ({ visitor }) => {
    const page = await visitor.visit();
    await openTrace(page, 'sampled-cxx', 'srv-main');
    const { time, samples, functions } = goldenProfile('sampled-cxx', 272);
    await expect
      .poll(() => textOf(page.locator('.profile-bar')))
      .toContain(`srv-main 272 ${ms(time)} ms on a CPU in 4.432 s that are visible, ${samples} samples`);
    const lookup = await numbersOf(page, 'wk::store::Index<…>::lookup(…)');
    const library = await numbersOf(page, 'wkwork_compress');
    expect(lookup).toEqual(
      expectedNumbers(
        time,
        functions.find(({ name }) => name.includes('6lookupER')),
      ),
    );
    expect(library).toEqual(
      expectedNumbers(
        time,
        functions.find(({ name }) => name === 'wkwork_compress'),
      ),
    );
    expect(lookup.samples / (lookup.samples + library.samples)).toBeCloseTo(0.7, 2);
    expect(await textOf(rowOf(page, 'wkwork_compress'))).toContain('wkwork.cc:13');
    expect(await textOf(rowOf(page, 'wk::store::mix<…>(…)'))).toContain('wk-sampled.cc:38');
    await page.getByRole('searchbox', { name: 'Find in Flame graph' }).fill('squeeze');
    await page.getByText(/^16\.1.% match$/).waitFor();
    await page.getByRole('searchbox', { name: 'Find in Flame graph' }).fill('');
    await inLooks(page, 'profile');

    await rowOf(page, 'wk::store::mix<…>(…)').click();
    const callers = page.getByRole('tree', { name: 'Callers' });
    // There is nothing to walk over before all six rows are laid out.
    await expect.poll(async () => (await callers.boundingBox())?.height).toBeGreaterThan(100);
    await callers.focus();
    // The function, and above it who called it.
    await page.keyboard.press('ArrowUp');
    await page.getByText('wk::store::mix<7>(unsigned long)', { exact: true }).last().waitFor();
    await page.keyboard.press('ArrowUp');
    const caller = page.locator('.flame-described').first();
    await expect
      .poll(() => textOf(caller))
      .toMatch(/^wk::store::Index<.*::lookup\(wk::Request const&\) 100\.621 ms/);
    await inLooks(page, 'profile-function', ['1440-dark', '1024-light']);
    await page.getByRole('button', { name: 'All functions' }).click();
    await page.getByRole('tree', { name: 'Flame graph' }).waitFor();
  });

  test('of a Python program', async ({ visitor }) => {
    const page = await visitor.visit();
    // The thread that was sampled, though none is selected; time before its samples is in no row.
    await openTrace(page, 'sampled-python');
    await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('python3 242 ');
    const leading = page.getByRole('grid', { name: 'Functions' }).getByRole('row').nth(1);
    await expect.poll(() => textOf(leading)).toMatch(/ 153 0\.00$/);
    await page.getByText(/frames, and .+ without a stack$/).waitFor();
    const { time, functions } = goldenProfile('sampled-python', 242);
    for (const name of ['weigh', 'render', '<genexpr>', 'parse', 'walk', '<module>']) {
      expect(await numbersOf(page, name), name).toEqual(
        expectedNumbers(
          time,
          functions.find((each) => each.name === name),
        ),
      );
    }
    // Of a part of the time there is less.
    await showRange(page, '3 s', '3.5 s');
    await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('in 500.000 ms that are visible');
    expect((await numbersOf(page, 'weigh')).total).toBeLessThan(300);
  });
});

describe('call stacks of an example', () => {
  test('of threads, processes and paths, again by a link', async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('radio', { name: 'All threads', checked: true }).waitFor();
    const all = await numbersOf(page, 'thread worker-0');
    await findThread(page, 'worker-0');
    await page.getByRole('radio', { name: 'Thread', exact: true, checked: true }).waitFor();
    await expect
      .poll(() => textOf(page.locator('.profile-bar')))
      .toMatch(/^On CPU Off CPU Thread Process All threads worker-0 256 /);
    const [, own] = /256 (\d+\.\d+) ms on a CPU/.exec(await textOf(page.locator('.profile-bar'))) ?? [];
    expect(Number(own)).toBeCloseTo(all.total, 3);
    await page.getByRole('radio', { name: 'Process' }).click();
    await rowOf(page, 'thread maintenance').waitFor();
    await page.getByRole('radio', { name: 'Inverted' }).click();
    // Few rows are in sight.
    await page.getByRole('searchbox', { name: 'Filter Functions' }).fill('cache_lookup');
    await rowOf(page, 'cache_lookup').click();
    await page.getByRole('tree', { name: 'Callees' }).waitFor();
    const lookup = await numbersOf(page, 'cache_lookup');
    await expect.poll(() => addressAtRest(page)).toContain('flame.function=cache_lookup');

    const again = await visitor.visit({ path: new URL(page.url()).hash });
    await again.getByRole('tree', { name: 'Callees' }).waitFor();
    await again.getByRole('radio', { name: 'Process', checked: true }).waitFor();
    expect(await numbersOf(again, 'cache_lookup')).toEqual(lookup);
    await again.getByRole('button', { name: 'All functions' }).click();
    await again.getByRole('radio', { name: 'Inverted', checked: true }).waitFor();

    await again.keyboard.press('p');
    await again.getByRole('heading', { name: /Where did the time of worker-0 go/ }).waitFor();
    await again.getByRole('tab', { name: 'Flame graph' }).click();
    await again.getByRole('radio', { name: 'Path', exact: true }).click();
    await again.getByRole('searchbox', { name: 'Filter Functions' }).fill('maintenance');
    await rowOf(again, '→ thread maintenance').waitFor();
    await expect.poll(() => textOf(again.locator('.profile-bar'))).toContain('on the path');
  });

  test('one after another in time, whose time can be selected', async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('radio', { name: 'All threads', checked: true }).waitFor();
    // Several threads run at one time.
    expect(await page.getByRole('radio', { name: 'In time' }).count()).toBe(0);
    await findThread(page, 'worker-0');
    await showRange(page, '1.655 s', '1.68 s');
    await page.getByRole('radio', { name: 'In time' }).click();
    await page.getByText('Waits are left out', { exact: true }).waitFor();
    const graph = page.getByRole('tree', { name: 'Flame graph' });
    await expect.poll(async () => (await graph.boundingBox())?.height).toBeGreaterThan(60);
    await graph.focus();
    const described = () => textOf(page.locator('.flame-described'));
    const places: [ran: number, from: number][] = [];
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    for (let i = 0; i < 3; i++) {
      const [, ran, from] = /([\d.]+) [mµn]?s from ([\d. ]+) s/.exec(await described()) ?? [];
      places.push([Number(ran), Number(from.replaceAll(' ', ''))]);
      await page.keyboard.press('ArrowRight');
    }
    expect(places[0][1]).toBeLessThan(places[1][1]);
    await inLooks(page, 'profile-in-time');
    await graph.focus();
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => textOf(page.locator('.profile-bar'))).toContain('that are selected');
    await expect.poll(() => addressAtRest(page)).toContain('flame.order=time');

    const again = await visitor.visit({ path: new URL(page.url()).hash });
    await again.getByRole('radio', { name: 'In time', checked: true }).waitFor();
    await expect.poll(() => textOf(again.locator('.profile-bar'))).toContain('that are selected');
    await again.getByRole('radio', { name: 'Process' }).click();
    await again.getByRole('radio', { name: 'Top down', checked: true }).waitFor();
  });

  test('at both ends of a wait', async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock');
    await page.getByRole('tab', { name: 'Flame graph' }).waitFor();
    await findThread(page, 'worker-0');
    // It waits for the mutex from 1.6614 s on, for 12 ms.
    await showRange(page, '1.655 s', '1.68 s');
    await page.getByRole('tab', { name: 'Selection' }).click();
    await selectInRow(page, 'worker-0');
    await page.getByRole('heading', { name: /^Blocked 12\.104 ms$/ }).waitFor();
    const slept = page.getByRole('list', { name: 'Slept in' }).getByRole('listitem');
    await slept.first().waitFor();
    expect((await Promise.all((await slept.all()).map(textOf))).slice(0, 5)).toEqual([
      'futex system call',
      expect.stringMatching(/^libc\.so\.6\+0x/),
      expect.stringMatching(/^cache_lookup wk-server\.c:\d+$/),
      expect.stringMatching(/^handle_request wk-server\.c:\d+$/),
      expect.stringMatching(/^worker wk-server\.c:\d+$/),
    ]);
    const woken = page.getByRole('list', { name: /^Woken by maintenance/ }).getByRole('listitem');
    expect(await textOf(woken.first())).toBe('futex system call');
    await inLooks(page, 'wait-stacks', ['1440-light', '1024-dark']);
  });

  test('are named by a program that is dropped later, and by the next visit', async ({ visitor }) => {
    const page = await visitExample(visitor, 'executions-lock/kernel', 'executions-lock/ust');
    await page.getByRole('tab', { name: 'Flame graph' }).waitFor();
    await page.getByRole('tab', { name: 'Info' }).click();
    const server = page.getByRole('region', { name: 'Symbols' }).getByRole('row', { name: /^wk-server / });
    await expect.poll(() => textOf(server)).toMatch(/^wk-server \d+ 0 missing$/);
    await dropPaths(page, [join(projectDir(), 'public/examples/executions-lock/elf')]);
    await page.getByText('1 file may name functions of kernel, ust.').waitFor();
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await expect.poll(() => textOf(server)).toMatch(/^wk-server \d+ [1-9]\d* found$/);
    await inLooks(page, 'symbols', ['1440-light', '1024-dark']);
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('searchbox', { name: 'Filter Functions' }).fill('cache_lookup');
    await rowOf(page, 'cache_lookup').waitFor();

    await page.reload();
    await page.getByRole('tab', { name: 'Info' }).click();
    await expect.poll(() => textOf(server)).toMatch(/^wk-server \d+ [1-9]\d* kept from before$/);
    await page.getByRole('tab', { name: 'Flame graph' }).click();
    await page.getByRole('searchbox', { name: 'Filter Functions' }).fill('cache_lookup');
    await rowOf(page, 'cache_lookup').waitFor();
  });
});
