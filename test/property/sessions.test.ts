/** Sessions that record one kernel at the same time: what several have counts once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketReader, type EventRead, type PacketRead } from '../support/ctf-reader/packet-reader.ts';
import { type TraceFiles, writeTrace, type PacketToWrite } from '../support/ctf-writer/trace-writer.ts';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { compare } from '../../src/engine/base/compare.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { openLocal } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { withOwnTimes } from '../support/per-channel-streams.ts';
import { statisticsOf } from '../support/session-statistics.ts';
import { memoryHistory } from '../support/state-run.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { modelOf } from '../support/trace-files.ts';
import { forAll } from '../support/for-all.ts';
import type { StreamClass, TraceModel } from '../../src/engine/ctf/model.ts';

const part = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
const options = fc.record({
  seed: fc.nat(),
  perPacket: fc.constantFrom(1, 7, 100, 1e6),
  chunkBytes: fc.constantFrom(600, 4 << 20),
  cuts: fc.tuple(part, part, part, part),
  within: fc.option(fc.tuple(part, part), { nil: undefined }),
});

type Options = typeof options extends fc.Arbitrary<infer T> ? T : never;

function traceOf(seed: number): TraceFiles {
  return withOwnTimes(simulate({ ...settingsOf(seed), losses: 0, lostPackets: 0, generation: 'new' }).files);
}

/**
 * Three sessions of which each overlaps the next, and one at any time. The first has half of the events: what runs before
 * a CPU's first switch is known only where that is in the same recording, and unknown otherwise.
 */
function sessionsOf(files: TraceFiles, { cuts, within }: Pick<Options, 'cuts' | 'within'>): Session[] {
  const times = timesOf(files);
  const end = times[times.length - 1];
  const inOrder = (of: readonly number[]) =>
    of.map((cut) => times[Math.floor(cut * (times.length - 1))]).sort((a, b) => compare(a, b));
  const [a, b, c, d] = inOrder(cuts);
  const [from, to] = inOrder(within ?? []);
  const others = within === undefined ? [] : [{ from, to }];
  const half = times[Math.floor(times.length / 2)];
  return [{ from: 0n, to: b > half ? b : half }, { from: a, to: d }, { from: c, to: end }, ...others];
}

function timesOf(files: TraceFiles): bigint[] {
  const reader = new PacketReader(modelOf(files));
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const packets = data.flatMap(([, bytes]) => [...reader.packets(bytes)]);
  return packets.flatMap(({ events }) => events.map(({ time }) => time)).sort((a, b) => compare(a, b));
}

async function toldOf(files: TraceFiles, chunkBytes?: number) {
  const { api } = await openLocal(folderRefs(files), { chunkBytes });
  const { rows } = await api.ask('eventRows', { filter: '', first: 0, count: 100_000 });
  const events = rows.map(({ timeNs, cpu, name, fields }) => `${timeNs} ${cpu} ${name} ${fields.payload}`);
  return { statistics: await statisticsOf(api, undefined), events };
}

/** Intervals of the states of threads and CPUs. */
async function statesOf(files: TraceFiles, chunkBytes?: number) {
  const history = memoryHistory();
  const run = await runEngine(files, [kernelState as AnyAnalysis], history, { chunkBytes });
  const tables = kernelTables(run);
  history.close(tables.end, tables);
  const paths = history.attributes
    .map(({ path }) => path.join('/'))
    .filter((path) => path.endsWith('/state'));
  return Object.fromEntries(paths.map((path) => [path, history.intervals(path)]));
}

function countsOf({ statistics }: Awaited<ReturnType<typeof toldOf>>) {
  return Object.fromEntries(statistics.counts.map(({ name, count }) => [name, count]));
}

