/**
 * Events as tables: what a filter accepts is what a plain evaluation of the events' canonical texts accepts, and any part of
 * a table is that part of the whole.
 */
import fc from 'fast-check';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SessionApi } from '../../src/engine/session/api.ts';
import type { EventRow } from '../../src/engine/session/events/events-api.ts';
import { localSession } from '../support/local-session.ts';
import { filesOfFolder, folderRefs } from '../support/memory-files.ts';
import { projectDir } from '../support/shared.ts';
import { runsOf } from './runs.ts';

type Fields = Readonly<Record<string, unknown>>;
type Accepts = (row: EventRow, fields: Fields) => boolean;

/** Numbers of integers in hexadecimal too. */
function valuesOf(text: string): Fields {
  if (text === '-') return {};
  return JSON.parse(
    text.replace(/:(0x[0-9a-f]+|0[0-7]+)(?=[,}])/g, ':"$1"').replace(/:b(\d+)/g, ':$1'),
  ) as Fields;
}

function fieldsOf({ fields }: EventRow): Fields {
  const texts = [fields.common, fields.context, fields.payload];
  return texts.reduce<Fields>((all, text) => ({ ...all, ...valuesOf(text) }), {});
}

/** As the context of the event names it. */
const tidOf = ({ fields }: EventRow) => valuesOf(fields.common).tid;

const isText = (value: unknown, wanted: string) =>
  typeof value === 'string' && value.toLowerCase().includes(wanted);

const FILTERS: Readonly<Record<string, Accepts>> = {
  'name=sched_switch': ({ name }) => name === 'sched_switch',
  'name=syscall_*_fsync or name=block_rq_*': ({ name }) => /^syscall_.*_fsync$|^block_rq_/.test(name),
  'name=sched_switch and prev_state != 0': ({ name }, { prev_state }) =>
    name === 'sched_switch' && prev_state !== 0,
  'prev_tid in (0, 222) and next_tid > 100': (_, { prev_tid, next_tid }) =>
    (prev_tid === 0 || prev_tid === 222) && Number(next_tid) > 100,
  'ret<0': (_, { ret }) => Number(ret) < 0,
  'ret<=-2 or ret>=4096': (_, { ret }) => Number(ret) <= -2 || Number(ret) >= 4096,
  'comm=wk-*': (_, { comm }) => typeof comm === 'string' && comm.startsWith('wk-'),
  'not comm=wk-* and cpu<2': ({ cpu }, { comm }) =>
    !(typeof comm === 'string' && comm.startsWith('wk-')) && cpu < 2,
  'comm!=wk-* payload.tid!=0': ({ fields: { payload } }, { comm }) =>
    typeof comm === 'string' && !comm.startsWith('wk-') && Number(valuesOf(payload).tid) > 0,
  '"READER"': ({ name }, fields) =>
    name.includes('reader') || Object.values(fields).some((value) => isText(value, 'reader')),
  // A thread is called what it was called last: it had another name before it ran its program.
  'thread=wk-writer': (row) => tidOf(row) === 222,
  'tid=222 and name!=sched_switch': (row) => tidOf(row) === 222 && row.name !== 'sched_switch',
  'time>=300ms and time<0.4s': ({ timeNs }) => timeNs >= 300e6 && timeNs < 400e6,
  'time in sel': ({ timeNs }) => timeNs >= 350e6 && timeNs < 360e6,
  'cpu=77': () => false,
};
const SELECTION = { from: 350e6, to: 360e6 };

