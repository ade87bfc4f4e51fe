/** What every layer has in common, through the session as the page has it: those registered, and one for tests. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { rowsWith, until } from '../../../../test/support/until.ts';
import { localSession, type LocalSession } from '../../../../test/support/local-session.ts';
import { ALL_LAYERS, exampleOf, LAYERS_WITH_ROWS } from '../../../../test/support/layer-examples.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { type BeatTables, toyLayer } from '../../../../test/support/toy-layer.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { loadCode } from '../../base/later-code.ts';
import { ok } from '../../base/fault.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { Tile } from '../../history/query-types.ts';
import type { AnyLayer, ReadHost } from '../../layers/contract/layer.ts';
import { spanValue } from '../../layers/contract/span-values.ts';
import type { PlotInfo } from '../../layers/plots/layer.ts';
import type { SourceRef } from '../../io/byte-source.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import type { IntervalInfo, RowInfo } from '../../protocol/rows.ts';
import { rowsOfKind } from '../../answers/rows/row-writer.ts';

/** A session that has the layer alone. */
function sessionOf(word: string, store = new MemoryStore()): LocalSession {
  return localSession({ store: ok(store), layers: { [word]: ALL_LAYERS[word] } });
}

/** The rows, once those of the layer have come. */
function rowsOf(session: LocalSession, word: string): Promise<RowInfo[]> {
  return rowsWith(session, ({ id }) => id.startsWith(`${word}:`));
}

interface Shown {
  readonly row: RowInfo;
  readonly tile: Tile<DisplayNs>;
  /** Of the interval in the middle, and of those before and behind it. */
  readonly intervals: readonly (IntervalInfo | undefined)[];
}

async function shownOf(
  { api }: LocalSession,
  word: string,
  rows: readonly RowInfo[],
  lengthNs: number,
): Promise<Shown[]> {
  const own = rows.filter(({ id }) => id.startsWith(`${word}:`));
  const shown: Shown[] = [];
  for (const row of own) {
    const range = { from: 0, to: lengthNs + 1, bucketNs: 1 };
    const request = { host: row.host, attributes: [row.attribute], layer: word, ...range };
    const tile = await api.ask('tile', request);
    const timeNs = tile.begin[tile.begin.length >> 1];
    const ask = (step: -1 | 0 | 1) => api.ask('interval', { row: row.id, timeNs, step });
    shown.push({ row, tile, intervals: [await ask(-1), await ask(0), await ask(1)] });
  }
  return shown;
}

describe.each(Object.keys(LAYERS_WITH_ROWS))('layer %s', (word) => {
  const store = new MemoryStore();
  const session = sessionOf(word, store);
  let files: SourceRef[];
  let key: string;
  let rows: RowInfo[];
  let lengthNs: number;
  beforeAll(async () => {
    files = memoryRefs((await exampleOf(ALL_LAYERS[word])).files);
    ({
      info: { key, lengthNs },
    } = await session.open(files));
    rows = await rowsOf(session, word);
  });

  it('has rows, tiles, intervals and their neighbours', async () => {
    const shown = await shownOf(session, word, rows, lengthNs);
    expect(shown.length).toBeGreaterThan(0);
    expect(new Set(shown.map(({ row }) => row.id)).size).toBe(shown.length);
    for (const { row, tile, intervals } of shown) {
      expect(row.parent).toBeGreaterThanOrEqual(0);
      const at = tile.begin.length >> 1;
      expect(tile.begin.length).toBeGreaterThan(0);
      const [before, here, behind] = intervals;
      expect(here).toMatchObject({ row: row.id, from: tile.begin[at], to: tile.end[at], state: 0 });
      expect(here?.layer?.title).toBe(ALL_LAYERS[word].title);
      expect([before?.from, behind?.from]).toEqual([here?.previous?.from, here?.next?.from]);
    }
  });

  it('comes from the store the next time, and nothing is read', async () => {
    const again = sessionOf(word, store);
    expect(await again.reopen(key)).toMatchObject({ ok: true });
    const stored = await rowsOf(again, word);
    expect(stored).toEqual(rows);
    expect(await shownOf(again, word, stored, lengthNs)).toEqual(
      await shownOf(session, word, rows, lengthNs),
    );
    expect(again.started()).toBe(0);
  });

  it('changes no row of the others', async () => {
    const alone = localSession({ layers: {} });
    const { rows: without } = await alone.open(files);
    const ids = new Set(without.map(({ id }) => id));
    const common = rows.filter(({ id }) => ids.has(id));
    // Their parents have other places in the list.
    const placed = ({ parent, ...row }: RowInfo, list: readonly RowInfo[]) => [list[parent]?.id, row];
    expect(common.map((row) => placed(row, rows))).toEqual(without.map((row) => placed(row, without)));
    expect([alone.started(), session.started()]).toEqual([1, 2]);
  });

  it('says so when what is kept of it is gone', async () => {
    const read = vi.spyOn(store, 'read');
    const whole = MemoryStore.prototype.read.bind(store);
    read.mockImplementation((of, name) =>
      name.endsWith('/run') ? Promise.resolve(undefined) : whole(of, name),
    );
    const again = sessionOf(word, store);
    expect(await again.reopen(key)).toMatchObject({ ok: true });
    const { damage } = await until(() => again.updates.find((update) => update.damage !== undefined));
    expect(damage?.parts).toEqual([ALL_LAYERS[word].id]);
    read.mockRestore();
  });
});