describe('a simulated kernel that several sessions recorded', () => {
  it('has the states of one recording', () =>
    forAll(15, [options], async ({ seed, perPacket, chunkBytes, ...cuts }) => {
      const files = traceOf(seed);
      const sessions = sessionsOf(files, cuts);
      const one = await statesOf(inOneSession(files, sessions));
      expect(await statesOf(inSessions(files, sessions, perPacket), chunkBytes)).toEqual(one);
    }));

  it('has its statistics and events', () =>
    forAll(10, [options], async ({ seed, perPacket, chunkBytes, ...cuts }) => {
      const files = traceOf(seed);
      const sessions = sessionsOf(files, cuts);
      const one = await toldOf(inOneSession(files, sessions));
      expect(await toldOf(inSessions(files, sessions, perPacket), chunkBytes)).toEqual(one);
    }));

  it('has its events, too where an earlier session recorded fewer kinds', () =>
    forAll(10, [options], async ({ seed, perPacket, chunkBytes, ...cuts }) => {
      const files = traceOf(seed);
      const [first, ...others] = sessionsOf(files, cuts);
      const isRecorded = (name: string) => !name.startsWith('irq_handler');
      const sessions = [{ ...first, isRecorded }, ...others];
      const one = await toldOf(inOneSession(files, sessions));
      const several = await toldOf(inSessions(files, sessions, perPacket), chunkBytes);
      expect(several.events).toEqual(one.events);
      expect(several.statistics.counts).toEqual(one.statistics.counts);
    }));

  it('has as many events where the second session reads the clock later', () =>
    forAll(10, [options, fc.bigInt(1n, 50n)], async ({ seed, perPacket, ...cuts }, delay) => {
      const files = traceOf(seed);
      const [first, second, third] = sessionsOf(files, cuts);
      // Else they follow each other.
      fc.pre(second.from + delay <= first.to);
      const sessions = [first, { ...second, to: third.to, delay }];
      const several = await toldOf(inSessions(files, sessions, perPacket));
      expect(countsOf(several)).toEqual(countsOf(await toldOf(files)));
    }));
});

/** Times in cycles. */
interface Session {
  /** It begins with the first event from `from` on, and ends with the last one up to `to`. */
  readonly from: bigint;
  readonly to: bigint;
  /** What it gives each event later; default: 0. */
  readonly delay?: bigint;
  /** Whether it records events of a name; default: of all. */
  readonly isRecorded?: (name: string) => boolean;
}

/**
 * The folders `session0` and so on with a trace each.
 * @param files of a trace of one stream class without losses
 * @param perPacket most events of a packet
 */
function inSessions(files: TraceFiles, sessions: readonly Session[], perPacket: number): TraceFiles {
  const whole = modelOf(files);
  const [stream] = whole.streams;
  const folders = sessions.flatMap((session, number) => {
    const { delay = 0n, isRecorded = () => true } = session;
    const kept = stream.events.filter(({ name = '' }) => isRecorded(name));
    const uuid = whole.uuid?.replace(/^.{8}/, String(number).padStart(8, '0'));
    const model: TraceModel = { ...whole, uuid, streams: [{ ...stream, events: kept }] };
    const classes = stream.events.map((event) => kept.indexOf(event));
    const trace = recorded(files, model, perPacket, (event) => {
      const shifted = { ...event, time: event.time + delay, eventClass: classes[event.eventClass] };
      return isIn(session, stream, event) ? [shifted] : [];
    });
    return [...trace].map(([path, bytes]) => [`session${number}/kernel/${path}`, bytes] as const);
  });
  return new Map(folders);
}

/** The trace without the events that no session has. */
function inOneSession(files: TraceFiles, sessions: readonly Session[]): TraceFiles {
  const model = modelOf(files);
  const [stream] = model.streams;
  return recorded(files, model, Infinity, (event) =>
    sessions.some((session) => isIn(session, stream, event)) ? [event] : [],
  );
}

function isIn({ from, to, isRecorded }: Session, { events }: StreamClass, event: EventRead): boolean {
  if (event.time < from || event.time > to) return false;
  return isRecorded?.(events[event.eventClass].name ?? '') ?? true;
}

/** The trace with what becomes of its events, in packets from the first of them to the last. */
function recorded(
  files: TraceFiles,
  model: TraceModel,
  perPacket: number,
  of: (event: EventRead) => readonly EventRead[],
): TraceFiles {
  const reader = new PacketReader(modelOf(files));
  const streams = [...files].flatMap(([file, bytes]) => {
    if (file === 'metadata' || file.startsWith('index/')) return [];
    const packets = [...reader.packets(bytes)];
    const events = packets.flatMap((packet) => packet.events.flatMap(of));
    return events.length === 0
      ? []
      : [{ file, streamClass: 0, packets: packed(events, packets[0], perPacket) }];
  });
  return writeTrace(model, streams);
}

function packed(events: readonly EventRead[], { roles }: PacketRead, perPacket: number): PacketToWrite[] {
  const packets: PacketToWrite[] = [];
  for (let at = 0; at < events.length; at += perPacket) {
    const own = events.slice(at, at + perPacket);
    packets.push({
      cpu: Number(roles.get('cpu-id')),
      streamId: roles.get('stream-id'),
      discarded: roles.has('discarded-events') ? 0n : undefined,
      sequence: BigInt(packets.length),
      begin: own[0].time,
      end: own[own.length - 1].time,
      events: own,
    });
  }
  return packets;
}
