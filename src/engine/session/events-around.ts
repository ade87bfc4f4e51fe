/** Single events near a time, read from the files again: only the packets that can hold them are decoded. */
import { append } from '../base/append.ts';
import { packetAfter } from '../ctf/decode/packet-spans.ts';
import { createEventReader } from '../export/event-list.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { beginOf, endOf } from '../trace/trace-clocks.ts';
import type { Experiment, Stream, Trace } from '../trace/types.ts';
import type { EventLine } from './api.ts';
import type { ClockTransform } from '../sync/clock-transform.ts';
import type { DisplayTime } from './display-time.ts';

/** A packet of a stream. */
interface PacketPlace {
  readonly file: number;
  readonly packet: number;
}

/** At most `limit` events nearest to a display time, in time order. */
export async function eventsAround(
  experiment: Experiment,
  time: DisplayTime,
  open: SourceOpener,
  timeNs: number,
  limit: number,
): Promise<EventLine[]> {
  const lines: EventLine[] = [];
  for (const trace of experiment.traces) {
    for (const stream of trace.streams) {
      const clock = time.of(trace.host);
      const near = clock.toHost(timeNs);
      for (const place of packetsNear(trace, stream, near)) {
        append(lines, await linesOf(trace, stream, place, open, clock, near, limit));
      }
    }
  }
  const nearest = lines
    .sort((a, b) => Math.abs(a.timeNs - timeNs) - Math.abs(b.timeNs - timeNs))
    .slice(0, limit);
  return nearest.sort((a, b) => a.timeNs - b.timeNs);
}

/** The packet that holds the time, or else the ones before and after it. */
function packetsNear(trace: Trace, stream: Stream, time: number): PacketPlace[] {
  const clock = trace.model.streams[stream.streamClass].clock;
  const map = clock === undefined ? undefined : trace.clocks[clock];
  let before: PacketPlace | undefined;
  for (const [file, { packets }] of stream.files.entries()) {
    for (let packet = 0; packet < packets.length; packet++) {
      const place = { file, packet };
      if (endOf(packets, packet, map) < time) before = place;
      else if (beginOf(packets, packet, map) <= time) return [place];
      else return before === undefined ? [place] : [before, place];
    }
  }
  return before === undefined ? [] : [before];
}

/** The events of a packet nearest to `time` (TimeNs). */
async function linesOf(
  trace: Trace,
  stream: Stream,
  { file, packet }: PacketPlace,
  open: SourceOpener,
  toDisplay: ClockTransform,
  time: number,
  limit: number,
): Promise<EventLine[]> {
  const { source: ref, packets: table } = stream.files[file];
  const source = await open(ref);
  if (!source.ok) return [];
  const bytes = await source.value.read(table.offset[packet], table.size[packet]);
  await source.value.close?.();
  if (!bytes.ok) return [];
  const { clock } = trace.model.streams[stream.streamClass];
  const map = clock === undefined ? undefined : trace.clocks[clock];
  const input = {
    bytes: bytes.value,
    extents: [{ table, first: packet, count: 1, byteOffset: 0, path: ref.path }],
    before: packet > 0 ? packetAfter(table, packet - 1) : undefined,
  };
  const name = ref.path.slice(ref.path.lastIndexOf('/') + 1);
  const events = createEventReader(trace.model, stream.streamClass, map).around(input, time, limit);
  return events.map((event) => {
    return { ...event, timeNs: toDisplay.toExperiment(event.timeNs), stream: name, cpu: table.cpu[packet] };
  });
}
