/** Statistics depend on events alone, and those of parts add up to those of the whole. */
import type { StatisticName } from '../../src/engine/answers/statistics/tables.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textAt } from '../../src/engine/base/text-column.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { AnswerOf, RequestOf } from '../../src/engine/protocol/queries.ts';
import { rowsOf, type StatisticTables } from '../../src/engine/answers/statistics/columns.ts';
import { STATISTIC_NAMES, STATISTICS } from '../../src/engine/answers/statistics/statistics.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import { localSession, openLocal } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { statisticsOf } from '../support/session-statistics.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { splitPackets } from '../support/packet-splitter.ts';
import { randomOf } from '../support/simulator/random.ts';
import { modelOf } from '../support/trace-files.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { cut, rangeFrom, share, timeOfCut } from './cuts.ts';
import { recordings } from './recordings.ts';
import { forAll } from '../support/for-all.ts';

const chunkSizes = fc.constantFrom(1, 600, 5_000, 4 << 20);

describe('statistics of simulated kernels', () => {
  const cases = fc.record({
    seed: fc.nat(),
    begin: cut,
    length: share,
    chunkBytes: chunkSizes,
    recording: recordings,
  });
  const whole = { begin: { share: 0, atEvent: false }, length: 1, chunkBytes: 1 } as const;
  const inPackets = (perPacket: 1 | 7 | undefined) => ({ perPacket, folders: 1, overlap: false }) as const;

  it('are the same with any packets, folders and chunks, and when the trace is opened again', () =>
    forAll(
      15,
      [cases],
      async ({ seed, begin, length, chunkBytes, recording }) => {
        const { files } = simulate(settingsOf(seed));
        const other = await recordedAs(files, recording, seed);
        const expected = localSession();
        const { info } = await expected.open(folderRefs(files));
        const session = localSession();
        const opened = await session.open(folderRefs(other), { chunkBytes });
        const range = await rangeFrom(begin, length, expected.api, info.lengthNs);
        for (const asked of [undefined, range])
          expect(await statisticsOf(session.api, asked)).toEqual(await statisticsOf(expected.api, asked));
        await session.api.close();
        expect((await session.reopen(opened.info.key)).ok).toBe(true);
        // Without the files nobody knows which life of a tid a failed call was of.
        const kept = await statisticsOf(session.api, undefined);
        const fresh = await statisticsOf(expected.api, undefined);
        expect({ ...kept, syscalls: fresh.syscalls }).toEqual(fresh);
      },
      [
        // Packets that touch the one before, and report events lost behind their own last one.
        [{ ...whole, seed: 23, recording: inPackets(7) }],
        // Calls around losses, of a tracer that does not say which call returns.
        [{ ...whole, seed: 2016395843, recording: inPackets(undefined) }],
        [{ ...whole, seed: 2016395843, recording: inPackets(1) }],
      ],
    ));

  it('are the same with any chunks where packets do not tell when they end', async () => {
    const packets = fc.constantFrom(1, 7, 100, Infinity);
    await forAll(15, [fc.nat(), chunkSizes, packets], async (seed, chunkBytes, perPacket) => {
      const { files } = simulate(settingsOf(seed));
      const random = randomOf(seed);
      const refs = folderRefs(splitPackets(modelOf(files), files, perPacket, () => random.chance(0.5)));
      const [whole, parts] = [localSession(), localSession()];
      await whole.open(refs);
      await parts.open(refs, { chunkBytes });
      expect(await statisticsOf(parts.api, undefined)).toEqual(await statisticsOf(whole.api, undefined));
    });
  });

  it('add up over the parts of a trace', async () => {
    const cuts = fc.array(cut, { minLength: 1, maxLength: 6 });
    await forAll(15, [fc.nat(), chunkSizes, cuts], async (seed, chunkBytes, places) => {
      const { api, info } = await openLocal(folderRefs(simulate(settingsOf(seed)).files), { chunkBytes });
      const end = info.lengthNs + 1;
      const within = await Promise.all(places.map((place) => timeOfCut(place, api, end)));
      const times = [...new Set([0, ...within, end])].sort((a, b) => a - b);
      const sums = new Map<string, number>();
      for (let i = 1; i < times.length; i++) await addSums(sums, api, { from: times[i - 1], to: times[i] });
      expect(asObject(sums)).toEqual(asObject(await addSums(new Map(), api, { from: 0, to: end })));
    });
  });
});

