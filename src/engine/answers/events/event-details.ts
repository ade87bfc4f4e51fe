/** All that one event says: every field of its scopes and of its packet's, and its bytes. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { EventFinder } from '../../ctf/decode/rows/event-finder.ts';
import { FieldReader } from '../../export/event-fields.ts';
import type { Trace } from '../../trace/types.ts';
import type { EventSource } from '../context/event-source.ts';
import { readPacket } from '../context/packets-by-time.ts';
import type { EventBytes, EventDetails, EventPlace } from '../../protocol/events.ts';

/** Bytes given of an event. */
const MOST_BYTES = 4096;

/** undefined: it cannot be read any more. */
export async function eventDetails(
  { experiment, open }: EventSource,
  place: EventPlace,
): Promise<EventDetails | undefined> {
  const trace = experiment.traces.at(place.trace);
  const stream = trace?.streams.at(place.stream);
  const table = stream?.files.at(place.file)?.packets;
  if (trace === undefined || stream === undefined || table === undefined) return undefined;
  const input = await readPacket(open, stream, place);
  if (input === undefined) return undefined;
  const found = finderOf(trace, stream.streamClass).find(input.bytes, table, place.packet, place.event);
  if (found === undefined) return undefined;
  const { packetHeader } = trace.model;
  const { packetContext, eventHeader, eventContext } = trace.model.streams[stream.streamClass];
  const { event, packet, header, body } = found;
  const reader = new FieldReader();
  // Scopes of one tape lie one behind the other.
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

/** Finders by stream class: compiling what decodes every field takes longer than reading a packet. */
const findersOf = cachedByKey((_: Trace): EventFinder[] => []);

function finderOf(trace: Trace, streamClass: number): EventFinder {
  return (findersOf(trace)[streamClass] ??= new EventFinder(trace.model, streamClass));
}

/** @param offset of the packet in its file */
function bytesOf(
  packet: Uint8Array,
  offset: number,
  { from, to }: { readonly from: number; readonly to: number },
): EventBytes {
  const begin = Math.floor(from / 8);
  const end = Math.ceil(to / 8);
  return {
    offset: offset + begin,
    length: end - begin,
    bytes: packet.slice(begin, Math.min(end, begin + MOST_BYTES)),
  };
}
