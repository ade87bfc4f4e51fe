/**
 * Events that two recordings of one kernel have, made by two sessions at one time: those of the later recording are left
 * out, so that each counts once. The earlier recording has an event of the later one if it declares its name and its own
 * events on that CPU enclose its time. Each session reads the clock itself, so that the later one may have the last
 * events of a name a little behind the earlier one's end: they are known by their fields. Of two recorders LTTng is the
 * earlier one; states, and what the other calls otherwise, are known by the kinds of its events.
 */
import type { Fault } from '../base/fault.ts';
import { groupBy } from '../base/group-by.ts';
import { compare } from '../base/compare.ts';
import type { HostNs } from '../base/units.ts';
import { createChunkDecoder, type ChunkDecoder } from '../ctf/decode/chunk-decoder.ts';
import type { Repeat } from '../ctf/decode/decoder-input.ts';
import {
  layoutOf,
  NO_ROWS,
  type DecodedChunk,
  type FieldWant,
  type KindWant,
  type RowLayout,
  type Rows,
} from '../ctf/decode/rows/rows.ts';
import type { EventClass, FieldClass, TraceModel } from '../ctf/model.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import { reopenedSource, type SourceOpener, type SourceRef } from '../io/byte-source.ts';
import { EVENT_KINDS, type EventKind, isKind, STATE_KINDS } from './event-kinds.ts';
import { environmentText } from './read-trace.ts';
import { type Span, spanOf, wholeSpan } from './recordings.ts';
import { beginOf, clockOf, endOf } from './trace-clocks.ts';
import type { Chunk, RepeatedTime, Stream, Trace } from './types.ts';

const KINDS = Object.keys(EVENT_KINDS) as EventKind[];

/** Difference of the times that two sessions give one event, at most (ns). */
const TWIN_NS = 100_000;

/** Repeated events of a stream class that may lie in a chunk; undefined: there are none. */
export function repeatsIn(
  { repeats }: Trace,
  streamClass: number,
  { from, to }: Pick<Chunk, 'from' | 'to'> = { from: -Infinity, to: Number.NaN },
): readonly Repeat[] | undefined {
  const found = repeats?.filter((repeat) => !(repeat.from > to) && !(repeat.last < from));
  if (found === undefined || found.length === 0) return undefined;
  return found.map(({ cpu, from: first, to: ends }) => ({ cpu, from: first, to: ends[streamClass] }));
}

/** First and last event of each CPU, and of all. */
interface Recording extends Span {
  readonly trace: Trace;
  readonly cpus: ReadonlyMap<number, Span>;
  readonly names: ReadonlySet<string>;
}

/**
 * The traces of an experiment with what is repeated in them, and a fault that says so.
 * @param traces with their times of the host
 */
export async function withRepeats(traces: readonly Trace[], open: SourceOpener): Promise<Trace[]> {
  const kernels = traces.filter(({ domain, streams }) => domain === 'kernel' && streams.length > 0);
  const groups = groupBy(kernels, ({ host, model }) => `${host} ${environmentText(model, 'hostname')}`);
  const changed = new Map<number, Trace>();
  for (const group of groups.values()) {
    const together = group.filter((one) => group.some((other) => other !== one && overlap(one, other)));
    const recordings: Recording[] = [];
    for (const trace of together) recordings.push(await recordingOf(trace, open));
    recordings.sort(
      (a, b) =>
        Number(isLttng(b)) - Number(isLttng(a)) || a.from - b.from || compare(a.trace.path, b.trace.path),
    );
    const followed = new Set<number>();
    for (const [at, later] of recordings.entries()) {
      const earlier = recordings.slice(0, at).filter(({ from, to }) => from <= later.to && later.from <= to);
      if (earlier.length === 0) continue;
      const trace = await withoutThoseOf(earlier, later, open);
      const streams = trace.streams.map((stream) => {
        return { ...stream, follows: followedBy(stream, later, earlier, followed) };
      });
      changed.set(trace.index, { ...trace, streams });
    }
  }
  return traces.map((trace) => changed.get(trace.index) ?? trace);
}