type Add = (key: string, value: number) => void;

/** Sums over the parts of a range, of statistics whose columns do not say which are. */
const SUMS: { readonly [Name in StatisticName]?: (stats: AnswerOf<Name>, add: Add) => void } = {
  cpu({ cpus, threads }, add) {
    for (const { row, idle, user, kernel, hardirq, softirq, timer, unknown } of cpus)
      addAll(add, row, { idle, user, kernel, hardirq, softirq, timer, unknown });
    for (let i = 0; i < threads.length; i++) {
      const row = textAt(threads.row, i);
      // Who is dead all the time is left out.
      for (let state = 0; state < THREAD_STATES.length - 1; state++)
        add(`${row} in state ${state}`, threads.states[i * THREAD_STATES.length + state]);
    }
  },
  counts({ events }, add) {
    for (const { name, count } of events) add(name, count);
  },
  io({ threads, files, disks, errors }, add) {
    for (const { row, read, write, sync, disk, time } of threads) {
      for (const [name, part] of Object.entries({ read, write, sync, disk }))
        addAll(add, `${row} ${name}`, part);
      addAll(add, row, { timed: time.timed, totalNs: time.totalNs });
    }
    for (const { path, read, write, sync, time } of files) {
      for (const [name, part] of Object.entries({ read, write, sync })) addAll(add, `${path} ${name}`, part);
      addAll(add, path, { timed: time.timed, totalNs: time.totalNs });
    }
    for (const { dev, requests, sectors, writes, sequential, queued } of disks)
      addAll(add, dev, { requests, sectors, writes, sequential, queued });
    for (const { errno, count } of errors) add(`error ${errno}`, count);
  },
  heap({ threads }, add) {
    for (const { row, allocations, allocatedBytes, frees, freedBytes, unknownFrees, failures } of threads)
      addAll(add, row, { allocations, allocatedBytes, frees, freedBytes, unknownFrees, failures });
  },
  sched({ threads }, add) {
    for (const { row, woken, preempted } of threads)
      for (const [name, { count, totalNs }] of Object.entries({ woken, preempted }))
        addAll(add, `${row} ${name}`, { count, totalNs });
  },
  // An interrupt that an end of a range divides is in no part.
  irq: () => undefined,
  syscalls({ pairs = [] }, add) {
    for (const { call, row, durations, blockedNs, errors } of pairs) {
      const { count, totalNs } = durations;
      addAll(add, `${row} ${call}`, { count, totalNs, ...blockedNs });
      for (const { errno, count } of errors) add(`${row} ${call} error ${errno}`, count);
    }
  },
};

/** Adds all columns that say that they add up, of which there is at least one. */
function addColumns<Stats>({ tables }: StatisticTables<Stats>, stats: Stats, add: Add): void {
  let adding = 0;
  for (const table of tables) {
    if ('each' in table) continue;
    const rows = rowsOf(table, stats) ?? [];
    const context = { lengthNs: 0, isWhole: true, isApproximate: false, kind: undefined };
    const columns = table.columns({ ...context, rows, hosts: 1 }).filter(({ adds }) => adds);
    adding += columns.length;
    for (const row of rows)
      for (const { id, value } of columns)
        add(`${table.title} ${table.keyOf?.(row)} ${id}`, Number(value(row)));
  }
  expect(adding).toBeGreaterThan(0);
}

function addAll(add: Add, key: string, values: object): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value === 'number') add(`${key} ${name}`, value);
}

async function addSums(sums: Map<string, number>, api: SessionApi, range: TimeRange) {
  const addOf = async <Name extends StatisticName>(name: Name) => {
    const add: Add = (key, value) => addNumber(sums, `${name} ${key}`, value);
    const stats = await api.ask(name, { range, withPairs: true } as RequestOf<Name>);
    const addOwn = SUMS[name];
    if (addOwn !== undefined) addOwn(stats, add);
    else addColumns(STATISTICS[name].tables as StatisticTables<unknown>, stats, add);
  };
  for (const name of STATISTIC_NAMES) await addOf(name);
  return sums;
}

function asObject(sums: ReadonlyMap<string, number>): object {
  return Object.fromEntries([...sums].filter(([, value]) => value !== 0).sort());
}
