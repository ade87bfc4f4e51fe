/**
 * Rewrites a trace with packets of at most N events; what is known from it stays the same. The first small packet keeps
 * the begin of the old one, the last keeps its end and loss counter; between them packets touch. Where events were lost
 * before the old packet's begin as well as at its end, a packet without events covers that gap, as the loss would
 * otherwise move.
 */
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';
import { compare } from '../../src/engine/base/compare.ts';
import type { FieldClass, Role, StreamClass, TraceModel } from '../../src/engine/ctf/model.ts';
import type { BitWriter } from './ctf-writer/bit-writer.ts';
import { PacketReader, type EventRead, type PacketRead } from './ctf-reader/packet-reader.ts';
import { PacketWriter, type PacketFrame } from './ctf-writer/packet-writer.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { alignmentOf, writeStruct } from './ctf-writer/value.ts';

/**
 * The same trace with packets of at most `perPacket` events, its stream files in the opposite order, without indexes.
 * @param tellsEnd whether a new packet says when it ends
 */
export function splitPackets(
  model: TraceModel,
  files: TraceFiles,
  perPacket: number,
  tellsEnd: () => boolean = () => true,
): TraceFiles {
  const reader = new PacketReader(model);
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const split = new Map<string, Uint8Array>();
  const counters = new Map<string, StreamCounters>();
  for (const [file, packets] of inStreamOrder(
    data.map(([file, bytes]) => [file, [...reader.packets(bytes)]] as const),
  )) {
    const key = streamKey(file, packets);
    const own = counters.get(key) ?? { sequence: 0n, before: undefined };
    counters.set(key, own);
    const parts = packets.flatMap((packet) => splitPacket(model, packet, perPacket, own, tellsEnd));
    split.set(file, joinBytes(parts));
  }
  const kept = [...files].filter(([path]) => path === 'metadata');
  return new Map([
    ...kept,
    ...data.map(([file]) => [file, split.get(file) ?? new Uint8Array()] as const).reverse(),
  ]);
}

type FileRead = readonly [string, readonly PacketRead[]];

/** What goes on from packet to packet of a stream. */
interface StreamCounters {
  /** Of the next packet written. */
  sequence: bigint;
  /** The packet read last. */
  before: ReadonlyMap<Role, bigint> | undefined;
}

/** Files of one stream (tracefile rotation) by the begin of their first packet. */
function inStreamOrder(files: readonly FileRead[]): FileRead[] {
  const begin = ([, packets]: FileRead): bigint => packets[0]?.roles.get('packet-begin') ?? 0n;
  return [...files].sort((a, b) => compare(begin(a), begin(b)));
}

function streamKey(file: string, packets: readonly PacketRead[]): string {
  const id = packets[0]?.roles.get('stream-id');
  return id === undefined ? file : `${packets[0].streamClass}/${id}`;
}

function splitPacket(
  model: TraceModel,
  packet: PacketRead,
  perPacket: number,
  stream: StreamCounters,
  tellsEnd: () => boolean,
): Uint8Array[] {
  const { roles, events, streamClass } = packet;
  const type = model.streams[streamClass];
  const { before } = stream;
  if (before) stream.sequence += missing(before.get('packet-sequence'), roles.get('packet-sequence'));
  const lost = before ? (roles.get('discarded-events') ?? 0n) - (before.get('discarded-events') ?? 0n) : 0n;
  stream.before = roles;
  const written: Uint8Array[] = [];
  const write = (own: readonly EventRead[], frame: PacketFrame): void => {
    const frameEnd = tellsEnd() ? frame.end : 0n;
    written.push(
      writePacket(model, type, packet, own, { ...frame, end: frameEnd, sequence: stream.sequence }),
    );
    stream.sequence++;
  };
  const earlier =
    roles.get('discarded-events') === undefined ? undefined : (roles.get('discarded-events') ?? 0n) - lost;
  const begin = roles.get('packet-begin');
  const end = roles.get('packet-end');
  const gap = lost > 1n && events.length > perPacket ? before?.get('packet-end') : undefined;
  let reported = earlier;
  if (gap !== undefined && begin !== undefined && gap < begin && reported !== undefined) {
    reported += lost - 1n;
    write([], { begin: gap, end: begin, discarded: reported });
  }
  const size = gap === undefined && lost === 1n && isGap(before, roles) ? Infinity : perPacket;
  for (let from = 0; from === 0 || from < events.length; from += size) {
    const last = from + size >= events.length;
    write(events.slice(from, from + size), {
      begin: from === 0 ? begin : events[from].time,
      end: last ? end : events[from + size].time,
      discarded: last ? roles.get('discarded-events') : reported,
    });
  }
  return written;
}

/** Whether time passed between the packets: a single lost event cannot be told twice, so such a packet stays whole. */
function isGap(before: ReadonlyMap<Role, bigint> | undefined, roles: ReadonlyMap<Role, bigint>): boolean {
  return (before?.get('packet-end') ?? 0n) < (roles.get('packet-begin') ?? 0n);
}

function missing(before: bigint | undefined, sequence: bigint | undefined): bigint {
  return before === undefined || sequence === undefined ? 0n : sequence - before - 1n;
}

function writePacket(
  model: TraceModel,
  type: StreamClass,
  old: PacketRead,
  events: readonly EventRead[],
  frame: PacketFrame,
): Uint8Array {
  const { roles, header, context } = old;
  const cpu = roles.get('cpu-id');
  const writer = new PacketWriter(model, type, {
    ...frame,
    cpu: cpu === undefined ? undefined : Number(cpu),
    streamId: roles.get('stream-id'),
    header,
    context,
  });
  for (const event of events) writer.append(event.time, (out) => writeEvent(out, model, type, old, event));
  return writer.close(8).bytes;
}

/** Copies the event's bits where every alignment falls as before, else writes its values anew. */
function writeEvent(
  out: BitWriter,
  model: TraceModel,
  type: StreamClass,
  old: PacketRead,
  event: EventRead,
): void {
  const { context, payload } = type.events[event.eventClass];
  const scopes = [type.eventHeader, type.eventContext, context, payload];
  const align = Math.max(8, ...scopes.map((scope) => (scope ? greatestAlignment(scope) : 1)));
  if ((out.position - event.from) % align === 0 && event.from % 8 === 0) {
    const end = out.position + event.to - event.from;
    out.raw(old.bytes.subarray(event.from / 8, Math.ceil(event.to / 8)));
    out.truncate(end, model.byteOrder);
    return;
  }
  const values = [event.header, event.common, event.specific, event.payload];
  scopes.forEach((scope, index) => {
    if (scope) writeStruct(out, scope, values[index]);
  });
}

function greatestAlignment(type: FieldClass): number {
  switch (type.kind) {
    case 'struct':
      return Math.max(type.align, ...type.members.map((member) => greatestAlignment(member.type)));
    case 'variant':
      return Math.max(1, ...type.options.map((option) => greatestAlignment(option.type)));
    case 'array':
      return Math.max(type.align, greatestAlignment(type.element));
    default:
      return alignmentOf(type);
  }
}
