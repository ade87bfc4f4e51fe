/** What is opened last is open, however soon it was asked for after something else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type LocalSession, localSession } from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { DEEP } from '../../../test/support/tier.ts';
import { packTarGz } from '../../../test/support/pack-archive.ts';
import { ok } from '../base/fault.ts';
import { blobTempFile } from '../io/browser-temp-files.ts';
import { type TempFiles, tempFilesOf } from '../io/temp-file.ts';
import { MemoryStore } from '../store/memory-store.ts';
import type { OpenOutcome, SessionApi, SessionUpdate } from '../protocol/session.ts';
import type { Download } from './environment.ts';
import { eventsFrom } from '../../../test/support/events-from.ts';

const examples = join(projectDir(), 'public/examples');
const files = (name: string) => memoryRefs(filesOfFolder(join(examples, name)));
const FIRST = files('disk-io');
const THEN = files('imbalance-4t');
const EVENTS = 10_913;

/** Turns of the event loop after which the first opening is in its different stages, from the begin to being read. */
const TURNS = DEEP ? [0, 1, 3, 8, 21, 55] : [8];

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await tick();
}

/** What is open is the second trace, whole and kept. */
async function expectThen({ api, ended }: LocalSession, opened: OpenOutcome, when: string): Promise<void> {
  expect(opened.ok, when).toBe(true);
  await ended();
  await turns(50);
  expect(await stayOf(api), when).toMatchObject({ stateText: 'Running, user' });
  const { events } = await api.ask('counts', {});
  expect(
    events.reduce((sum, { count }) => sum + count, 0),
    when,
  ).toBe(EVENTS);
  expect((await api.recent())[0]?.name, when).toBe('imbalance-4t');
}

const unheard = (): void => undefined;

/** An interval of the second trace; undefined: it is not open. */
function stayOf(api: SessionApi) {
  return api.ask('interval', { row: 'thread:0:219', timeNs: 261_820_171 });
}

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
  });

  it('the same again reads it whole', async () => {
    for (const count of TURNS) {
      const session = localSession();
      void session.api.open(THEN, { chunkBytes: 4096 }, unheard);
      await turns(count);
      await expectThen(session, await session.begin(THEN), `after ${count} turns`);
    }
  });
});

it('closing ends what is being opened', async () => {
  for (const count of TURNS) {
    const { api } = localSession();
    const opening = api.open(THEN, { chunkBytes: 4096 }, unheard);
    await turns(count);
    await api.close();
    await opening;
    await turns(20);
    expect(await stayOf(api), `after ${count} turns`).toBeUndefined();
  }
});

it('looking at files tells which trace they hold, or why none, and leaves what is open', async () => {
  const session = localSession();
  const { info } = await session.open(THEN);
  const rubbish = memoryRefs(new Map([['notes.txt', new TextEncoder().encode('milk, bread')]]));
  const { api } = session;
  expect(await api.probe(rubbish, unheard)).toMatchObject({ ok: false, fault: { code: 'not-a-trace' } });
  expect(await api.probe(THEN, unheard)).toMatchObject({ ok: true, value: { key: info.key, files: THEN } });
  const other = await session.api.probe(FIRST, unheard);
  expect(other.ok && other.value.key).not.toBe(info.key);
  expect(await stayOf(session.api)).toBeDefined();
});

/** Temporary files, and which of them are there. */
function countedTempFiles(): { readonly area: TempFiles; readonly there: Set<string> } {
  const there = new Set<string>();
  let begun = 0;
  const begin: TempFiles['begin'] = () => {
    const name = String(begun++);
    const tempFile = blobTempFile();
    there.add(name);
    const finish = async (path: string) => {
      const file = await tempFile.finish(path);
      return file.ok ? ok({ ...file.value, tempFile: name }) : file;
    };
    return Promise.resolve(
      ok({
        write: tempFile.write,
        finish,
        get size() {
          return tempFile.size;
        },
      }),
    );
  };
  const keepOnly: TempFiles['keepOnly'] = (files) => {
    const kept = tempFilesOf(files);
    for (const name of there) if (!kept.has(name)) there.delete(name);
    return Promise.resolve();
  };
  return { area: { begin, keepOnly }, there };
}

