/**
 * Data stream files → data streams. Files of one trace with the same stream class and stream id are one stream, in
 * whichever folders they lie (tracefile rotation, chunks of a session, snapshots); a file without stream id or packet
 * begin is a stream of its own. The packet index has seen to it that a file holds packets of one stream only.
 */
import { compare } from '../base/compare.ts';
import { groupBy } from '../base/group-by.ts';
import {
  PACKET_HAS_BEGIN,
  PACKET_HAS_SEQUENCE,
  PACKET_IS_DAMAGED,
  packetNumber,
} from '../ctf/packets/packet-table.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import { splitPath } from './find-traces.ts';
import type { StreamFile } from './types.ts';

export interface AssembledStream {
  readonly streamClass: number;
  /** Stream id, -1 where there is none. */
  readonly instance: bigint;
  /** CPU of all packets, -1 where they differ or give none. */
  readonly cpu: number;
  /** Files in stream order; one whose packets lie between those of another stands there in pieces. */
  readonly files: readonly StreamFile[];
  readonly bytes: number;
}

/** Streams in order of (class, instance, name of the first file), whatever the order of `files`. */
export function assembleStreams(files: readonly StreamFile[]): AssembledStream[] {
  const withPackets = files.filter(({ packets }) => packets.length > 0);
  return [...groupBy(withPackets, streamOf).values()].map(assemble).sort(compareStreams);
}

/** Stream class and instance; without one, or without times, a file is a stream of its own. */
function streamOf({ source, packets }: StreamFile): string {
  const single = packets.hasStreamId[0] === 0 || (packets.flags[0] & PACKET_HAS_BEGIN) === 0;
  return `${packets.streamClass[0]}:${single ? source.path : packets.streamId[0]}`;
}

export function compareStreams(a: AssembledStream, b: AssembledStream): number {
  return a.streamClass - b.streamClass || compare(a.instance, b.instance) || compare(nameOf(a), nameOf(b));
}

function nameOf(stream: AssembledStream): string {
  return splitPath(stream.files[0].source.path).name;
}

function assemble(files: readonly StreamFile[]): AssembledStream {
  const ordered = files.length === 1 ? files : inOrder(files);
  const { packets } = ordered[0];
  const cpu = packets.cpu[0];
  return {
    streamClass: packets.streamClass[0],
    instance: packets.hasStreamId[0] === 1 ? packets.streamId[0] : -1n,
    cpu: ordered.every((file) => file.packets.cpu.every((other) => other === cpu)) ? cpu : -1,
    files: ordered,
    bytes: ordered.reduce((sum, file) => sum + file.packets.size.reduce((all, size) => all + size, 0), 0),
  };
}

interface PacketPlace {
  readonly file: number;
  readonly packet: number;
  /** Cycles: the greatest packet begin so far in its file, so that a file keeps its order whatever it contains. */
  readonly key: bigint;
}

/** The packets of several files by begin, each once. */
function inOrder(files: readonly StreamFile[]): StreamFile[] {
  const sorted = [...files].sort(compareFiles);
  const places = placesOf(sorted);
  places.sort((a, b) => compare(a.key, b.key) || a.file - b.file || a.packet - b.packet);
  const ordered: StreamFile[] = [];
  for (let from = 0, to = 0; from < places.length; from = to) {
    const { file, packet } = places[from];
    for (to = from + 1; to < places.length; to++) {
      if (places[to].file !== file || places[to].packet !== packet + to - from) break;
    }
    const { source, packets } = sorted[file];
    ordered.push({ source, packets: slicePackets(packets, packet, packet + to - from) });
  }
  return ordered;
}

/**
 * Order of files by the begin of their first packet. One without length comes before the one that begins where it ends.
 */
function compareFiles(a: StreamFile, b: StreamFile): number {
  for (const column of ['begin', 'end', 'sequence'] as const) {
    const [x, y] = [a.packets[column][0], b.packets[column][0]];
    if (x !== y) return x < y ? -1 : 1;
  }
  return compare(a.source.path, b.source.path);
}

/**
 * All packets but the copies that other files have of them: snapshots that overlap hold the same packets, and one that
 * was taken while a packet was written holds less of it than the next.
 */
function placesOf(files: readonly StreamFile[]): PacketPlace[] {
  const best = new Map<string, PacketCopy>();
  files.forEach(({ packets }, file) => {
    for (let packet = 0; packet < packets.length; packet++) {
      const mark = identityOf(packets, packet);
      const isSound = (packets.flags[packet] & PACKET_IS_DAMAGED) === 0;
      // Less than the packet says where its file was cut off.
      const bits = Math.min(packets.contentBits[packet], packets.size[packet] * 8);
      const known = best.get(mark);
      const isMore = known === undefined || bits > known.bits;
      if (isMore || (bits === known.bits && isSound && !known.isSound))
        best.set(mark, { file, bits, isSound });
    }
  });
  return files.flatMap(({ packets }, file) => {
    const places: PacketPlace[] = [];
    let key = 0n;
    for (let packet = 0; packet < packets.length; packet++) {
      if (packets.begin[packet] > key) key = packets.begin[packet];
      if (best.get(identityOf(packets, packet))?.file === file) places.push({ file, packet, key });
    }
    return places;
  });
}

interface PacketCopy {
  readonly file: number;
  /** Content that is there. */
  readonly bits: number;
  readonly isSound: boolean;
}

/** Key that no two packets share, unless they are the same; the CPU distinguishes those whose stream id is damaged. */
function identityOf({ flags, cpu, begin, end, contentBits, sequence }: PacketTable, packet: number): string {
  return (flags[packet] & PACKET_HAS_SEQUENCE) !== 0
    ? `${cpu[packet]} ${begin[packet]} ${sequence[packet]}`
    : `${cpu[packet]} ${begin[packet]} ${end[packet]} ${contentBits[packet]}`;
}

function slicePackets(table: PacketTable, from: number, to: number): PacketTable {
  if (from === 0 && to === table.length) return table;
  return {
    ...table,
    length: to - from,
    offset: table.offset.slice(from, to),
    size: table.size.slice(from, to),
    contentBits: table.contentBits.slice(from, to),
    eventsBits: table.eventsBits.slice(from, to),
    begin: table.begin.slice(from, to),
    end: table.end.slice(from, to),
    discarded: table.discarded.slice(from, to),
    sequence: table.sequence.slice(from, to),
    cpu: table.cpu.slice(from, to),
    flags: table.flags.slice(from, to),
    skipped: packetNumber(table, from),
  };
}
