/**
 * Events as tables: what a filter accepts is what a plain evaluation of the events' canonical texts accepts, and any part of
 * a table is that part of the whole.
 */
import fc from 'fast-check';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { EventRow } from '../../src/engine/protocol/events.ts';
import { lttngModel, monotonicClock, signed, struct } from '../support/ctf-writer/model-builder.ts';
import { type TraceFiles, writeTrace } from '../support/ctf-writer/trace-writer.ts';
import { PacketReader } from '../support/ctf-reader/packet-reader.ts';
import { eventsFrom } from '../support/events-from.ts';
import { localSession, openLocal } from '../support/local-session.ts';
import { filesOfFolder, folderRefs, memoryRefs } from '../support/memory-files.ts';
import { projectDir } from '../support/shared.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { modelOf } from '../support/trace-files.ts';
import { forAll } from '../support/for-all.ts';

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
/** A filter, and what it accepts. */
type Combination = readonly [text: string, accepts: Accepts];

const SELECTION = { from: 350e6, to: 360e6 };

describe('events of disk-io', () => {
  let api: SessionApi;
  let started: () => number;
  let all: readonly EventRow[];

  beforeAll(async () => {
    const session = localSession();
    ({ api, started } = session);
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
    const inThreads = all.filter(({ thread }) => thread !== undefined);
    expect(inThreads.length).toBeGreaterThan(0.99 * all.length);
    // Interrupts happen in whatever thread runs; LTTng's context names it, too.
    for (const row of inThreads) expect([row.name, row.thread?.tid]).toEqual([row.name, tidOf(row)]);
  });

  it.each(Object.keys(FILTERS))('%s', async (filter) => {
    const accepted = all.filter((row) => FILTERS[filter](row, fieldsOf(row)));
    expect(await allRows(filter)).toEqual(accepted);
  });

  it.each(['cpu=77', 'time<-1000s', 'name=block_rq_insert', 'not name=sched_switch and time>100s'])(
    'are not read where it is known that none is accepted: %s',
    async (filter) => {
      const before = started();
      expect(await allRows(filter)).toEqual([]);
      expect(started()).toBe(before);
    },
  );

  it('are accepted by any combination of filters as by its parts', async () => {
    const fields = new Map(all.map((row) => [row, fieldsOf(row)]));
    const { whole } = fc.letrec<{ whole: Combination }>((tie) => ({
      whole: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        fc.constantFrom(...Object.keys(FILTERS)).map((text): Combination => [text, FILTERS[text]]),
        tie('whole').map(([text, accepts]): Combination => [
          `not (${text})`,
          (row, values) => !accepts(row, values),
        ]),
        fc
          .tuple(fc.constantFrom('and', 'or'), tie('whole'), tie('whole'))
          .map(([word, a, b]): Combination => [
            `(${a[0]}) ${word} (${b[0]})`,
            (...row) => (word === 'and' ? a[1](...row) && b[1](...row) : a[1](...row) || b[1](...row)),
          ]),
      ),
    }));
    await forAll(40, [whole], async ([filter, accepts]) => {
      const accepted = all.filter((row) => accepts(row, fields.get(row) ?? {}));
      const set = { filter, selection: SELECTION };
      expect((await api.ask('eventSearch', set)).total).toBe(accepted.length);
      const { rows } = await api.ask('eventRows', { ...set, first: accepted.length >> 1, count: 30 });
      expect(rows).toEqual(accepted.slice(accepted.length >> 1).slice(0, 30));
    });
  });

  it('say all that they carry, with their bytes in the file', async () => {
    const files = filesOfFolder(join(projectDir(), 'public/examples/disk-io'));
    for (let at = 0; at < all.length; at += 997) {
      const { name, place, fields } = all[at];
      const details = await api.ask('eventDetails', place);
      if (details === undefined) throw new Error(`no details of ${name}`);
      // Texts of both kinds of query come from different decoders.
      const ofScope = (scope: 'payload' | 'common') =>
        Object.fromEntries(
          details[scope].fields.map((field) => [field.name, field.text.replace(/^"|"$/g, '')]),
        );
      for (const scope of ['payload', 'common'] as const) {
        const plain = Object.entries(valuesOf(fields[scope])).filter(
          ([, value]) => typeof value !== 'object',
        );
        expect(ofScope(scope)).toMatchObject(
          Object.fromEntries(plain.map(([key, value]) => [key, String(value)])),
        );
      }
      const next = await api.ask('eventDetails', { ...place, event: place.event + 1 });
      const { offset, length, bytes } = details.bytes;
      if (next !== undefined) expect(next.bytes.offset - offset - length).toBeOneOf([0, 1, 2, 3]);
      const file = [...files].find(
        ([path]) => path.endsWith(`/${all[at].stream}`) || path === all[at].stream,
      );
      expect(Uint8Array.from(file?.[1].subarray(offset, offset + length) ?? [])).toEqual(bytes);
      expect(details.packet.fields.find((field) => field.name === 'cpu_id')?.json).toBe(String(all[at].cpu));
      expect(details.header.fields.at(-1)?.name).toMatch(/timestamp$/);
    }
  });

  it('are counted over time', async () => {
    const set = { filter: 'name=syscall_entry_fsync' };
    const range = { from: 200e6, to: 700e6, bucketNs: 1e6 };
    const [{ counts }] = await api.ask('eventDensity', { ...set, ...range });
    const expected = new Float32Array(500);
    for (const { timeNs } of await allRows(set.filter)) expected[Math.floor((timeNs - range.from) / 1e6)]++;
    expect(counts).toEqual(expected);
    expect(counts.some((count) => count > 0)).toBe(true);
    expect(await api.ask('eventDensity', { filter: 'cpu=77', ...range })).toEqual([]);
  });

  it('are found from any row, and at any time', async () => {
    const filters = ['', 'name=sched_switch', 'comm=wk-*'];
    const tables = new Map<string, readonly EventRow[]>();
    for (const filter of filters) tables.set(filter, await allRows(filter));
    const part = fc.record({
      filter: fc.constantFrom(...filters),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await forAll(60, [part], async ({ filter, at }) => {
      const table = tables.get(filter) ?? [];
      const first = Math.floor(at * table.length);
      const { rows } = await api.ask('eventRows', { filter, first, count: 7 });
      expect(rows).toEqual(table.slice(first, first + 7));
      const timeNs = Math.floor(at * (all[all.length - 1].timeNs + 2));
      const expected = table.findIndex((row) => row.timeNs >= timeNs);
      const row = await api.ask('eventRowAt', { filter, timeNs });
      expect(row).toBe(expected < 0 ? table.length - 1 : expected);
    });
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

const simulated = fc.record({
  seed: fc.nat(),
  perPacket: fc.constantFrom(undefined, 2, 7, 100),
  folders: fc.constantFrom(1, 3),
  questions: fc.array(
    fc.record({ part: fc.double({ noNaN: true, min: 0, max: 1 }), count: fc.integer({ min: 1, max: 80 }) }),
    { minLength: 1, maxLength: 8 },
  ),
});

describe('all events', () => {
  it('follow each other from any time on, whatever packets they are in', () =>
    forAll(20, [simulated], async ({ seed, perPacket, folders, questions }) => {
      const { files } = simulate(settingsOf(seed));
      const times = timesOf(files);
      const { api } = await openLocal(
        folderRefs(await recordedAs(files, { perPacket, folders, overlap: false }, seed)),
      );
      expect((await api.ask('eventSearch', { filter: '' })).total).toBe(times.length);
      for (const { part, count } of questions) {
        const from = Math.round(part * times[times.length - 1]);
        const listed = await eventsFrom(api, from, count);
        expect(listed.map(({ timeNs }) => timeNs)).toEqual(
          times.filter((time) => time >= from).slice(0, count),
        );
      }
    }));

  it.each([5, 70])('are found in packets that tell no times, of which there are %i', async (count) => {
    const { api, info } = await openLocal(untimedPackets(count));
    expect(info.events).toBe(10 * count);
    const last = 10 * count - 1;
    const from = async (n: number) => (await eventsFrom(api, 1000 * n, 5)).map(({ timeNs }) => timeNs / 1000);
    expect(await from(0)).toEqual([0, 1, 2, 3, 4]);
    expect(await from(18)).toEqual([18, 19, 20, 21, 22]);
    expect(await from(last - 3)).toEqual([-3, -2, -1, 0].map((n) => last + n));
    expect(await eventsFrom(api, 0, 1000)).toHaveLength(10 * count);
  });

  it('are there without being counted anew, of a kept trace too, and of a CPU', async () => {
    const session = localSession();
    const files = folderRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io')));
    const { info, rows } = await session.open(files);
    const cpus = rows.filter(({ kind }) => kind === 'cpu');
    const { api } = session;
    // A count says how far it is.
    const onProgress = vi.fn();
    const count = (row?: string) => api.ask('eventSearch', { filter: '', row }, { onProgress });
    const ofCpus = () => Promise.all(cpus.map(({ id }) => count(id)));
    expect((await count()).total).toBe(info.events);
    const before = await ofCpus();
    expect(before.reduce((sum, { total }) => sum + total, 0)).toBe(info.events);
    await session.reopen(info.key);
    expect(await api.attachFiles(files)).toBe(true);
    expect((await count()).total).toBe(info.events);
    expect(await ofCpus()).toEqual(before);
    expect(onProgress).not.toHaveBeenCalled();
    const search = (filter: string, row?: string) =>
      api.ask('eventSearch', { filter, row }, { onProgress: row === undefined ? undefined : onProgress });
    const switches = await search('name=sched_switch', 'cpu:0:1');
    expect(switches.total).toBe((await search('name=sched_switch and cpu=1')).total);
    // The counts of event classes tell it.
    expect(onProgress).not.toHaveBeenCalled();
    const filtered = await search('name=sched_switch and prev_state=0', 'cpu:0:1');
    expect(onProgress).toHaveBeenCalled();
    expect(filtered.total).toBe((await search('name=sched_switch and prev_state=0 and cpu=1')).total);
    expect(filtered.total).toBeLessThan(switches.total);
  });

  it('of a filter are counted no further once nobody waits, and from the begin when asked for again', async () => {
    const { api } = await openLocal(folderRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io'))));
    const set = { filter: 'name=sched_* and not prev_tid<0' };
    const nobody = new AbortController();
    const counting = api.ask('eventSearch', set, { signal: nobody.signal });
    nobody.abort();
    await expect(counting).rejects.toThrow();
    const { isWhole, total } = await api.ask('eventSearch', set);
    expect(isWhole).toBe(true);
    expect(total).toBe((await api.ask('eventRows', { ...set, first: 0, count: 1 })).total);
    expect(total).toBeGreaterThan(1000);
  });
});

/** Of all events, ns since the first one, ascending. */
function timesOf(files: TraceFiles): number[] {
  const reader = new PacketReader(modelOf(files));
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const times = data
    .flatMap(([, bytes]) => [...reader.packets(bytes)].flatMap(({ events }) => events))
    .map(({ time }) => time)
    .sort((a, b) => Number(a - b));
  return times.map((time) => Number(time - times[0]));
}

/** Packets of ten events, one each µs, whose contexts tell no times: event n is at n µs. */
function untimedPackets(count: number) {
  const model = lttngModel({
    uuid: '5151c0de-0000-4000-8000-000000000005',
    clock: monotonicClock('5151c0de-0000-4000-8000-000000000006'),
    environment: { domain: 'ust', hostname: 'simulated' },
    header: 'large',
    events: { step: struct({ n: signed(32) }) },
  });
  const streams = model.streams.map((stream) => {
    const { packetContext } = stream;
    const members = packetContext?.members.filter(({ name }) => !name.startsWith('timestamp_'));
    return { ...stream, packetContext: packetContext && { ...packetContext, members: members ?? [] } };
  });
  const packets = Array.from({ length: count }, (_, packet) => {
    const numbers = Array.from({ length: 10 }, (_, i) => 10 * packet + i);
    const events = numbers.map((n) => ({ eventClass: 0, time: BigInt(1000 * n), payload: { n: BigInt(n) } }));
    return { begin: 0n, end: 0n, sequence: BigInt(packet), streamId: 0n, cpu: 0, discarded: 0n, events };
  });
  return memoryRefs(writeTrace({ ...model, streams }, [{ file: 'channel_0', streamClass: 0, packets }]));
}

it('events of two hosts are one table in order of time, of which a filter takes one host', async () => {
  const { api, info } = await openLocal(
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

it('events of programs are accepted by their own fields, and by the thread that they name', async () => {
  const { api } = await openLocal(
    folderRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock'))),
  );
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
  expect(await count(`name=wk_req:begin and tid=${tid}`)).toBe(tids.filter((other) => other === tid).length);
});