function overlap(a: Trace, b: Trace): boolean {
  const [one, other] = [spanOf(a), spanOf(b)];
  return one.from <= other.to && other.from <= one.to;
}

async function recordingOf(trace: Trace, open: SourceOpener): Promise<Recording> {
  const cpus = new Map<number, Span>();
  const reader = new PacketReader(trace, open, []);
  const streams = groupBy(
    filledPackets(trace),
    ({ stream, table, packet }) => `${stream} ${table.cpu[packet]}`,
  );
  for (const packets of streams.values()) {
    const cpu = packets[0].table.cpu[packets[0].packet];
    const from = (await reader.read(packets[0]))?.packets.firstEvent[0] ?? NaN;
    const to = (await reader.read(packets[packets.length - 1]))?.packets.lastEvent[0] ?? NaN;
    // Without times, or where a packet cannot be read, nobody knows what it has.
    if (cpu < 0 || !(from <= to)) continue;
    const known = cpus.get(cpu) ?? { from, to };
    cpus.set(cpu, { from: Math.min(known.from, from), to: Math.max(known.to, to) });
  }
  return { trace, cpus, names: new Set(namesOf(trace.model)), ...wholeSpan([...cpus.values()]) };
}

async function withoutThoseOf(
  earlier: readonly Recording[],
  later: Recording,
  open: SourceOpener,
): Promise<Trace> {
  const { trace } = later;
  const repeats: RepeatedTime[] = [];
  for (const recording of earlier) {
    const kinds = sharedKinds(recording, trace.model);
    const isRepeated = recorderOf(recording) === recorderOf(later) ? () => false : repeatedNames(recording);
    const readers = [new PacketReader(recording.trace, open, kinds), new PacketReader(trace, open, kinds)];
    for (const [cpu, { from, to }] of recording.cpus) {
      const before = await readers[0].events(cpu, { from: to - TWIN_NS, to });
      const behind = await readers[1].events(cpu, { from: to, to: to + TWIN_NS });
      const endOfKind = (kind: number) => {
        const next = (behind.get(kind) ?? []).filter(({ time }) => time > to);
        return twinsOf(before.get(kind) ?? [], next).at(-1)?.time ?? to;
      };
      const ends = new Map(kinds.map(({ names: [name] }, kind) => [name, endOfKind(kind)]));
      const endsOf = (events: readonly EventClass[]) =>
        events.map(({ name = '' }) => ends.get(name) ?? (isRepeated(name) ? to : NaN));
      const classes = trace.model.streams.map(({ events }) => Float64Array.from(endsOf(events)));
      repeats.push({ cpu, from, to: classes, last: Math.max(to, ...ends.values()) });
    }
  }
  return { ...trace, repeats, faults: [...trace.faults, faultOf(earlier, later)] };
}

/** The most of the first events behind the end that equal as many of the last ones before it. */
function twinsOf(before: readonly TimedEvent[], behind: readonly TimedEvent[]): readonly TimedEvent[] {
  for (let count = Math.min(before.length, behind.length); count > 0; count--) {
    const last = before.slice(before.length - count);
    const isSame = (event: TimedEvent, i: number) =>
      behind[i].text === event.text && behind[i].time - event.time <= TWIN_NS;
    if (last.every(isSame)) return behind.slice(0, count);
  }
  return [];
}

/**
 * Rank of the stream that one of a later recording goes on with: of what is left of it nothing is earlier.
 * @param followed ranks of streams that others go on with
 */
