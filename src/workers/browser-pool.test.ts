import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

/** Answers nothing. */
class SilentWorker extends EventTarget {
  onerror: ((event: Event & { readonly message: string }) => void) | undefined;
  isTerminated = false;

  constructor() {
    super();
    started.push(this);
  }

  postMessage(): void {}

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

beforeEach(() => {
  started = [];
  vi.stubGlobal('Worker', SilentWorker);
});
afterEach(() => vi.unstubAllGlobals());

test('workers that were lent are those of the next pool', () => {
  const workers = new BrowserWorkers();
  workers.lendPool(2, SETUP).dispose();
  workers.createPool(2, SETUP).dispose();
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true]);
});

test('a worker that died while it was lent is terminated, and nobody gets it again', async () => {
  const workers = new BrowserWorkers();
  const lent = workers.lendPool(2, SETUP);
  const chunk = lent.run(JOB);
  const deaths = started.map((worker) => worker.die('out of memory'));
  expect(deaths.every(({ defaultPrevented }) => defaultPrevented)).toBe(true);
  // Of these one had a chunk, which another worker tries again; nobody has met the other's death.
  await vi.waitFor(() => expect(started.length).toBe(4));
  lent.dispose();
  await expect(chunk).rejects.toThrow('the decode worker was ended');
  expect(started.map(({ isTerminated }) => isTerminated)).toEqual([true, true, false, false]);
  workers.createPool(2, SETUP).dispose();
  expect(started.length).toBe(4);
});
