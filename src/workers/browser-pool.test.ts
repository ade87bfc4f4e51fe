import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { untilHolds } from '../../test/support/until.ts';
import type { ChunkJob } from '../engine/analysis/chunk-mapper.ts';
import { BrowserWorkers } from './browser-pool.ts';
import type { DecodeSetup } from './decode-service.ts';

const SETUP: DecodeSetup = {
  experiment: { name: 'x', hosts: [], traces: [], faults: [] },
  analyses: ['counts'],
};
const JOB: ChunkJob = {
  chunk: { id: 0, host: 0, trace: 0, stream: 0, sequence: 0, extents: [], bytes: 0, from: 0, to: 0 },
};

/** Answers that it is there, and nothing else. */
class SilentWorker extends EventTarget {
  onerror: ((event: Event & { readonly message: string }) => void) | undefined;
  isTerminated = false;

  readonly url: string;

  constructor(url: string) {
    super();
    this.url = url;
    started.push(this);
  }

  /** Comlink releases a worker that nobody has any more by a message without a path. */
  postMessage({ id, path }: { id: string; path?: string[] }): void {
    const data = { id, type: 'RAW' };
    if (path?.[0] === 'ping' && !isStuck) this.dispatchEvent(new MessageEvent('message', { data }));
  }

  /** As by an error that nothing caught; what the worker's owner does not prevent is an error of the owner, too. */
  die(message: string): Event {
    const event = Object.assign(new Event('error', { cancelable: true }), { message });
    this.onerror?.(event);
    return event;
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

let started: SilentWorker[];
/** Workers do not even load. */
let isStuck = false;
const originalFetch = fetch;

beforeEach(() => {
  started = [];
  isStuck = false;
  vi.stubGlobal('Worker', SilentWorker);
});
afterEach(() => vi.unstubAllGlobals());

test('workers that were lent are those of the next pool', async () => {
  const workers = new BrowserWorkers();
  workers.lendPool(2, SETUP).dispose();
  await untilHolds(() => expect(started.length).toBe(2));
  workers.lendPool(2, SETUP).dispose();
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([false, false]);
});

test('workers that nobody takes end after a while, unless they were lent for longer', async () => {
  const workers = new BrowserWorkers();
  workers.lendPool(2, SETUP, Infinity).dispose();
  await untilHolds(() => expect(started.length).toBe(2));
  vi.useFakeTimers();
  vi.advanceTimersByTime(3_600_000);
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([false, false]);
  workers.lendPool(2, SETUP).dispose();
  vi.advanceTimersByTime(10_000);
  workers.lendPool(2, SETUP).dispose();
  vi.advanceTimersByTime(29_000);
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([false, false]);
  vi.advanceTimersByTime(1_000);
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
  vi.useRealTimers();
});

test('a worker that died while it was lent is terminated, and nobody gets it again', async () => {
  const workers = new BrowserWorkers();
  const lent = workers.lendPool(2, SETUP);
  const chunk = lent.run(JOB);
  await untilHolds(() => expect(started.length).toBe(2));
  const deaths = started.map((worker) => worker.die('out of memory'));
  expect(deaths.every(({ defaultPrevented }) => defaultPrevented)).toBe(true);
  // Of these one had a chunk, which another worker tries again; nobody has met the other's death.
  await untilHolds(() => expect(started.length).toBe(4));
  lent.dispose();
  await expect(chunk).rejects.toThrow('the decode worker was ended');
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true, false, false]);
  workers.lendPool(2, SETUP).dispose();
  expect(started.length).toBe(4);
});

test('a worker is started when the one before it has answered or ended', async () => {
  isStuck = true;
  const workers = new BrowserWorkers();
  const end = workers.prepare(3);
  await new Promise((resolve) => setTimeout(resolve));
  expect(started.length).toBe(1);
  started[0].die('no memory');
  await untilHolds(() => expect(started.length).toBe(2));
  end();
  await new Promise((resolve) => setTimeout(resolve));
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
});

describe('when the script of workers is gone', () => {
  const found = (type: string, body = 'code') => new Response(body, { headers: { 'content-type': type } });
  /** The script of the page's server by its address, not what was kept of it. */
  const fromServer = expect.stringMatching(/^import\(".*decode-worker.*"\)\.then/m);

  /** A worker is started, dies as it cannot be loaded, and another one is started: what their scripts say. */
  const startTwo = async (workers: BrowserWorkers, answersFirst = false) => {
    isStuck = !answersFirst;
    workers.prepare(1);
    await new Promise((resolve) => setTimeout(resolve));
    started[0].die('');
    workers.prepare(2);
    await untilHolds(() => expect(started.length).toBe(2));
    return Promise.all(started.map(async ({ url }) => (await originalFetch(url)).text()));
  };

  test('those that follow are started from what was kept', async () => {
    vi.stubGlobal('fetch', async () => found('text/javascript; charset=utf-8'));
    const workers = new BrowserWorkers();
    await workers.keepScript();
    expect(await startTwo(workers)).toEqual([fromServer, 'code']);
  });

  test('a worker that dies later says nothing of the script', async () => {
    vi.stubGlobal('fetch', async () => found('application/javascript'));
    const workers = new BrowserWorkers();
    await workers.keepScript();
    expect(await startTwo(workers, true)).toEqual([fromServer, fromServer]);
  });

  test.each([
    ['a page', async () => found('text/html')],
    ['nothing', () => Promise.reject(new TypeError('Failed to fetch'))],
    [
      'a refusal',
      async () => new Response('', { status: 404, headers: { 'content-type': 'text/javascript' } }),
    ],
  ])('%s is not kept as one', async (_, fetch) => {
    vi.stubGlobal('fetch', fetch);
    const workers = new BrowserWorkers();
    await workers.keepScript();
    expect(await startTwo(workers)).toEqual([fromServer, fromServer]);
  });
});
