/** Kept traces of which something is damaged or gone: said wherever it matters, and read again when the files are there. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { type LocalOutcome, type LocalSession, localSession } from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { ok } from '../base/fault.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { Store } from '../store/types.ts';
import type { DamageInfo } from '../protocol/session.ts';
import { resultsVersion } from '../answers/context/trace-key.ts';

const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/imbalance-4t')));
const EVENTS = 10_913;
const THREAD = 'thread:0:219';
/** In user mode from 261,820,170 to 267,839,448 ns. */
const TIME = 261_820_171;
const LATER = 600_000_000;

/** A store that does not give some records back. */
class DamagedStore extends MemoryStore {
  readonly gone = new Set<string>();

  override async read(key: string, name: string): Promise<unknown> {
    return this.gone.has(name) ? undefined : super.read(key, name);
  }

  override async begin(...request: Parameters<MemoryStore['begin']>) {
    this.gone.clear();
    return super.begin(...request);
  }
}

/** A store that can do again what was done to it. */
class RecordingStore extends MemoryStore {
  readonly #done: ((store: Store) => Promise<unknown>)[] = [];

  override begin(...request: Parameters<MemoryStore['begin']>) {
    this.#done.push((store) => store.begin(...request));
    return super.begin(...request);
  }

  override write(...request: Parameters<MemoryStore['write']>) {
    this.#done.push((store) => store.write(...request));
    return super.write(...request);
  }

  override complete(...request: Parameters<MemoryStore['complete']>) {
    this.#done.push((store) => store.complete(...request));
    return super.complete(...request);
  }

