/** Rows of single events, with their fields and threads. */
import { groupBy } from '../../base/group-by.ts';
import type { MatchPlace } from '../../events/match-table.ts';
import { type EventSource, readPacket } from '../context/packets-by-time.ts';
import { isKernelHost, type HostHistory } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { processesOf } from '../rows/process-threads.ts';
import { threadOf } from '../context/thread-rows.ts';
import { NOBODY, threadSourceOf, threadsOfEvents } from './event-batches.ts';
import type * as protocol from '../../protocol/events.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { fileName } from '../../base/file-name.ts';
import { openDecodeMemory } from '../../ctf/decode/wasm/decode-memory.ts';
import { createEventReader, type EventReader } from '../../export/event-list.ts';
import { clockOf } from '../../trace/trace-clocks.ts';
import type { StreamClass } from '../../ctf/model.ts';
import type { Trace } from '../../trace/types.ts';
import { EventFinder } from '../../ctf/decode/rows/event-finder.ts';
import { FieldReader } from '../../export/event-fields.ts';

/** Rows of events in the order of their places. */
export async function rowsOf(
  source: EventSource,
  trace: Pick<OpenTrace, 'hosts' | 'isNested'>,
  places: readonly MatchPlace[],
): Promise<protocol.EventRow[]> {
  const lines = new Map<MatchPlace, protocol.EventRow>();
  for (const group of groupBy(
    places,
    ({ stream, packet }) => `${stream.trace} ${stream.stream} ${packet}`,
  ).values())
    for (const [place, row] of await rowsOfPacket(source, group)) lines.set(place, row);
  const found = places.flatMap((place) => lines.get(place) ?? []);
  const threads = await threadsOfEvents(source, trace, {
    length: found.length,
    host: found.map(({ host }) => host),
    cpu: found.map(({ cpu }) => cpu),
    timeNs: found.map(({ timeNs }) => timeNs),
    tidOrSource: found.map((row) => {
      if (source.experiment.traces[row.place.trace].domain !== 'ust') return threadSourceOf(row.name);
      const vtid = /"vtid":(\d+)/.exec(`${row.fields.common} ${row.fields.context}`)?.[1];
      return Number(vtid ?? NOBODY);
    }),
  });
  return found.map((row, i) => ({ ...row, thread: threadInfo(trace.hosts, row.host, threads[i]) }));
}

function threadInfo(
  hosts: readonly HostHistory[],
  index: number,
  thread: number,
): protocol.EventThreadInfo | undefined {
  const host = hosts.find((one) => one.index === index);
  if (thread < 0 || host === undefined || !isKernelHost(host)) return undefined;
  const { row, name, tid, pid } = threadOf(host, thread);
  const { threads } = host.tables;
  return { row, name, tid, pid, process: threads.name[processesOf(threads)[thread]] };
}

async function rowsOfPacket(
  { experiment, open }: EventSource,
  places: readonly MatchPlace[],
): Promise<[MatchPlace, protocol.EventRow][]> {
  const [{ stream: matches, packet }] = places;
  const trace = experiment.traces[matches.trace];
  const stream = trace.streams[matches.stream];
  const at = matches.placeOf(packet);
  const input = await readPacket(open, stream, at);
  if (input === undefined) return [];
  const { source: ref, packets } = stream.files[at.file];
  const name = fileName(ref.path);
  const texts = eventReader(trace, stream.streamClass).of(
    input,
    places.map(({ event }) => event),
  );
  return texts.map((text, i): [MatchPlace, protocol.EventRow] => {
    const place = places[i];
    const { timeNs, event } = place;
    const where = { trace: matches.trace, stream: matches.stream, ...at, event };
    const line = { ...text, timeNs, host: trace.host, stream: name, cpu: packets.cpu[at.packet] };
    return [place, { ...line, place: where }];
  });
}

/** Made on first use: compiling a decoder of every field takes longer than reading a packet. */
function eventReader(trace: Trace, streamClass: number): EventReader {
  const { memory, readers } = readersOf(trace);
  return (readers[streamClass] ??= createEventReader(
    trace.model,
    streamClass,
    clockOf(trace, streamClass),
    memory,
  ));
}

/** Readers of a trace by stream class, each for one event at a time. */
const readersOf = cachedByKey((_: Trace) => ({
  memory: openDecodeMemory(),
  readers: new Array<EventReader>(),
}));

/** Maximum number of bytes shown of an event. */
const MOST_BYTES = 4096;

/** undefined: it cannot be read any more. */
export async function eventDetails(
  { experiment, open }: EventSource,
  place: protocol.EventPlace,
): Promise<protocol.EventDetails | undefined> {
  const trace = experiment.traces.at(place.trace);
  const stream = trace?.streams.at(place.stream);
  const table = stream?.files.at(place.file)?.packets;
  if (trace === undefined || stream === undefined || table === undefined) return undefined;
  const input = await readPacket(open, stream, place);
  if (input === undefined) return undefined;
  const { packetHeader, streams } = trace.model;
  const { [stream.streamClass]: type } = streams;
  const finder = finderOf(type, trace, stream.streamClass);
  const found = finder.find(input.bytes, table, place.packet, place.event);
  if (found === undefined) return undefined;
  const { packetContext, eventHeader, eventContext } = type;
  const { event, packet, header, body } = found;
  const reader = new FieldReader();
  // Scopes follow each other on one tape.
  const ofPacketHeader = reader.read(packet, packetHeader);
  const ofPacket = reader.read(packet, packetContext);
  const common = reader.read(body, eventContext);
  const context = reader.read(body, event.context);
  return {
    packetHeader: ofPacketHeader,
    packet: ofPacket,
    header: reader.read(header, eventHeader),
    common,
    context,
    payload: reader.read(body, event.payload),
    bytes: bytesOf(input.bytes, table.offset[place.packet], found),
  };
}

/** Made once for each stream class: compiling a decoder of every field takes longer than reading a packet. */
const finderOf = cachedByKey((_: StreamClass, { model }: Trace, streamClass: number) => {
  return new EventFinder(model, streamClass);
});

/** @param offset byte offset of the packet in its file */
function bytesOf(
  packet: Uint8Array,
  offset: number,
  { from, to }: { readonly from: number; readonly to: number },
): protocol.EventBytes {
  const begin = Math.floor(from / 8);
  const end = Math.ceil(to / 8);
  return {
    offset: offset + begin,
    length: end - begin,
    bytes: packet.slice(begin, Math.min(end, begin + MOST_BYTES)),
  };
}
