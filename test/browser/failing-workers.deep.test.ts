/** Workers that fail, end without a word, run without end, or cannot be loaded: what is shown is right, or says so. */
import { join } from 'node:path';
import type { Page, Route } from 'playwright';
import { describe, expect } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { changeWorkers, workerScript, type Changes } from './changed-workers.ts';
import { inLooks } from './pictures.ts';
import { dropPaths, test, type Visitor } from './support.ts';
import { findThread, openExample, visitExample } from './walk.ts';

const TRACE = 'imbalance-4t';

/** A page whose workers are changed. No other was there before it, which could have kept an example. */
async function visitWith(visitor: Visitor, changes: Changes): Promise<Page> {
  const page = await visitor.visit({ path: 'licences.txt' });
  await changeWorkers(page.context(), changes);
  await page.goto(new URL('.', page.url()).href);
  return page;
}

/** What the table of CPU time says, once all is read. */
async function cpuTimes(page: Page): Promise<string> {
  await page.getByRole('tab', { name: 'Statistics' }).click();
  await page.getByText(/^whole trace, /).waitFor();
  return page.getByRole('grid', { name: 'CPU time' }).innerText();
}

async function expectWhole(page: Page, expected: string): Promise<void> {
  expect(await cpuTimes(page)).toBe(expected);
  await page.getByRole('tab', { name: 'Info' }).click();
  await page.getByRole('heading', { name: 'No problems' }).waitFor();
}

/** In the session's worker: five seconds are one. */
function hurry(): void {
  const slow = setInterval;
  globalThis.setInterval = ((act: () => void, ms: number) => slow(act, ms / 5)) as typeof setInterval;
}

/** In decode workers: what the first one, or each one, does when it is asked to read a chunk. */
const throwOnce = (number: number): void => {
  addEventListener('message', ({ data }) => {
    if (number === 0 && data.path?.[0] === 'run') throw new Error('on purpose');
  });
};
const loopOnce = (number: number): void => {
  addEventListener('message', ({ data }) => {
    if (number === 0 && data.path?.[0] === 'run') for (;;);
  });
};
const closeAtFirstChunk = (): void => {
  addEventListener('message', ({ data }) => {
    if (data.path?.[0] === 'run' && data.argumentList[0].value.chunk.id === 0) close();
  });
};

describe('a decode worker', () => {
  test('that throws or loops once costs nothing', async ({ visitor }) => {
    const undisturbed = await visitExample(visitor, TRACE);
    const expected = await cpuTimes(undisturbed);
    for (const decode of [throwOnce, loopOnce]) {
      const page = await visitWith(visitor, { session: hurry, decode });
      await openExample(page, TRACE);
      await expectWhole(page, expected);
    }
  });

  test('that ends at a chunk each time costs this chunk, told with its file', async ({ visitor }) => {
    const page = await visitWith(visitor, { session: hurry, decode: closeAtFirstChunk });
    await openExample(page, TRACE);
    await page.getByRole('tab', { name: /^Info \d+ problems?/ }).click();
    const card = page.getByRole('alert').filter({ hasText: 'A worker of this program failed' });
    await card.getByText(/kernel_\d, packet 1, byte 0$/).waitFor();
    await card.getByText(/^the decode worker did not answer for \d+ s$/).waitFor();
    await inLooks(page, 'worker-failed', ['1440-light', '1024-dark']);
  });
});

describe('the script of decode workers', () => {
  test('that is not there is told, and nothing is shown as if it were empty', async ({ visitor }) => {
    visitor.expectProblem('404');
    const page = await visitor.visit();
    await answerScript(page, { status: 404 });
    await expectRefusal(page);
    await inLooks(page, 'workers-unavailable', ['1440-light', '1024-dark']);
  });

  test('that has a syntax error is told', async ({ visitor }) => {
    const page = await visitor.visit();
    await answerScript(page, { body: 'const = 1;', contentType: 'text/javascript' });
    await expectRefusal(page);
  });

  test('is kept, and the server need not have it when the page is there', async ({ visitor }) => {
    visitor.expectProblem('ERR_FAILED');
    const page = await visitor.visit();
    await changeWorkers(page.context(), {});
    const kept = [workerScript('decode'), /workspace-parts/].map((script) => page.waitForResponse(script));
    await page.reload();
    for (const response of kept) await (await response).finished();
    await page.context().route(workerScript('decode'), (route) => route.abort());
    await openExample(page, TRACE);
    await page.getByRole('tab', { name: 'Info' }).click();
    await page.getByRole('heading', { name: 'No problems' }).waitFor();
  });

  /** Loads the page again: what its server says from then on when it is asked for the script. */
  async function answerScript(page: Page, answer: Parameters<Route['fulfill']>[0]): Promise<void> {
    await changeWorkers(page.context(), {});
    await page.context().route(workerScript('decode'), (route) => route.fulfill(answer));
    await page.reload();
  }

  async function expectRefusal(page: Page): Promise<void> {
    await dropPaths(page, [join(projectDir(), 'public', 'examples', TRACE)]);
    const card = page.getByRole('alert');
    await card.getByText('The part of this program that reads traces could not be loaded').waitFor();
    await card.getByText('Load the page again').waitFor();
    expect(await page.getByRole('tab', { name: 'Statistics' }).count()).toBe(0);
  }
});

