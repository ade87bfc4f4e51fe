/**
 * Overlays of a recorded trace, through the session as the page has it. `executions-lock`: three workers answer 300
 * requests, delimited by wk_req:begin and wk_req:end; ABOUT.md tells the longest ones.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession, type LocalSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { ok } from '../../base/fault.ts';
import type { OverlayInfo } from '../../layers/overlays/layer.ts';
import { MemoryStore } from '../../store/memory-store.ts';

import type { RowInfo } from '../../protocol/rows.ts';
import { rowsWith, until } from '../../../../test/support/until.ts';

const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));

/** Of a session that has read everything: what it tells of overlays once they are there too. */
async function overlaysOf(session: LocalSession): Promise<{ info: OverlayInfo; rows: RowInfo[] }> {
  const rows = await rowsWith(session, ({ kind }) => kind === 'layer');
  return { info: await until(() => session.api.ask('overlays', {})), rows };
}

describe('overlays of a recorded trace', () => {
  const store = new MemoryStore();
  const session = localSession({ store: ok(store) });
  let info: OverlayInfo;
  let rows: RowInfo[];
  let key = '';
  beforeAll(async () => {
    key = (await session.open(files)).info.key;
    ({ info, rows } = await overlaysOf(session));
  });

  it('are suggested by the names of events', () => {
    expect(info.suggestions).toEqual([
      {
        definition: {
          name: 'wk_req',
          begin: 'wk_req:begin',
          end: 'wk_req:end',
          key: ['id'],
          acrossThreads: false,
          label: ['id'],
        },
        events: 600,
      },
    ]);
    expect(info.definitions).toEqual(info.suggestions.map(({ definition }) => definition));
  });

  it('have every request', () => {
    expect(info.stats).toMatchObject([
      { name: 'wk_req', spans: 300, withoutBegin: 0, withoutEnd: 0, tooDeep: 0 },
    ]);
    // The longest is request 8 or 120, of 18.7 ms as the program measured it.
    expect(info.stats[0].maxNs / 1e6).toBeCloseTo(18.7, 0);
  });

  it('stand directly below their threads', () => {
    const overlays = rows.filter(({ kind }) => kind === 'layer');
    expect(overlays.map(({ name }) => name)).toEqual(['wk_req', 'wk_req', 'wk_req']);
    const parents = overlays.map(({ parent }) => rows[parent]);
    expect(parents.map(({ tid }) => tid).sort()).toEqual([256, 257, 258]);
    overlays.forEach((row, i) => expect(rows.indexOf(row)).toBe(rows.indexOf(parents[i]) + 1));
  });

  it('are tiles, spans and their neighbours as other rows are', async () => {
    const { api } = session;
    const row = rows.find(({ kind, parent }) => kind === 'layer' && rows[parent].tid === 256);
    if (row === undefined) throw new Error('worker-0 has no requests');
    const tile = await api.ask('tile', {
      host: 0,
      attributes: [row.attribute],
      layer: 'overlay',
      from: 0,
      to: 2.388e9,
      bucketNs: 1,
    });
    const lengths = Array.from(tile.begin, (begin, i) => tile.end[i] - begin);
    // Request 120 was the longest: 18.7 ms, in worker-0.
    const longest = lengths.indexOf(Math.max(...lengths));
    const span = await api.ask('interval', { row: row.id, timeNs: tile.begin[longest] + 1 });
    expect(span).toMatchObject({
      stateText: 'id 120',
      layer: { title: 'Overlay', subject: 'wk_req', hasEnd: true },
      from: tile.begin[longest],
      to: tile.end[longest],
    });
    const next = await api.ask('interval', { row: row.id, timeNs: tile.begin[longest], step: 1 });
    expect(next?.from).toBe(span?.next?.from);
    const back = next && (await api.ask('interval', { row: row.id, timeNs: next.from, step: -1 }));
    expect(back?.stateText).toBe('id 120');
  });

  it('come from the store the next time', async () => {
    const again = localSession({ store: ok(store) });
    expect(await again.reopen(key)).toMatchObject({ ok: true });
    const stored = await overlaysOf(again);
    expect(stored.rows).toEqual(rows);
    expect(stored.info).toEqual({ ...info, hasFiles: false });
    expect(again.started()).toBe(0);
    expect(await again.api.changeLayer('overlay', [])).toBe(false);
    expect(await again.api.ask('overlays', {})).toMatchObject({ definitions: info.definitions });
  });

  it('are read again when others are chosen; all else stays', async () => {
    const isChanged = await session.api.changeLayer('overlay', [
      {
        name: 'write',
        begin: 'syscall_entry_write',
        end: 'syscall_exit_write',
        key: [],
        acrossThreads: false,
        label: ['fd'],
      },
      { name: 'between', begin: '*:end', end: '*:begin', key: [], acrossThreads: false, label: [] },
    ]);
    expect(isChanged).toBe(true);
    const changed = await session.api.ask('overlays', {});
    const { events } = await session.api.ask('counts', {});
    const written = events.find(({ name }) => name === 'syscall_exit_write')?.count;
    const [write, ...others] = changed?.stats ?? [];
    expect(write.spans + write.withoutBegin).toBe(written);
    // Three workers: after the last request of each nothing begins.
    expect(others.map(({ name, spans, withoutEnd }) => [name, spans, withoutEnd])).toContainEqual([
      'between wk_req',
      297,
      3,
    ]);
    const shown = await overlaysOf(session);
    const own = shown.rows.filter(({ kind }) => kind === 'layer');
    expect(own.filter(({ name }) => name === 'between wk_req')).toHaveLength(3);
    const { threads } = await session.api.ask('cpu', {});
    const { calls } = await session.api.ask('syscalls', {});
    expect(threads.length).toBeGreaterThan(100);
    // Kernel events stand with the thread that ran: durations are those of the analysis of system calls.
    const inCalls = calls.find(({ call }) => call === 'write')?.durations;
    expect(write).toMatchObject({ spans: inCalls?.count, totalNs: inCalls?.totalNs, maxNs: inCalls?.maxNs });
  });
});