describe('a recording by perf that is dropped again', () => {
  const recording = () => {
    const bytes = readFileSync(join(projectDir(), 'test/fixtures/recorders/perf-zstd.data'));
    return memoryRefs(new Map([['perf.data', new Uint8Array(bytes)]]));
  };

  it('opens from the store without being imported, and is connected to its events', async () => {
    const { area, there } = countedTempFiles();
    let begun = 0;
    const begin: TempFiles['begin'] = () => {
      begun++;
      return area.begin();
    };
    const { api, begin: open, ...session } = localSession({ tempFiles: { ...area, begin } });
    const { info } = await session.open(recording());
    expect([info.fromStore, begun > 0]).toEqual([false, true]);
    await session.open(FIRST);
    begun = 0;
    const looked = await api.probe(recording(), unheard);
    expect(looked.ok && looked.value.key).toBe(info.key);
    const again = await open(recording());
    if (!again.ok) throw new Error(again.fault.code);
    expect(again).toMatchObject({ info: { key: info.key, fromStore: true }, files: [], unread: [{}] });
    expect(begun).toBe(0);
    expect(await eventsFrom(api, 0, 1)).toEqual([]);
    expect(await api.attachFiles(again.unread ?? [])).toBe(true);
    expect(begun).toBeGreaterThan(0);
    expect(await eventsFrom(api, 0, 1)).toHaveLength(1);
    expect((await api.reopen(info.key, unheard)).ok).toBe(true);
    await api.close();
    expect([...there]).toEqual([]);
  });

  it('is whole when its import was ended before', async () => {
    const whole = await localSession().open(recording());
    const session = localSession();
    const phases = new Set<string>();
    const first = await session.api.open(recording(), {}, ({ progress }) => {
      phases.add(progress.phase);
      if (progress.phase === 'unpacking') void session.api.cancel();
    });
    expect([...phases]).toContain('unpacking');
    if (first.ok) await turns(50);
    const { info } = await session.open(recording());
    expect([info.events, info.key]).toEqual([whole.info.events, whole.info.key]);
    await session.api.close();
  });

  it('is imported when another one is dropped', async () => {
    const { api, begin: open, ...session } = localSession();
    const { info } = await session.open(recording());
    const [file] = recording();
    if (file.kind !== 'memory') throw new Error('not in memory');
    const other = file.bytes.slice();
    other[other.length - 1] ^= 1;
    const opened = await open([{ ...file, bytes: other }]);
    expect(opened.ok && opened.info.key !== info.key && !opened.info.fromStore).toBe(true);
    await api.close();
  });
});

const ADDRESS = 'https://traces.example/disk-io.tar.gz';

/** A session with a trace open, and a server that sends `bytes` once `send` is called, or as much as came before it is told to end. */
async function sessionWithServer(bytes: Uint8Array) {
  const tempFiles = countedTempFiles();
  const asked: string[] = [];
  let send = (): void => undefined;
  const sent = new Promise<void>((resolve) => (send = resolve));
  const download: Download = async (address, { tempFiles: area, signal, onProgress }) => {
    asked.push(address);
    const tempFile = await area.begin();
    if (!tempFile.ok) return { faults: [tempFile.fault] };
    await tempFile.value.write(bytes.subarray(0, 100));
    onProgress(100, bytes.length);
    const cut = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([sent, cut]);
    if (!signal.aborted) await tempFile.value.write(bytes.subarray(100));
    const file = await tempFile.value.finish('disk-io.tar.gz');
    const faults = signal.aborted ? [{ code: 'cancelled', place: {} } as const] : [];
    return file.ok ? { file: file.value, faults } : { faults: [file.fault] };
  };
  const session = localSession({ tempFiles: tempFiles.area, download });
  const { info } = await session.open(THEN);
  const isOpen = async () => (await stayOf(session.api)) !== undefined;
  return { ...session, key: info.key, asked, send, there: tempFiles.there, isOpen };
}

const packed = () => packTarGz(filesOfFolder(join(examples, 'disk-io')));