function followedBy(
  { cpu, streamClass }: Stream,
  { trace, cpus }: Recording,
  earlier: readonly Recording[],
  followed: Set<number>,
): number | undefined {
  const lastOf = (recording: Recording): number => recording.cpus.get(cpu)?.to ?? -Infinity;
  const last = earlier.reduce((a, b) => (lastOf(b) > lastOf(a) ? b : a));
  if (!((cpus.get(cpu)?.to ?? -Infinity) > lastOf(last))) return undefined;
  const own = trace.model.streams[streamClass].events.map(({ name }) => name);
  const found = last.trace.streams.find((stream) => {
    const names = new Set(last.trace.model.streams[stream.streamClass].events.map(({ name }) => name));
    return stream.cpu === cpu && !followed.has(stream.rank) && own.every((name) => names.has(name));
  });
  if (found !== undefined) followed.add(found.rank);
  return found?.rank;
}

function faultOf(earlier: readonly Recording[], { trace, from, to }: Recording): Fault {
  const end = Math.min(to, Math.max(...earlier.map((recording) => recording.to)));
  const ms = Number(((end - from) / 1e6).toPrecision(3));
  const recorders = new Set([...earlier, { trace }].map(recorderOf));
  const ofRecorder = recorders.size > 1 ? `, as ${recorderOf(earlier[0])} has them` : '';
  const isWhole = [...earlier.map((recording) => recording.trace), trace].every(({ streams }) =>
    streams.every(({ files }) => files.every(({ packets }) => packets.cpu.every((cpu) => cpu >= 0))),
  );
  return {
    code: 'recordings-overlap',
    place: { file: trace.path },
    expected: 'every time in one recording of a kernel',
    found: `${earlier.length + 1} recordings of one kernel, ${ms} ms in both: counted ${isWhole ? 'once' : 'twice where no CPU is given'}${ofRecorder}`,
  };
}

function recorderOf({ trace }: Pick<Recording, 'trace'>): string {
  return environmentText(trace.model, 'tracer_name');
}

function isLttng(recording: Recording): boolean {
  return recorderOf(recording).startsWith('lttng');
}

/** Whether a recording has what events of a name tell, whatever it calls them: states of threads from one recorder only. */
function repeatedNames({ names }: Recording): (name: string) => boolean {
  const kinds = new Set([...names].flatMap(kindsOf));
  if (kinds.has('switch')) for (const kind of STATE_KINDS) kinds.add(kind);
  return (name) => kindsOf(name).some((kind) => kinds.has(kind));
}

function kindsOf(name: string): EventKind[] {
  return KINDS.filter((kind) => isKind(kind, name));
}

/** Kinds for the events that both recordings declare, with all of their payload that can be compared. */
function sharedKinds({ trace, names }: Recording, model: TraceModel): KindWant[] {
  const other = new Set(namesOf(model));
  const byName = new Map(
    trace.model.streams.flatMap(({ events }) => events.map((event) => [event.name, event])),
  );
  return [...names]
    .filter((name) => other.has(name))
    .map((name) => ({ names: [name], fields: fieldsOf(byName.get(name)?.payload, []) }));
}

function namesOf({ streams }: TraceModel): string[] {
  return streams.flatMap(({ events }) => events.flatMap(({ name = '' }) => (name === '' ? [] : [name])));
}

/** Fields of a payload and of the structures and variants in it. @param path names that lead there */
function fieldsOf(type: FieldClass | undefined, path: readonly string[]): FieldWant[] {
  switch (type?.kind) {
    case 'struct':
      return type.members.flatMap((member) => fieldsOf(member.type, [...path, member.name]));
    case 'variant':
      return type.options.flatMap((option) => fieldsOf(option.type, [...path, option.name ?? '*']));
    case 'integer':
      return [{ names: [path.join('.')], kind: 'wide', only: 'payload' }];
    case 'string':
    case 'text':
      return [{ names: [path.join('.')], kind: 'string', only: 'payload' }];
    case 'array':
      return [{ names: [path.join('.')], kind: 'sequence', only: 'payload' }];
    default:
      return [];
  }
}

