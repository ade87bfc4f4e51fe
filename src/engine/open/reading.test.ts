/** What becomes of a trace in the store when reading ends, however it ends. */
import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { localSession } from '../../../test/support/local-session.ts';
import { life, oneCpuTrace } from '../../../test/support/one-cpu-trace.ts';
import { createLocalExecutor } from '../../workers/local-executor.ts';
import { mapSet } from '../maps.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import { blobTempFiles } from '../io/browser-temp-files.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/types.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { SessionUpdate } from '../protocol/session.ts';
import type { SessionEnvironment, SessionExecutor } from './environment.ts';
import { readExperiment } from './reading.ts';

const KEY = 'key';
const files = oneCpuTrace([...life(1n, 2n), ...life(3n)]);

async function readInto(store: Store, run?: SessionExecutor['run']) {
  const experiment = await openExperiment(files, openSource);
  const updates: SessionUpdate[] = [];
  const environment: SessionEnvironment = {
    openSource,
    tempFiles: blobTempFiles(),
    openStore: () => Promise.reject(new Error('not asked for')),
    startExecutor: async (experiment, analyses) => {
      return {
        ...createLocalExecutor({ experiment, analyses }, openSource, mapSet),
        ...(run && { run }),
        dispose: () => undefined,
      };
    },
    workers: 1,
  };
  const reading = await readExperiment(environment, store, experiment, KEY, {}, (update) => {
    updates.push(update);
  });
  return { reading, updates };
}

class RefusingStore extends MemoryStore {
  override complete(): Promise<Result<void>> {
    return Promise.resolve(fail({ code: 'store-full', place: {} }));
  }
}

class UnwritableStore extends MemoryStore {
  override begin(): Promise<Result<void>> {
    return Promise.resolve(fail({ code: 'store-unavailable', place: {} }));
  }
}

class BrokenStore extends MemoryStore {
  override complete(): Promise<Result<void>> {
    return Promise.reject(new Error('a bug'));
  }
}

describe('a trace that was read', () => {
  it('stays in the store when it is closed', async () => {
    const store = new MemoryStore();
    const { reading } = await readInto(store);
    expect((await reading.done).faults).toEqual([]);
    await reading.close();
    expect(await store.list()).toMatchObject([{ key: KEY, complete: true }]);
  });

  it.each([
    ['store-full', new RefusingStore()],
    ['store-unavailable', new UnwritableStore()],
  ] as const)(
    'is told when the store does not take it, once, and leaves nothing: %s',
    async (code, store) => {
      const { reading, updates } = await readInto(store);
      expect((await reading.done).faults.map((fault) => fault.code)).toEqual([code]);
      expect(updates.at(-1)?.info?.faults.map((fault) => fault.code)).toEqual([code]);
      await reading.close();
      expect(await store.list()).toEqual([]);
    },
  );

  it('is told to have failed when no worker could be started, and leaves nothing', async () => {
    const store = new MemoryStore();
    const fault = { code: 'workers-unavailable', place: {} } as const;
    const { reading, updates } = await readInto(store, () => Promise.resolve(fail(fault)));
    expect((await reading.done).state).toBe('failed');
    expect(updates.at(-1)).toMatchObject({ progress: { phase: 'failed' }, fault });
    expect(updates.some(({ progress }) => progress.phase === 'done')).toBe(false);
    await reading.close();
    expect(await store.list()).toEqual([]);
  });

  it('leaves nothing, and can be closed, when reading failed', async () => {
    const store = new BrokenStore();
    const { reading } = await readInto(store);
    await expect(reading.done).rejects.toThrow('a bug');
    await reading.close();
    expect(await store.list()).toEqual([]);
  });
});

it('closing leaves a trace that another tab stored meanwhile', async () => {
  const store = new MemoryStore();
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  let isHeld = false;
  const slowly: SourceOpener = async (ref) => {
    const source = await openSource(ref);
    if (isHeld) await held;
    return source;
  };
  const first = localSession({ store: ok(store), openSource: slowly, onReading: () => (isHeld = true) });
  expect((await first.begin(files)).ok).toBe(true);
  const { info } = await localSession({ store: ok(store) }).open(files);
  const closing = first.api.close();
  await tick();
  goOn();
  await closing;
  expect(await store.list()).toMatchObject([{ key: info.key, complete: true }]);
});
