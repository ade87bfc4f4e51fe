/** Single events near a time, read from the files again: only the packets that they are in are decoded. */
import { append } from '../base/append.ts';
import type { DisplayNs, HostNs } from '../base/units.ts';
import type { ChunkInput } from '../ctf/decode/chunk-input.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { beginOf, clockOf, endOf } from '../trace/trace-clocks.ts';
import type { Experiment, Stream, Trace } from '../trace/types.ts';
import type { EventLine } from './api.ts';
import type { DisplayTime } from './display-time.ts';
import { eventReader } from './event-readers.ts';
import {
  type PacketPlace,
  packetsIn,
  placeAfter,
  placeBefore,
  readPacket,
  type Stretch,
} from './packet-places.ts';
import type { TimeRange } from './range.ts';

export interface EventSource {
  readonly experiment: Experiment;
  readonly time: DisplayTime;
  readonly open: SourceOpener;
}

/** Events that one row of a timeline stands for. */
export interface EventsOfRow {
  readonly host: number;
  /** Whether a stream has some. */
  isIn(trace: Trace, stream: number): boolean;
  /** Stretches of time next to one in which there are some: those around it may be far. */
  near(time: HostNs): readonly Stretch[];
  /** Which events of a packet they are; undefined: all. */
  among(trace: Trace, stream: number, input: ChunkInput): readonly number[] | undefined;
}

/** Packets that are read of a stretch of time, whatever is in them. */
const MOST_PACKETS = 32;
/** What is read beyond that for one answer, where packets are small. */
const FURTHER = { packets: 256, bytes: 16 * 2 ** 20 };
/** The same for one row, which may have hardly an event in all of them. */
const FURTHER_OF_ROW = { packets: 16, bytes: 4 * 2 ** 20 };

/**
 * At most `limit` events nearest to a display time, in time order; of all that are between the first and the last one
 * none is missing. Fewer where more would have to be read than anybody waits for.
 * @param only default: of all rows
 */
export async function eventsAround(
  source: EventSource,
  timeNs: DisplayNs,
  limit: number,
  only?: EventsOfRow,
): Promise<EventLine[]> {
  const streams: StreamEvents[] = [];
  for (const trace of source.experiment.traces) {
    if (only !== undefined && only.host !== trace.host) continue;
    for (const [stream, { streamClass }] of trace.streams.entries()) {
      // Without a clock no event has a time.
      if (clockOf(trace, streamClass) === undefined || only?.isIn(trace, stream) === false) continue;
      streams.push(new StreamEvents(source, trace, stream, { timeNs, limit, only }));
    }
  }
  for (const stream of streams) await stream.begin();
  const left = { ...(only === undefined ? FURTHER : FURTHER_OF_ROW) };
  while (left.packets > 0 && left.bytes > 0) {
    const next = nearestEnd(streams, timeNs);
    const nearest = nearestLines(streams, timeNs, limit);
    if (next === undefined || (nearest.length === limit && next.distance > distanceOf(nearest, timeNs)))
      break;
    left.packets--;
    left.bytes -= await next.stream.readNext(next.side);
  }
  return nearestLines(streams, timeNs, limit).sort((a, b) => a.timeNs - b.timeNs);
}

/** Those that are known to be the nearest, nearest first. */
function nearestLines(streams: readonly StreamEvents[], timeNs: DisplayNs, limit: number): EventLine[] {
  const from = Math.max(...streams.map(({ known }) => known.from));
  const to = Math.min(...streams.map(({ known }) => known.to));
  return streams
    .flatMap(({ lines }) => lines.filter((line) => line.timeNs >= from && line.timeNs <= to))
    .sort((a, b) => Math.abs(a.timeNs - timeNs) - Math.abs(b.timeNs - timeNs))
    .slice(0, limit);
}

function distanceOf(nearest: readonly EventLine[], timeNs: DisplayNs): number {
  return Math.abs(nearest[nearest.length - 1].timeNs - timeNs);
}

interface OpenEnd {
  readonly stream: StreamEvents;
  readonly side: -1 | 1;
  readonly distance: number;
}

/** Where what is known ends that is nearest to a time. */
function nearestEnd(streams: readonly StreamEvents[], timeNs: DisplayNs): OpenEnd | undefined {
  let nearest: OpenEnd | undefined;
  for (const stream of streams) {
    const { from, to } = stream.known;
    for (const end of [
      { stream, side: -1, distance: timeNs - from } as const,
      { stream, side: 1, distance: to - timeNs } as const,
    ])
      if (end.distance < (nearest?.distance ?? Infinity)) nearest = end;
  }
  return nearest;
}

interface Question {
  readonly timeNs: DisplayNs;
  readonly limit: number;
  readonly only: EventsOfRow | undefined;
}

