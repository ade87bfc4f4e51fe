/** Single events near a time, read from the files again: only the packets that can hold them are decoded. */
import { append } from '../base/append.ts';
import { oncePer } from '../base/once-per.ts';
import type { ChunkInput } from '../ctf/decode/chunk-input.ts';
import { packetAfter } from '../ctf/decode/packet-spans.ts';
import { createEventReader, type EventReader } from '../export/event-list.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { beginOf, endOf } from '../trace/trace-clocks.ts';
import type { Experiment, Stream, Trace } from '../trace/types.ts';
import type { EventLine } from './api.ts';
import type { DisplayTime } from './display-time.ts';

/** A packet of a stream. */
interface PacketPlace {
  readonly file: number;
  readonly packet: number;
}

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
  /** Stretches of time (TimeNs) next to one in which there are some: those around it may be far. */
  near(time: number): readonly Stretch[];
  /** Which events of a packet they are; undefined: all. */
  among(trace: Trace, stream: number, input: ChunkInput): readonly number[] | undefined;
}

/** TimeNs, both ends within. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * At most `limit` events nearest to a display time, in time order.
 * @param only default: of all rows
 */
export async function eventsAround(
  source: EventSource,
  timeNs: number,
  limit: number,
  only?: EventsOfRow,
): Promise<EventLine[]> {
  const lines: EventLine[] = [];
  for (const trace of source.experiment.traces) {
    if (only !== undefined && only.host !== trace.host) continue;
    const near = source.time.of(trace.host).toHost(timeNs);
    const stretches = [{ from: near, to: near }, ...(only?.near(near) ?? [])];
    for (const [index, stream] of trace.streams.entries()) {
      if (only?.isIn(trace, index) === false) continue;
      for (const place of placesNear(trace, stream, stretches, near)) {
        append(lines, await linesOf(source, trace, index, place, near, limit, only));
      }
    }
  }
  const nearest = lines
    .sort((a, b) => Math.abs(a.timeNs - timeNs) - Math.abs(b.timeNs - timeNs))
    .slice(0, limit);
  return nearest.sort((a, b) => a.timeNs - b.timeNs);
}

/** Packets of a stretch that are read. */
const MOST_PACKETS = 32;

/** The packets of all stretches, each once. */
function placesNear(
  trace: Trace,
  stream: Stream,
  stretches: readonly Stretch[],
  near: number,
): Iterable<PacketPlace> {
  const places = new Map<string, PacketPlace>();
  for (const stretch of stretches) {
    const found = packetsIn(trace, stream, stretch);
    const nearest = stretch.to < near ? found.slice(-MOST_PACKETS) : found.slice(0, MOST_PACKETS);
    for (const place of nearest) places.set(`${place.file} ${place.packet}`, place);
  }
  return places.values();
}

/** The packets that hold a part of the stretch, or else the ones before and after it. */
function packetsIn(trace: Trace, stream: Stream, { from, to }: Stretch): PacketPlace[] {
  const clock = trace.model.streams[stream.streamClass].clock;
  const map = clock === undefined ? undefined : trace.clocks[clock];
  const found: PacketPlace[] = [];
  let before: PacketPlace | undefined;
  for (const [file, { packets }] of stream.files.entries()) {
    for (let packet = 0; packet < packets.length; packet++) {
      const place = { file, packet };
      if (endOf(packets, packet, map) < from) before = place;
      else if (beginOf(packets, packet, map) <= to) found.push(place);
      else if (found.length > 0) return found;
      else return before === undefined ? [place] : [before, place];
    }
  }
  return found.length > 0 || before === undefined ? found : [before];
}

/** By stream class, made when first asked for: compiling what decodes every field takes longer than reading a packet. */
const readersOf = oncePer(({ model, clocks }: Trace): readonly (() => EventReader)[] =>
  model.streams.map(({ clock }, streamClass) => {
    let reader: EventReader | undefined;
    const map = clock === undefined ? undefined : clocks[clock];
    return () => (reader ??= createEventReader(model, streamClass, map));
  }),
);

/** The events of a packet nearest to `time` (TimeNs). */
async function linesOf(
  { open, time: display }: EventSource,
  trace: Trace,
  index: number,
  { file, packet }: PacketPlace,
  time: number,
  limit: number,
  only: EventsOfRow | undefined,
): Promise<EventLine[]> {
  const stream = trace.streams[index];
  const toDisplay = display.of(trace.host);
  const { source: ref, packets: table } = stream.files[file];
  const source = await open(ref);
  if (!source.ok) return [];
  const bytes = await source.value.read(table.offset[packet], table.size[packet]);
  await source.value.close?.();
  if (!bytes.ok) return [];
  const input = {
    bytes: bytes.value,
    extents: [{ table, first: packet, count: 1, byteOffset: 0, path: ref.path }],
    before: packet > 0 ? packetAfter(table, packet - 1) : undefined,
  };
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const reader = readersOf(trace)[stream.streamClass]();
  const events = reader.around(input, time, limit, only?.among(trace, index, input));
  return events.map((event) => {
    return { ...event, timeNs: toDisplay.toExperiment(event.timeNs), stream: name, cpu: table.cpu[packet] };
  });
}