describe('events of disk-io', () => {
  let api: SessionApi;
  let all: readonly EventRow[];

  beforeAll(async () => {
    const session = localSession();
    api = session.api;
    const { info } = await session.open(
      folderRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io'))),
    );
    all = await allRows('');
    expect(all).toHaveLength(info.events);
  }, 60_000);

  async function allRows(filter: string): Promise<readonly EventRow[]> {
    const set = { filter, selection: SELECTION };
    const { total, problem, isWhole } = await api.ask('eventSearch', set);
    expect(problem).toBeUndefined();
    expect(isWhole).toBe(true);
    const rows: EventRow[] = [];
    while (rows.length < total)
      rows.push(...(await api.ask('eventRows', { ...set, first: rows.length, count: 1000 })).rows);
    return rows;
  }

  it('come in order of time, each in the thread that its own context names', () => {
    expect(all.every(({ timeNs }, i) => i === 0 || timeNs >= all[i - 1].timeNs)).toBe(true);
    const told = all.filter(({ thread }) => thread !== undefined);
    expect(told.length).toBeGreaterThan(0.99 * all.length);
    // Interrupts happen in whatever thread runs; LTTng's context names it, too.
    for (const row of told) expect([row.name, row.thread?.tid]).toEqual([row.name, tidOf(row)]);
  });

  it.each(Object.keys(FILTERS))('%s', async (filter) => {
    const accepted = all.filter((row) => FILTERS[filter](row, fieldsOf(row)));
    expect(await allRows(filter)).toEqual(accepted);
  });

  it('are found from any row, and at any time', async () => {
    const filters = ['', 'name=sched_switch', 'comm=wk-*'];
    const tables = new Map<string, readonly EventRow[]>();
    for (const filter of filters) tables.set(filter, await allRows(filter));
    const part = fc.record({
      filter: fc.constantFrom(...filters),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(part, async ({ filter, at }) => {
        const table = tables.get(filter) ?? [];
        const first = Math.floor(at * table.length);
        const { rows } = await api.ask('eventRows', { filter, first, count: 7 });
        expect(rows).toEqual(table.slice(first, first + 7));
        const timeNs = Math.floor(at * (all[all.length - 1].timeNs + 2));
        const expected = table.findIndex((row) => row.timeNs >= timeNs);
        const row = await api.ask('eventRowAt', { filter, timeNs });
        expect(row).toBe(expected < 0 ? table.length - 1 : expected);
      }),
      { numRuns: runsOf(60) },
    );
  });

  it.each([
    ['prevstate=1', 'prevstate', /no event has a field/i],
    ['name=sched_switch and', '', /expected/],
    ['(cpu=1', '', /\)/],
    ['prev_state=X', 'X', /number/],
    ['comm<5', 'comm', /text/],
    ['"open', '"open', /quote/],
    ['name=nothing_like_this', 'nothing_like_this', /no event/i],
    ['time>soon', 'soon', /time/],
  ])('a mistake has its place: %s', async (filter, place, message) => {
    const { problem, total } = await api.ask('eventSearch', { filter });
    expect(total).toBe(0);
    expect(problem?.message).toMatch(message);
    const { at = 0, length = 0 } = problem ?? {};
    expect(filter.slice(at, at + length)).toBe(place);
  });
});

describe('events of two hosts', () => {
  it('are one table in order of time, of which a filter takes one host', async () => {
    const { api, open } = localSession();
    const { info } = await open(
      folderRefs(filesOfFolder(join(projectDir(), 'public/examples/two-hosts-http'))),
    );
    const client = info.hosts.findIndex(({ name }) => name === 'client');
    const { total } = await api.ask('eventSearch', { filter: '' });
    const { total: ofClient } = await api.ask('eventSearch', { filter: 'host=client' });
    const { total: ofOthers } = await api.ask('eventSearch', { filter: 'host!=client' });
    expect(ofClient + ofOthers).toBe(total);
    const { rows } = await api.ask('eventRows', { filter: 'host=client', first: ofClient - 5, count: 10 });
    expect(rows.map(({ host }) => host)).toEqual(Array(5).fill(client));
    const middle = await api.ask('eventRows', { filter: '', first: Math.floor(total / 2), count: 200 });
    const times = middle.rows.map(({ timeNs }) => timeNs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(middle.rows.map(({ host }) => host)).size).toBe(2);
  });
});

describe('events of programs', () => {
  it('are accepted by their own fields, and by the thread that they name', async () => {
    const { api, open } = localSession();
    await open(folderRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock'))));
    const count = async (filter: string) => (await api.ask('eventSearch', { filter })).total;
    expect(await count('name=wk_req:begin')).toBe(300);
    expect(await count('name=wk_req:begin and id<5')).toBe(5);
    expect(await count('name=wk_req:begin and id>=5')).toBe(295);
    const { rows } = await api.ask('eventRows', { filter: 'name=wk_req:begin', first: 0, count: 300 });
    const tids = rows.map(({ fields }) =>
      Number(valuesOf(fields.common).vtid ?? valuesOf(fields.context).vtid),
    );
    expect(rows.map(({ thread }) => thread?.tid)).toEqual(tids);
    const [tid] = tids;
    expect(await count(`name=wk_req:begin and tid=${tid}`)).toBe(
      tids.filter((other) => other === tid).length,
    );
  });
});
