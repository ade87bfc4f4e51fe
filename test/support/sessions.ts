/** A kernel as sessions record it that overlap in time. */
import type { StreamClass, TraceModel } from '../../src/engine/ctf/model.ts';
import { PacketReader, type EventRead, type PacketRead } from './ctf-reader/packet-reader.ts';
import { writeTrace, type PacketToWrite, type TraceFiles } from './ctf-writer/trace-writer.ts';
import { modelOf } from './trace-files.ts';

/** Times in cycles. */
export interface Session {
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
export function inSessions(files: TraceFiles, sessions: readonly Session[], perPacket: number): TraceFiles {
  const whole = modelOf(files);
  const [stream] = whole.streams;
  const folders = sessions.flatMap((session, number) => {
    const { delay = 0n, isRecorded = () => true } = session;
    const kept = stream.events.filter(({ name = '' }) => isRecorded(name));
    const uuid = whole.uuid?.replace(/^.{8}/, String(number).padStart(8, '0'));
    const model: TraceModel = { ...whole, uuid, streams: [{ ...stream, events: kept }] };
    const classes = stream.events.map((event) => kept.indexOf(event));
    const trace = recorded(files, model, perPacket, (event) => {
      const told = { ...event, time: event.time + delay, eventClass: classes[event.eventClass] };
      return isIn(session, stream, event) ? [told] : [];
    });
    return [...trace].map(([path, bytes]) => [`session${number}/kernel/${path}`, bytes] as const);
  });
  return new Map(folders);
}

/** The trace without the events that no session has. */
export function inOneSession(files: TraceFiles, sessions: readonly Session[]): TraceFiles {
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
