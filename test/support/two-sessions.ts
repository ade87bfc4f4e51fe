/** A kernel as two sessions record it that overlap in time. */
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { PacketReader, type EventRead, type PacketRead } from './ctf-reader/packet-reader.ts';
import { writeTrace, type PacketToWrite, type TraceFiles } from './ctf-writer/trace-writer.ts';
import { modelOf } from './trace-files.ts';

export interface TwoSessions {
  /** Cycles: the first session ends with the last event up to `to`, the second begins with the first one from `from` on. */
  readonly from: bigint;
  readonly to: bigint;
  /** Cycles that the second session gives each event later. */
  readonly delay: bigint;
  /** Most events of a packet. */
  readonly perPacket: number;
  /** Whether the first session records events of a name. */
  readonly isInFirst: (name: string) => boolean;
}

/** The folders `first` and `second` with a trace each. @param files of a trace of one stream class without losses */
export function inTwoSessions(files: TraceFiles, sessions: TwoSessions): TraceFiles {
  const { from, to, delay, perPacket, isInFirst } = sessions;
  const whole = modelOf(files);
  const [stream] = whole.streams;
  const kept = stream.events.filter(({ name = '' }) => isInFirst(name));
  const classes = stream.events.map((event) => kept.indexOf(event));
  const firstModel: TraceModel = { ...whole, streams: [{ ...stream, events: kept }] };
  const secondModel: TraceModel = { ...whole, uuid: whole.uuid?.replace(/^.{8}/, '00000002') };
  const first = recorded(files, firstModel, perPacket, (event) => {
    const eventClass = classes[event.eventClass];
    return event.time <= to && eventClass >= 0 ? [{ ...event, eventClass }] : [];
  });
  const second = recorded(files, secondModel, perPacket, (event) => {
    return event.time >= from ? [{ ...event, time: event.time + delay }] : [];
  });
  return new Map([...inFolder('first', first), ...inFolder('second', second)]);
}

/** The trace without the events that neither session has. */
export function withoutUnrecorded(files: TraceFiles, { from, isInFirst }: TwoSessions): TraceFiles {
  const model = modelOf(files);
  const [{ events }] = model.streams;
  return recorded(files, model, Infinity, (event) =>
    event.time >= from || isInFirst(events[event.eventClass].name ?? '') ? [event] : [],
  );
}

function inFolder(name: string, files: TraceFiles): [string, Uint8Array][] {
  return [...files].map(([path, bytes]) => [`${name}/kernel/${path}`, bytes]);
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