  async copyTo(store: Store): Promise<void> {
    for (const repeat of this.#done) await repeat(store);
  }
}

const readOnce = new RecordingStore();
let reading: Promise<LocalOutcome> | undefined;

/** A kept trace whose store lacks these records. The trace is read once for all tests. */
async function keptWithout(...gone: readonly string[]) {
  reading ??= localSession({ store: ok(readOnce) }).open(files);
  const { info, rows } = await reading;
  const store = new DamagedStore();
  await readOnce.copyTo(store);
  for (const name of gone) store.gone.add(name);
  return { key: info.key, rows, store, visit: () => localSession({ store: ok(store) }) };
}

/** A visit of such a trace. */
async function visitWithout(...gone: readonly string[]): Promise<LocalSession> {
  const { key, visit } = await keptWithout(...gone);
  const session = visit();
  await session.reopen(key);
  return session;
}

function damageOf({ updates }: LocalSession): DamageInfo | undefined {
  return updates.findLast(({ damage }) => damage !== undefined)?.damage;
}

/** What was found, once it is told. */
function foundDamage(session: LocalSession): Promise<DamageInfo> {
  return until(() => damageOf(session));
}

async function expectTrue({ api }: LocalSession): Promise<void> {
  expect(await api.ask('interval', { row: THREAD, timeNs: TIME })).toMatchObject({
    from: 261_820_170,
    to: 267_839_448,
  });
  const { events } = await api.ask('counts', {});
  expect(events.reduce((sum, { count }) => sum + count, 0)).toBe(EVENTS);
}

describe('a kept trace with damaged states', () => {
  it('is unknown there, and says so when it is asked, not before', async () => {
    const { key, visit } = await keptWithout('host/0/blocks/0');
    const session = visit();
    const opened = await session.reopen(key);
    expect(opened.ok && opened.info.faults).toEqual([]);
    expect(damageOf(session)).toBeUndefined();
    const interval = await session.api.ask('interval', { row: THREAD, timeNs: TIME });
    expect(interval).toMatchObject({ state: 0, isDamaged: true });
    const { parts, faults } = await foundDamage(session);
    expect(parts).toEqual(['states']);
    expect(faults[0]).toMatchObject({ code: 'store-damaged', place: { file: 'segment 0' } });
  });

  it('counts as unknown time, so that nothing takes its place', async () => {
    const session = await visitWithout('host/0/directory/0');
    const { cpus } = await session.api.ask('cpu', {});
    for (const { idle, user, kernel, hardirq, softirq, timer, unknown } of cpus) {
      expect(idle + user + kernel + hardirq + softirq + timer).toBe(0);
      expect(unknown).toBeGreaterThan(0);
    }
    expect((await foundDamage(session)).parts).toEqual(['states']);
  });

  it('draws no load where the states of its CPUs are unknown', async () => {
    const { key, rows, visit } = await keptWithout('host/0/directory/0');
    const { api, reopen } = visit();
    await reopen(key);
    const cpus = rows.filter(({ kind }) => kind === 'cpu').map(({ attribute }) => attribute);
    // Finer than the outline, which is another record.
    const request = { host: 0, attributes: cpus, from: TIME, to: TIME + 2_000_000, bucketNs: 50_000 };
    const { used, unknown } = await api.ask('load', request);
    expect(unknown).toHaveLength(40);
    expect([...unknown].every((each) => Math.abs(each - cpus.length) < 1e-6)).toBe(true);
    expect([...used].every((each) => each === 0)).toBe(true);
  });

  it('is read again when its files are given again', async () => {
    const { key, visit } = await keptWithout('host/0/blocks/0');
    const session = visit();
    expect((await session.open(files)).info.fromStore).toBe(true);
    await session.api.ask('interval', { row: THREAD, timeNs: TIME });
    await foundDamage(session);
    const again = await session.open(files);
    expect(again.info).toMatchObject({ fromStore: false, faults: [], events: EVENTS });
    await expectTrue(session);
    await session.api.close();
    const next = visit();
    expect((await next.open(files)).info).toMatchObject({ fromStore: true, faults: [], key });
    await expectTrue(next);
    expect(damageOf(next)).toBeUndefined();
  });

  it('is read from its files at once where an earlier visit found the damage', async () => {
    const { key, visit } = await keptWithout('host/0/blocks/0');
    const first = visit();
    await first.reopen(key);
    await first.api.ask('interval', { row: THREAD, timeNs: TIME });
    await foundDamage(first);
    await first.api.close();
    const second = visit();
    await second.reopen(key);
    expect((await foundDamage(second)).parts).toEqual(['states']);
    await second.api.close();
    const third = visit();
    expect((await third.open(files)).info).toMatchObject({ fromStore: false, faults: [] });
    await expectTrue(third);
  });

  it('gets its files while it is open, and is then read again', async () => {
    const session = await visitWithout('host/0/blocks/0');
    await session.api.ask('interval', { row: THREAD, timeNs: TIME });
    await foundDamage(session);
    expect(await session.api.attachFiles(files)).toBe(true);
    expect((await session.open(files)).info.fromStore).toBe(false);
    await expectTrue(session);
  });
});

describe('a kept trace that cannot be shown', () => {
  it.each(['session', 'tables', 'host/0/history', 'host/0/attributes'])(
    'is called damaged without its files, and is read with them: %s',
    async (name) => {
      const { key, visit } = await keptWithout(name);
      const session = visit();
      expect(await session.reopen(key)).toMatchObject({ ok: false, fault: { code: 'store-damaged' } });
      expect((await session.api.recent()).map((recent) => recent.key)).toEqual([key]);
      expect((await session.open(files)).info).toMatchObject({ fromStore: false, faults: [] });
      await expectTrue(session);
    },
  );

  it('is what one is that is not kept any more', async () => {
    const fault = { code: 'store-damaged', found: expect.stringContaining('not kept any more') as string };
    expect(await localSession().reopen(`no-such-${resultsVersion()}`)).toMatchObject({ fault });
  });
});

describe('an answer that a damaged record was needed for', () => {
  const ASKED: readonly [string, string, (session: LocalSession) => Promise<unknown>][] = [
    ['leaves/counts/0', 'counts', ({ api }) => api.ask('counts', {})],
    ['leaves/io/0', 'io', ({ api }) => api.ask('io', {})],
    ['leaves/interrupts/0', 'interrupts', ({ api }) => api.ask('irq', {})],
    ['leaves/call-failures/0', 'call-failures', ({ api }) => api.ask('syscalls', {})],
    ['host/0/logs', 'signals', ({ api }) => api.ask('path', { row: THREAD, criterion: 'main-task' })],
    ['host/0/outline', 'states', () => Promise.resolve()],
  ];
  it.each(ASKED)('says so: %s', async (record, part, ask) => {
    const session = await visitWithout(record);
    await ask(session);
    const { parts, faults } = await foundDamage(session);
    expect(parts).toEqual([part]);
    expect(faults.map(({ place }) => place.file)).toEqual([record]);
  });

  it('names what is damaged of all aggregates where the list of them is', async () => {
    const session = await visitWithout('leaves');
    await session.api.ask('counts', {});
    expect((await foundDamage(session)).parts).toEqual(
      expect.arrayContaining(['counts', 'io', 'interrupts']),
    );
  });

  it('is no path: without wake-ups another thread might be blamed', async () => {
    const session = await visitWithout('host/0/logs');
    expect(await session.api.ask('path', { row: THREAD, criterion: 'main-task' })).toBeUndefined();
  });

  it('calls a path’s time unknown where states are', async () => {
    const session = await visitWithout('host/0/blocks/0');
    const range = { from: TIME, to: LATER };
    const path = await session.api.ask('path', { row: THREAD, criterion: 'main-task', range });
    expect(path?.unexplainedNs).toBe(LATER - TIME);
    expect(path?.causes).toEqual([expect.stringMatching(/, or what is kept of it is damaged$/)]);
  });
});

it('what was written and cannot be read back while a trace is open is told, too', async () => {
  const store = new DamagedStore();
  const session = localSession({ store: ok(store) });
  const many = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));
  await session.open(many, { chunkBytes: 4096 });
  store.gone.add('leaves/io/0');
  await session.api.ask('io', {});
  expect((await foundDamage(session)).parts).toEqual(['io']);
  expect(session.updates.at(-1)?.progress.phase).toBe('done');
});