interface PacketPlace {
  readonly stream: number;
  readonly source: SourceRef;
  readonly table: PacketTable;
  readonly packet: number;
}

/** Packets of a trace with events, those of each stream in its order. */
export function filledPackets({ streams }: Pick<Readable, 'streams'>): PacketPlace[] {
  return streams.flatMap(({ files }, stream) =>
    files.flatMap(({ source, packets: table }) =>
      Array.from({ length: table.length }, (_, packet) => ({ stream, source, table, packet })).filter(
        ({ packet }) => table.contentBits[packet] > table.eventsBits[packet],
      ),
    ),
  );
}

interface TimedEvent {
  readonly time: HostNs;
  /** Its fields: equal in events that say the same. */
  readonly text: string;
}

/** Parts of a trace that its packets are read by. */
interface Readable extends Pick<Trace, 'model' | 'clocks'> {
  readonly streams: readonly Pick<Stream, 'streamClass' | 'files'>[];
}

export class PacketReader {
  readonly #trace: Readable;
  readonly #open: SourceOpener;
  readonly #kinds: readonly KindWant[];
  readonly #layouts: readonly RowLayout[];
  readonly #decoders = new Map<number, ChunkDecoder>();

  constructor(trace: Readable, open: SourceOpener, kinds: readonly KindWant[]) {
    this.#trace = trace;
    this.#open = open;
    this.#kinds = kinds;
    this.#layouts = kinds.map(layoutOf);
  }

  /** undefined: it cannot be read. */
  async read({ stream, source: ref, table, packet }: PacketPlace): Promise<DecodedChunk | undefined> {
    const source = reopenedSource(ref, this.#open);
    const bytes = await source.read(table.offset[packet], table.size[packet]);
    if (!bytes.ok) return undefined;
    const extents = [{ table, first: packet, count: 1, byteOffset: 0, path: ref.path }];
    return this.#decoderOf(this.#trace.streams[stream].streamClass).decode({ bytes: bytes.value, extents });
  }

  /** Events of a CPU and a time in their order, by kind. */
  async events(cpu: number, { from, to }: Span): Promise<ReadonlyMap<number, readonly TimedEvent[]>> {
    const found: (TimedEvent & { readonly kind: number })[] = [];
    for (const place of filledPackets(this.#trace)) {
      const { table, packet, stream } = place;
      const map = clockOf(this.#trace, this.#trace.streams[stream].streamClass);
      if (table.cpu[packet] !== cpu) continue;
      if (endOf(table, packet, map) < from || beginOf(table, packet, map) > to) continue;
      const rows = (await this.read(place))?.rows ?? NO_ROWS;
      for (let row = 0; row < rows.length; row++) {
        const time = rows.time[row];
        if (time >= from && time <= to)
          found.push({ time, kind: rows.kind[row], text: this.#textOf(rows, row) });
      }
    }
    return groupBy(
      found.sort((a, b) => a.time - b.time),
      ({ kind }) => kind,
    );
  }

  /** Numbers of a row as they are, and the bytes of its texts. */
  #textOf({ kind, at, words, bytes }: Rows, row: number): string {
    const { fields } = this.#kinds[kind[row]];
    const { offsets } = this.#layouts[kind[row]];
    const parts = fields.map((field, i) => {
      const [first, second] = words.subarray(at[row] + offsets[i], at[row] + offsets[i] + 2);
      return field.kind === 'wide' ? `${first} ${second}` : bytes.subarray(first, first + second).join(' ');
    });
    return parts.join();
  }

  #decoderOf(streamClass: number): ChunkDecoder {
    let decoder = this.#decoders.get(streamClass);
    if (decoder === undefined) {
      const map = clockOf(this.#trace, streamClass);
      decoder = createChunkDecoder(this.#trace.model, streamClass, { kinds: this.#kinds }, map);
      this.#decoders.set(streamClass, decoder);
    }
    return decoder;
  }
}