describe('looking at an address', () => {
  it('fetches it once, and leaves what is open until it is opened', async () => {
    const session = await sessionWithServer(await packed());
    const { api, asked, send, there, isOpen } = session;
    const phases = new Set<string>();
    const looking = api.probe(ADDRESS, ({ progress }) => void phases.add(progress.phase));
    await turns(20);
    expect([...phases]).toEqual(['fetching']);
    send();
    const found = await looking;
    if (!found.ok) throw new Error(found.fault.code);
    expect(found.value).toMatchObject({ url: ADDRESS, faults: [] });
    expect([...phases]).toEqual(['fetching', 'unpacking']);
    expect(await isOpen()).toBe(true);
    // Not what was fetched, but what was unpacked from it.
    expect([...there]).toEqual(['1']);
    await session.open(found.value.files);
    expect(await isOpen()).toBe(false);
    expect([...there]).toEqual(['1']);
    expect(asked).toEqual([ADDRESS]);
    await api.close();
    expect([...there]).toEqual([]);
  });

  it('leaves nothing when it is no trace', async () => {
    const { api, send, there, isOpen } = await sessionWithServer(new Uint8Array(1000));
    send();
    expect(await api.probe(ADDRESS, unheard)).toMatchObject({ ok: false, fault: { code: 'not-a-trace' } });
    expect([...there]).toEqual([]);
    expect(await isOpen()).toBe(true);
  });

  it('leaves nothing when it is dismissed, while it is fetched or after', async () => {
    const { api, asked, send, there, isOpen } = await sessionWithServer(await packed());
    // Nobody waits for it before it is asked for.
    const unasked = api.probe(ADDRESS, unheard);
    await api.discardProbe();
    expect(await unasked).toMatchObject({ ok: false, fault: { code: 'cancelled' } });
    expect(asked).toEqual([]);
    const looking = api.probe(ADDRESS, unheard);
    await turns(20);
    expect(there.size).toBe(1);
    await api.discardProbe();
    expect(await looking).toMatchObject({ ok: false, fault: { code: 'cancelled' } });
    expect([...there]).toEqual([]);
    send();
    expect(await api.probe(ADDRESS, unheard)).toMatchObject({ ok: true });
    expect(there.size).toBe(1);
    await api.discardProbe();
    expect([...there]).toEqual([]);
    expect(await isOpen()).toBe(true);
  });

  it('leaves nothing when something else is looked at or opened, or all is closed', async () => {
    const { api, asked, there, key } = await sessionWithServer(await packed());
    for (const next of [
      () => api.probe(THEN, unheard),
      () => api.open(THEN, {}, unheard),
      () => api.reopen(key, unheard),
      () => api.close(),
    ]) {
      const looking = api.probe(ADDRESS, unheard);
      await turns(20);
      await next();
      expect(await looking).toMatchObject({ ok: false });
      expect([...there]).toEqual([]);
    }
    expect(asked).toHaveLength(4);
  });
});

it('opening an address leaves nothing when it is no trace', async () => {
  const session = await sessionWithServer(new Uint8Array(1000));
  session.send();
  expect(await session.begin(ADDRESS)).toMatchObject({ ok: false, fault: { code: 'not-a-trace' } });
  expect([...session.there]).toEqual([]);
});

describe('a kept trace', () => {
  it('gets its files, and no others, while it is open', async () => {
    const session = localSession();
    const { info } = await session.open(THEN);
    await session.reopen(info.key);
    const events = () => eventsFrom(session.api, 261_820_171, 5);
    expect(await events()).toEqual([]);
    expect(await session.api.attachFiles(FIRST)).toBe(false);
    expect(await events()).toEqual([]);
    expect(await session.api.attachFiles(THEN)).toBe(true);
    expect(await events()).toHaveLength(5);
    expect((await session.api.ask('overlays', {}))?.hasFiles).toBe(true);
  });

  it('keeps the paths that were asked for before its files came', async () => {
    const session = localSession();
    const { info, rows } = await session.open(THEN);
    const row = rows.find(({ kind }) => kind === 'thread')?.id ?? '';
    await session.reopen(info.key);
    const path = await session.api.ask('path', { row, criterion: 'main-task' });
    expect(await session.api.attachFiles(THEN)).toBe(true);
    const parts = await session.api.ask('pathParts', { path: path?.id ?? 0 });
    expect(parts?.states).toHaveLength(path?.segments.length ?? 0);
  });
});

it('the list of recent traces has a trace whose last records are being written', async () => {
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
});

it('cancelling is heard before there is anything to keep', async () => {
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
});
