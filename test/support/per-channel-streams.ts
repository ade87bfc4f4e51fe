/** A trace as a session of several channels records it: each CPU has a stream of every one, with events of its own. */
import type { TraceModel } from '../../src/engine/ctf/model.ts';
import { PacketReader, type EventRead, type PacketRead } from './ctf-reader/packet-reader.ts';
import { type PacketToWrite, type TraceFiles, writeTrace } from './ctf-writer/trace-writer.ts';
import { modelOf } from './trace-files.ts';

/**
 * The trace, of one stream class and without losses, in as many channels as numbers that `channelOf` gives to names of
 * events, from 0 on. Nobody knows which of two events came first that have the same time in two channels of a CPU
 * (`withOwnTimes`).
 * @param perPacket most events of a packet
 */
export function perChannelStreams(
  files: TraceFiles,
  channelOf: (name: string) => number,
  perPacket: number,
): TraceFiles {
  const one = modelOf(files);
  const channels = one.streams[0].events.map(({ name = '' }) => channelOf(name));
  const model = withChannels(one, channels);
  const streams = [...streamsOf(one, files)].flatMap(([file, packets]) => {
    if (packets.some(({ roles }) => (roles.get('discarded-events') ?? 0n) > 0n))
      throw new Error('nobody knows which channel lost events');
    const events = packets.flatMap((packet) => packet.events);
    return model.streams.map((_, streamClass) => {
      const own = events.filter(({ eventClass }) => channels[eventClass] === streamClass);
      const relocated = own.map((event) => {
        const earlier = channels.slice(0, event.eventClass);
        return { ...event, eventClass: earlier.filter((channel) => channel === streamClass).length };
      });
      return {
        file: `channel${streamClass}_${file}`,
        streamClass,
        packets: packed(relocated, packets, perPacket),
      };
    });
  });
  return writeTrace(model, streams);
}

const STEPS = 16n;

/** The trace sixteen times as long, in which no two events of a stream have the same time. */
export function withOwnTimes(files: TraceFiles): TraceFiles {
  const model = modelOf(files);
  const streams = [...streamsOf(model, files)].map(([file, packets]) => {
    let before = -1n;
    const later = packets.map(({ roles, events, streamClass }) => {
      const begin = (roles.get('packet-begin') ?? 0n) * STEPS;
      const relocated = events.map((event) => {
        before = before >= event.time * STEPS ? before + 1n : event.time * STEPS;
        return { ...event, time: before };
      });
      const end = (roles.get('packet-end') ?? 0n) * STEPS;
      const frame = { ...frameOf(roles), sequence: roles.get('packet-sequence') };
      return {
        streamClass,
        packet: { ...frame, begin, end: end > before ? end : before, events: relocated },
      };
    });
    return { file, streamClass: later[0].streamClass, packets: later.map(({ packet }) => packet) };
  });
  return writeTrace(model, streams);
}

function* streamsOf(model: TraceModel, files: TraceFiles): Generator<[string, PacketRead[]]> {
  const reader = new PacketReader(model);
  for (const [file, bytes] of files) {
    if (file !== 'metadata' && !file.startsWith('index/')) yield [file, [...reader.packets(bytes)]];
  }
}

/** @param channels of each event class */
function withChannels(model: TraceModel, channels: readonly number[]): TraceModel {
  const [stream] = model.streams;
  const streams = Array.from({ length: Math.max(...channels) + 1 }, (_, channel) => {
    const events = stream.events.filter((_class, index) => channels[index] === channel);
    return { ...stream, id: BigInt(channel), events };
  });
  return { ...model, streams };
}

function frameOf(roles: PacketRead['roles']) {
  const discarded = roles.get('discarded-events');
  return { cpu: Number(roles.get('cpu-id')), streamId: roles.get('stream-id'), discarded };
}

/** Packets that touch, from the begin of the old ones to their end. */
function packed(
  events: readonly EventRead[],
  old: readonly PacketRead[],
  perPacket: number,
): PacketToWrite[] {
  const first = old[0].roles;
  const last = old[old.length - 1].roles;
  const packets: PacketToWrite[] = [];
  for (let from = 0; from === 0 || from < events.length; from += perPacket) {
    const isLast = from + perPacket >= events.length;
    packets.push({
      ...frameOf(first),
      sequence: BigInt(packets.length),
      begin: from === 0 ? first.get('packet-begin') : events[from].time,
      end: isLast ? last.get('packet-end') : events[from + perPacket].time,
      events: events.slice(from, from + perPacket),
    });
  }
  return packets;
}
