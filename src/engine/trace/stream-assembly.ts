/**
 * Data stream files → data streams. Files of one trace with the same stream class and stream id are one stream, whose
 * files follow each other by the begin of their first packet (tracefile rotation); a file without stream id or packet
 * begin is a stream of its own. The packet index has seen to it that a file holds packets of one stream only.
 */
import { PACKET_HAS_BEGIN } from '../ctf/packets/packet-table.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import { compareText, splitPath } from './find-traces.ts';
import type { StreamFile } from './types.ts';

export interface AssembledStream {
  readonly streamClass: number;
  /** Stream id, -1 where there is none. */
  readonly instance: bigint;
  /** CPU of all packets, -1 where they differ or tell none. */
  readonly cpu: number;
  readonly files: readonly StreamFile[];
  readonly bytes: number;
}

/** Streams in order of (class, instance, name of the first file), whatever the order of `files`. */
export function assembleStreams(files: readonly StreamFile[]): AssembledStream[] {
  const streams = new Map<string, StreamFile[]>();
  for (const file of files) {
    const { packets } = file;
    if (packets.length === 0) continue;
    const single = packets.hasStreamId[0] === 0 || (packets.flags[0] & PACKET_HAS_BEGIN) === 0;
    const key = `${packets.streamClass[0]}:${single ? file.source.path : packets.streamId[0]}`;
    const siblings = streams.get(key);
    if (siblings === undefined) streams.set(key, [file]);
    else siblings.push(file);
  }
  return [...streams.values()].map(assemble).sort(compareStreams);
}

export function compareStreams(a: AssembledStream, b: AssembledStream): number {
  return (
    a.streamClass - b.streamClass ||
    (a.instance < b.instance ? -1 : a.instance > b.instance ? 1 : 0) ||
    compareText(nameOf(a), nameOf(b))
  );
}

function nameOf(stream: AssembledStream): string {
  return splitPath(stream.files[0].source.path).name;
}

function assemble(files: readonly StreamFile[]): AssembledStream {
  const ordered = withoutCopies(
    [...files].sort((a, b) => {
      const [x, y] = [a.packets.begin[0], b.packets.begin[0]];
      return x < y ? -1 : x > y ? 1 : compareText(a.source.path, b.source.path);
    }),
  );
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

/** Snapshots that overlap have the same packets twice: those of the later file are left out. */
function withoutCopies(files: readonly StreamFile[]): StreamFile[] {
  if (files.length === 1) return [...files];
  const seen = new Set<string>();
  const kept: StreamFile[] = [];
  for (const { source, packets } of files) {
    const marks = Array.from(packets.begin, (begin, i) => {
      return `${begin} ${packets.end[i]} ${packets.contentBits[i]} ${packets.sequence[i]}`;
    });
    const fresh = marks.flatMap((mark, i) => (seen.has(mark) ? [] : [i]));
    for (const mark of marks) seen.add(mark);
    if (fresh.length === packets.length) kept.push({ source, packets });
    else if (fresh.length > 0) kept.push({ source, packets: pickPackets(packets, fresh) });
  }
  return kept;
}

function pickPackets(table: PacketTable, rows: readonly number[]): PacketTable {
  return {
    length: rows.length,
    streamClass: Int32Array.from(rows, (row) => table.streamClass[row]),
    streamId: BigUint64Array.from(rows, (row) => table.streamId[row]),
    hasStreamId: Uint8Array.from(rows, (row) => table.hasStreamId[row]),
    offset: Float64Array.from(rows, (row) => table.offset[row]),
    size: Float64Array.from(rows, (row) => table.size[row]),
    contentBits: Float64Array.from(rows, (row) => table.contentBits[row]),
    eventsBits: Float64Array.from(rows, (row) => table.eventsBits[row]),
    begin: BigUint64Array.from(rows, (row) => table.begin[row]),
    end: BigUint64Array.from(rows, (row) => table.end[row]),
    discarded: BigUint64Array.from(rows, (row) => table.discarded[row]),
    sequence: BigUint64Array.from(rows, (row) => table.sequence[row]),
    cpu: Int32Array.from(rows, (row) => table.cpu[row]),
    flags: Uint8Array.from(rows, (row) => table.flags[row]),
    discardedBits: table.discardedBits,
    sequenceBits: table.sequenceBits,
  };
}