describe('the session’s worker', () => {
  const SCRIPT = workerScript('session');

  test('that cannot be loaded is told as that', async ({ visitor }) => {
    visitor.expectProblem('404');
    const page = await visitor.visit();
    await page.context().route(SCRIPT, (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.getByRole('heading', { name: 'The reader of traces could not be loaded' }).waitFor();
    await page.getByText('The server of this page did not answer').waitFor();
  });

  test('that ends without a word is noticed, and loading the page again is offered', async ({ visitor }) => {
    const page = await visitor.visit();
    await page.clock.install();
    await changeWorkers(page.context(), {
      session: () =>
        addEventListener('message', ({ data }) => {
          if (data.path?.[0] === 'ping') close();
        }),
    });
    await page.reload();
    const notice = page.getByRole('alert').filter({ hasText: 'The reader of traces does not answer' });
    await page.clock.runFor(5000);
    expect(await notice.count()).toBe(0);
    await page.clock.runFor(20_000);
    await notice.waitFor();
    await inLooks(page, 'session-silent', ['1440-light', '1024-dark']);
    await page.context().unroute(SCRIPT);
    await notice.getByRole('button', { name: 'Load the page again' }).click();
    await page.getByRole('heading', { name: 'See why a thread waited' }).waitFor();
    expect(await notice.count()).toBe(0);
  });
});

describe('code that is loaded later', () => {
  test.for([
    ['a panel of the page', /statistics-panel-[^/]*\.js$/],
    ['an answer of the session’s worker', /statistics-(?!panel)[^/]*\.js$/],
  ] as const)(
    'and cannot be: %s is told as that, the rest works, and it comes when it can',
    async ([, script], { visitor }) => {
      visitor.expectProblem('ERR_INTERNET_DISCONNECTED');
      visitor.expectProblem('ERR_FAILED');
      const page = await visitor.visit();
      await changeWorkers(page.context(), {});
      await page.context().route(script, (route) => route.abort());
      await page.reload();
      await openExample(page, TRACE);
      await findThread(page, 'imb-10');
      await page.getByRole('tab', { name: 'Selection' }).click();
      await page.locator('.drawer').getByText('imb-10').first().waitFor();
      await page.getByRole('tab', { name: 'Statistics' }).click();
      const missing = page
        .getByRole('alert')
        .filter({ hasText: 'This part of the page could not be loaded' });
      await missing.getByText('Load the page again').first().waitFor();
      await page.context().setOffline(true);
      await missing.getByRole('button', { name: 'Try again' }).first().click();
      await missing.getByText('this computer is offline').first().waitFor();
      await inLooks(page, 'code-missing', ['1440-light', '1024-dark']);
      await page.getByRole('tab', { name: 'Selection' }).click();
      await page.locator('.drawer').getByText('imb-10').first().waitFor();
      await page.context().unroute(script);
      await page.context().setOffline(false);
      await page.getByRole('tab', { name: 'Statistics' }).click();
      await page.getByRole('grid', { name: 'CPU time' }).waitFor();
      await expect.poll(() => missing.count()).toBe(0);
      expect(await page.getByRole('heading', { name: /has failed/ }).count()).toBe(0);
    },
  );

  test('and is an importer: nothing is opened, and the next attempt opens it', async ({ visitor }) => {
    visitor.expectProblem('ERR_FAILED');
    const page = await visitor.visit();
    const script = /import-perf-[^/]*\.js$/;
    await changeWorkers(page.context(), {});
    await page.context().route(script, (route) => route.abort());
    await page.reload();
    const recording = join(projectDir(), 'test/fixtures/recorders/perf-zstd.data');
    await dropPaths(page, [recording]);
    const card = page.getByRole('alert').filter({ hasText: 'The part of this program that reads traces' });
    await card.getByText('once this computer is connected').waitFor();
    await page.context().unroute(script);
    await dropPaths(page, [recording]);
    await page.getByRole('tab', { name: 'Statistics' }).waitFor();
  });
});

test('a mistake of the page is reported with counts, and no word, of what is open', async ({ visitor }) => {
  visitor.expectProblem('secret-thread');
  const page = await visitor.visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await openExample(page, 'imbalance-4t');
  await page.evaluate(() => {
    setTimeout(() => {
      throw new TypeError('secret-thread');
    });
  });
  const alert = page.getByRole('alert').filter({ hasText: 'Something in Wakepath went wrong' });
  await alert.getByRole('button', { name: 'Copy report' }).click();
  await alert.getByText('Copied').waitFor();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toMatch(/^Failed: TypeError\n/);
  expect(report).toMatch(/Wakepath \d+\.\d+\.\d+\n.*Chrom.*\nOpen: events 10913, streams 4, hosts 1$/);
  expect(report).not.toMatch(/secret|imbalance/);
});
