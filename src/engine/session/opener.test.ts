/** What is opened last is open, however soon it was asked for after something else. */
import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type LocalSession, localSession } from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { ok } from '../base/result.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { OpenOutcome, SessionUpdate } from './api.ts';

const examples = join(projectDir(), 'public/examples');
const files = (name: string) => memoryRefs(filesOfFolder(join(examples, name)));
const FIRST = files('disk-io');
const THEN = files('imbalance-4t');
const EVENTS = 10_913;

/** Turns of the event loop after which the first opening is in its different stages, from the begin to being read. */
const TURNS = [0, 1, 3, 8, 21, 55];

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await tick();
}

/** What is open is the second trace, whole and kept. */
async function expectThen({ api, ended }: LocalSession, opened: OpenOutcome, when: string): Promise<void> {
  expect(opened.ok, when).toBe(true);
  await ended();
  await turns(50);
  expect(await api.interval('thread:0:219', 261_820_171), when).toMatchObject({ stateText: 'Running, user' });
  const { events } = await api.countStats(undefined);
  expect(
    events.reduce((sum, { count }) => sum + count, 0),
    when,
  ).toBe(EVENTS);
  expect((await api.recent())[0]?.name, when).toBe('imbalance-4t');
}

const unheard = (): void => undefined;

describe('opening', () => {
  it('ends what was being opened before', async () => {
    for (const count of TURNS) {
      const session = localSession();
      const first = session.api.open(FIRST, { chunkBytes: 4096 }, unheard);
      await turns(count);
      await expectThen(session, await session.begin(THEN), `after ${count} turns`);
      const outcome = await first;
      if (!outcome.ok) expect(outcome.fault.code).toBe('cancelled');
    }
  }, 120_000);

  it('the same again reads it whole', async () => {
    for (const count of TURNS) {
      const session = localSession();
      void session.api.open(THEN, { chunkBytes: 4096 }, unheard);
      await turns(count);
      await expectThen(session, await session.begin(THEN), `after ${count} turns`);
    }
  }, 120_000);
});

describe('closing', () => {
  it('ends what is being opened', async () => {
    for (const count of TURNS) {
      const { api } = localSession();
      const opening = api.open(THEN, { chunkBytes: 4096 }, unheard);
      await turns(count);
      await api.close();
      await opening;
      await turns(20);
      expect(await api.interval('thread:0:219', 261_820_171), `after ${count} turns`).toBeUndefined();
    }
  }, 60_000);
});

describe('looking at files', () => {
  it('tells which trace they hold, or why none, and leaves what is open', async () => {
    const session = localSession();
    const { info } = await session.open(THEN);
    const rubbish = memoryRefs(new Map([['notes.txt', new TextEncoder().encode('milk, bread')]]));
    expect(await session.api.look(rubbish)).toMatchObject({ ok: false, fault: { code: 'not-a-trace' } });
    expect(await session.api.look(THEN)).toMatchObject({ ok: true, value: { key: info.key, files: THEN } });
    const other = await session.api.look(FIRST);
    expect(other.ok && other.value.key).not.toBe(info.key);
    expect(await session.api.interval('thread:0:219', 261_820_171)).toBeDefined();
  });
});

describe('a kept trace', () => {
  it('gets its files, and no others, while it is open', async () => {
    const session = localSession();
    const { info } = await session.open(THEN);
    await session.reopen(info.key);
    const events = () => session.api.eventsAround(261_820_171, 5);
    expect(await events()).toEqual([]);
    expect(await session.api.connect(FIRST)).toBe(false);
    expect(await events()).toEqual([]);
    expect(await session.api.connect(THEN)).toBe(true);
    expect(await events()).toHaveLength(5);
    expect((await session.api.overlays())?.hasFiles).toBe(true);
  });
});

describe('the list of recent traces', () => {
  it('has a trace whose last records are being written', async () => {
    for (const count of TURNS) {
      const store = new MemoryStore();
      const complete = store.complete.bind(store);
      store.complete = async (...saved) => {
        await turns(10);
        return complete(...saved);
      };
      const session = localSession({ store: ok(store) });
      const { updates, api } = session;
      await session.begin(THEN);
      while (!updates.some(({ progress }) => progress.phase === 'finishing')) await tick();
      await turns(count);
      const closing = api.close();
      const kept = await api.recent();
      await closing;
      expect(
        kept.map(({ name }) => name),
        `after ${count} turns`,
      ).toEqual(['imbalance-4t']);
    }
  }, 60_000);
});

describe('cancelling', () => {
  it('is heard before there is anything to keep', async () => {
    for (const count of TURNS) {
      const { api } = localSession();
      const updates: SessionUpdate[] = [];
      let ended = (): void => undefined;
      const end = new Promise<void>((resolve) => (ended = resolve));
      const opening = api.open(THEN, { chunkBytes: 4096 }, (update) => {
        updates.push(update);
        if (update.progress.phase === 'cancelled' || update.progress.phase === 'done') ended();
      });
      await turns(count);
      const before = updates.length;
      await api.cancel();
      if (before > 0 && updates[before - 1].progress.phase === 'done') continue;
      if (!(await opening).ok) continue;
      await end;
      expect(updates.at(-1)?.progress.phase, `after ${count} turns`).toBe('cancelled');
    }
  }, 60_000);
});
