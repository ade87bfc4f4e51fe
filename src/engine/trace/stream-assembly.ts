/**
 * Data stream files → data streams. Files of one trace with the same stream class and stream id are one stream, whose
 * files follow each other by the begin of their first packet (tracefile rotation); a file without stream id or packet
 * begin is a stream of its own. The packet index has seen to it that a file holds packets of one stream only.
 */
import { PACKET_HAS_BEGIN } from '../ctf/packets/packet-table.ts';
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
