/**
 * Data stream files → data streams. Files of one trace with the same stream class and stream id are one stream, whose
 * files follow each other by the begin of their first packet (tracefile rotation); a file without stream id or packet
 * begin is a stream of its own.
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
  for (const file of files.flatMap(splitByStream)) {
    const { packets } = file;
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
  const ordered = [...files].sort((a, b) => {
    const [x, y] = [a.packets.begin[0], b.packets.begin[0]];
    return x < y ? -1 : x > y ? 1 : compareText(a.source.path, b.source.path);
  });
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

/** A file nearly always holds one stream. Otherwise each stream gets its own packets of it; unreadable ones none. */
function splitByStream(file: StreamFile): StreamFile[] {
  const { packets } = file;
  const rows = new Map<string, number[]>();
  for (let packet = 0; packet < packets.length; packet++) {
    if (packets.streamClass[packet] < 0) continue;
    const key = `${packets.streamClass[packet]}:${packets.hasStreamId[packet] === 1 ? packets.streamId[packet] : ''}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, [packet]);
    else known.push(packet);
  }
  return [...rows.values()].map((chosen) =>
    chosen.length === packets.length ? file : { source: file.source, packets: pick(packets, chosen) },
  );
}

function pick(table: PacketTable, rows: readonly number[]): PacketTable {
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