/** Of one stream the events nearest to a time, from the packets there to those farther and farther away. */
class StreamEvents {
  readonly lines: EventLine[] = [];
  /** Display times between which nothing is missing that is near enough; both ends within. */
  known: TimeRange = { from: -Infinity, to: Infinity };
  readonly #source: EventSource;
  readonly #trace: Trace;
  readonly #index: number;
  readonly #question: Question;
  /** The next packets to be read, by side; undefined: there is none. */
  #before: PacketPlace | undefined;
  #after: PacketPlace | undefined;
  /** Display times of the first and last of `lines`. */
  #first: DisplayNs = Infinity;
  #last: DisplayNs = -Infinity;

  constructor(source: EventSource, trace: Trace, stream: number, question: Question) {
    this.#source = source;
    this.#trace = trace;
    this.#index = stream;
    this.#question = question;
  }

  /** Reads the packets at the time, and those where the row has events next to it. */
  async begin(): Promise<void> {
    const { timeNs, only } = this.#question;
    const near = this.#source.time.of(this.#trace.host).toHost(timeNs);
    const stretches = [{ from: near, to: near }, ...(only?.near(near) ?? [])];
    const places = placesNear(this.#trace, this.#stream, stretches, near);
    if (places.length === 0) return;
    for (const place of places) await this.#read(place);
    // Between the stretches there are no events of the row.
    this.#before = placeBefore(this.#stream, places[0]);
    this.#after = placeAfter(this.#stream, places[places.length - 1]);
    this.#learn();
  }

  /** Reads the packet that comes next on a side; its bytes. */
  async readNext(side: -1 | 1): Promise<number> {
    const place = side < 0 ? this.#before : this.#after;
    if (place === undefined) return 0;
    await this.#read(place);
    if (side < 0) this.#before = placeBefore(this.#stream, place);
    else this.#after = placeAfter(this.#stream, place);
    this.#learn();
    return this.#stream.files[place.file].packets.size[place.packet];
  }

  get #stream(): Stream {
    return this.#trace.streams[this.#index];
  }

  async #read(place: PacketPlace): Promise<void> {
    const { timeNs, limit, only } = this.#question;
    const lines = await linesOf(this.#source, this.#trace, this.#index, place, timeNs, limit, only);
    for (const line of lines) {
      this.#first = Math.min(this.#first, line.timeNs);
      this.#last = Math.max(this.#last, line.timeNs);
    }
    append(this.lines, lines);
  }

  /** A packet that gives no times may begin with the last event that was read before it, or end with the first behind it. */
  #learn(): void {
    const { files, streamClass } = this.#stream;
    const map = clockOf(this.#trace, streamClass);
    const clock = this.#source.time.of(this.#trace.host);
    const before = this.#before;
    const after = this.#after;
    const from = before
      ? clock.toExperiment(endOf(files[before.file].packets, before.packet, map))
      : -Infinity;
    const to = after ? clock.toExperiment(beginOf(files[after.file].packets, after.packet, map)) : Infinity;
    this.known = {
      from: Number.isNaN(from) ? this.#first : from,
      to: Number.isNaN(to) ? this.#last : to,
    };
  }
}

/** The packets of all stretches, each once, in the order of the stream. */
function placesNear(
  trace: Trace,
  stream: Stream,
  stretches: readonly Stretch[],
  near: HostNs,
): readonly PacketPlace[] {
  const places = new Map<string, PacketPlace>();
  for (const stretch of stretches) {
    const found = packetsIn(trace, stream, stretch);
    const nearest = stretch.to < near ? found.slice(-MOST_PACKETS) : found.slice(0, MOST_PACKETS);
    for (const place of nearest) places.set(`${place.file} ${place.packet}`, place);
  }
  return [...places.values()].sort((a, b) => a.file - b.file || a.packet - b.packet);
}

/** The events of a packet nearest to a display time. */
async function linesOf(
  { open, time: display }: EventSource,
  trace: Trace,
  index: number,
  place: PacketPlace,
  timeNs: DisplayNs,
  limit: number,
  only: EventsOfRow | undefined,
): Promise<EventLine[]> {
  const stream = trace.streams[index];
  const toDisplay = display.of(trace.host);
  const input = await readPacket(open, stream, place);
  if (input === undefined) return [];
  const { source: ref, packets: table } = stream.files[place.file];
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const reader = eventReader(trace, stream.streamClass);
  const near = toDisplay.toHost(timeNs);
  const events = reader.around(input, near, limit, only?.among(trace, index, input));
  return events.map((event) => {
    return {
      ...event,
      timeNs: toDisplay.toExperiment(event.timeNs),
      host: trace.host,
      stream: name,
      cpu: table.cpu[place.packet],
    };
  });
}
