/** Single events near a time, read from the files again: only the packets that can hold them are decoded. */
import { append } from '../base/append.ts';
import { oncePer } from '../base/once-per.ts';
import type { ChunkInput } from '../ctf/decode/chunk-input.ts';
import { createEventReader, type EventReader } from '../export/event-list.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { clockOf } from '../trace/trace-clocks.ts';
import type { Experiment, Stream, Trace } from '../trace/types.ts';
import type { EventLine } from './api.ts';
import type { DisplayTime } from './display-time.ts';
import { type PacketPlace, packetsIn, readPacket, type Stretch } from './packet-places.ts';

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

/** By stream class, made when first asked for: compiling what decodes every field takes longer than reading a packet. */
const readersOf = oncePer((trace: Trace): readonly (() => EventReader)[] =>
  trace.model.streams.map((_, streamClass) => {
    let reader: EventReader | undefined;
    return () => (reader ??= createEventReader(trace.model, streamClass, clockOf(trace, streamClass)));
  }),
);

/** The events of a packet nearest to `time` (TimeNs). */
async function linesOf(
  { open, time: display }: EventSource,
  trace: Trace,
  index: number,
  place: PacketPlace,
  time: number,
  limit: number,
  only: EventsOfRow | undefined,
): Promise<EventLine[]> {
  const stream = trace.streams[index];
  const toDisplay = display.of(trace.host);
  const input = await readPacket(open, stream, place);
  if (input === undefined) return [];
  const { source: ref, packets: table } = stream.files[place.file];
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const reader = readersOf(trace)[stream.streamClass]();
  const events = reader.around(input, time, limit, only?.among(trace, index, input));
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