describe('the layer for tests', () => {
  const store = new MemoryStore();
  const session = sessionOf('toy', store);
  let key: string;
  let rows: RowInfo[];
  let lengthNs: number;
  beforeAll(async () => {
    const { files } = await exampleOf(ALL_LAYERS.toy);
    ({
      info: { key, lengthNs },
    } = await session.open(memoryRefs(files)));
    rows = await rowsOf(session, 'toy');
  });

  it('stands below a CPU and in a group', () => {
    const parents = rows.filter(({ id }) => id.startsWith('toy:')).map(({ parent }) => rows[parent].id);
    expect(parents[0]).toBe('cpu:0:0');
    expect(new Set(parents.slice(1))).toEqual(new Set(['toy-group:0:Beats']));
  });

  it('has a beat from each event to the next', async () => {
    const { events } = await session.api.ask('counts', {});
    const switches = events.find(({ name }) => name === 'sched_switch')?.count;
    const shown = await shownOf(session, 'toy', rows, lengthNs);
    expect(shown.reduce((sum, { tile }) => sum + tile.begin.length, 0)).toBe(switches);
    expect(shown[0].intervals[1]?.stateText).toMatch(/^beat \d+$/);
  });

  it('has an id for each beat, also when it comes from the store', async () => {
    const again = sessionOf('toy', store);
    expect(await again.reopen(key)).toMatchObject({ ok: true });
    await rowsOf(again, 'toy');
    const beats = rows.filter(({ id }) => id.startsWith('toy:'));
    // The ids of a CPU have the number behind that of its spans.
    const request = {
      host: 0,
      layer: 'toy',
      attributes: beats.map(({ attribute }) => attribute + 1),
      from: 0,
      to: lengthNs,
    };
    const tile = await session.api.ask('idTile', { ...request, bucketNs: 1 });
    expect(new Set(tile.value)).toEqual(new Set(tile.value.keys()));
    const { events } = await session.api.ask('counts', {});
    expect(tile.value.length).toBe(events.find(({ name }) => name === 'sched_switch')?.count);
    const whole = { ...request, bucketNs: lengthNs };
    const mixed = await session.api.ask('idTile', whole);
    expect(Math.max(...mixed.heldNs)).toBeGreaterThan(0);
    for (const asked of [{ ...request, bucketNs: 1 }, whole])
      expect(await again.api.ask('idTile', asked)).toEqual(await session.api.ask('idTile', asked));
    const load = await session.api.ask('load', { ...request, bucketNs: lengthNs / 10 });
    expect(load.used[5]).toBeCloseTo(beats.length, 1);
    expect(await again.api.ask('load', { ...request, bucketNs: lengthNs / 10 })).toEqual(load);
  });

  it('is read once for each choice, and nothing else is', async () => {
    const started = session.started();
    const change = (event: string) => session.api.changeLayer<never>('toy' as never, event as never);
    expect(await change('sched_waking')).toBe(true);
    expect(session.started()).toBe(started + 1);
    const other = await rowsOf(session, 'toy');
    expect(other.find(({ id }) => id.startsWith('toy:'))?.name).toBe('sched_waking 0');
    expect(await change('sched_switch')).toBe(true);
    expect(session.started()).toBe(started + 1);
    expect(await rowsOf(session, 'toy')).toEqual(rows);
    // An event that no stream has: nothing is read.
    expect(await change('nothing')).toBe(true);
    expect(session.started()).toBe(started + 1);
  });

  it('may complete what was read by the kernel trace, once', async () => {
    const hosts: ReadHost[] = [];
    const completed: AnyLayer = {
      ...toyLayer,
      complete(log, sink, host) {
        const { cpus } = log as BeatTables;
        hosts.push(host);
        sink.moveTo(host.end - 1);
        sink.set(cpus[0].attribute, spanValue(1, 0, sink.string('behind the last beat')));
        return Promise.resolve({ cpus: cpus.slice(0, 1) });
      },
    };
    const own = new MemoryStore();
    const layers = { toy: completed };
    const first = localSession({ store: ok(own), layers });
    const opened = await first.open(memoryRefs((await exampleOf(toyLayer)).files));
    const read = await rowsOf(first, 'toy');
    const last = async ({ api }: LocalSession) =>
      api.ask('interval', {
        row: read.find(({ id }) => id.startsWith('toy:'))?.id ?? '',
        timeNs: lengthNs - 1,
      });
    expect(read.filter(({ id }) => id.startsWith('toy:')).length).toBe(1);
    expect((await last(first))?.stateText).toBe('behind the last beat');
    const again = localSession({ store: ok(own), layers });
    expect(await again.reopen(opened.info.key)).toMatchObject({ ok: true });
    expect(await rowsOf(again, 'toy')).toEqual(read);
    expect((await last(again))?.stateText).toBe('behind the last beat');
    expect(hosts.length).toBe(1);
    expect(hosts[0].kernel?.tables.threads.length).toBeGreaterThan(0);
  });

  it('keeps nothing of a run that was cancelled while it was completed', async () => {
    const own = new MemoryStore();
    let begun: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    const waiting: AnyLayer = {
      ...toyLayer,
      async complete(log, _, { signal }) {
        begun();
        if (!signal.aborted)
          await new Promise<void>((resolve) => {
            signal.addEventListener('abort', () => resolve());
          });
        return log;
      },
    };
    const { api } = localSession({ store: ok(own), layers: { toy: waiting } });
    const write = vi.spyOn(own, 'write');
    await api.open(memoryRefs((await exampleOf(toyLayer)).files), {}, () => undefined);
    await beginning;
    await api.close();
    const names = write.mock.calls.flatMap(([, records]) => records.map(({ name }) => name));
    expect(names.filter((name) => name.startsWith('beats/'))).toEqual([]);
  });

  it('waits for code that could not be loaded, and holds no other layer up', async () => {
    let isBack = false;
    const lacking: AnyLayer = {
      ...toyLayer,
      complete: (log) =>
        loadCode(() => (isBack ? Promise.resolve(log) : Promise.reject(new TypeError('not sent')))),
    };
    let goOn: () => void = () => undefined;
    const whenCodeIsBack = () => new Promise<void>((resolve) => (goOn = resolve));
    const session = localSession({
      layers: { toy: lacking, other: { ...toyLayer, id: 'others' } },
      whenCodeIsBack,
    });
    await session.open(memoryRefs((await exampleOf(toyLayer)).files));
    const others = await rowsOf(session, 'other');
    expect(others.some(({ id }) => id.startsWith('toy:'))).toBe(false);
    isBack = true;
    goOn();
    const rows = await rowsOf(session, 'toy');
    const count = (word: string) => rows.filter(({ id }) => id.startsWith(word)).length;
    expect(count('toy:')).toBe(count('other:'));
    await session.api.close();
  });

  it('says before its turn came what it is going to show', async () => {
    const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io')));
    const { api } = localSession({ layers: { toy: toyLayer, ...ALL_LAYERS } });
    const said = new Promise<PlotInfo | undefined>((resolve) => {
      let isAsked = false;
      void api.open(files, {}, ({ rows: columns }) => {
        const isThere = columns !== undefined && rowsOfKind(columns, 'layer').length > 0;
        if (isThere && !isAsked) resolve(api.ask('plots', {}));
        isAsked ||= isThere;
      });
    });
    const names = (await said)?.definitions.map(({ name }) => name);
    expect(names).toEqual(['CPU {} idle state', 'Disk {}']);
    await api.close();
  });

  it('shows what the user chose before its turn came', async () => {
    const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));
    const { api } = localSession({ layers: ALL_LAYERS });
    // The first layer's rows have come, and the other's turn follows.
    const chosen = new Promise<boolean>((resolve) => {
      let isAsked = false;
      void api.open(files, {}, ({ rows: columns }) => {
        const isThere = columns !== undefined && rowsOfKind(columns, 'layer').length > 0;
        if (isThere && !isAsked) resolve(api.changeLayer<never>('toy' as never, 'sched_waking' as never));
        isAsked ||= isThere;
      });
    });
    expect(await chosen).toBe(true);
    await api.close();
  });
});
