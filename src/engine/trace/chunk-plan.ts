/**
 * Cuts the streams of an experiment into chunks (spec 01 "Chunks"; seed 001 section 4.1.3): consecutive packets of one
 * stream up to a target size, so that work is balanced over streams and time alike.
 */
import { PACKET_HAS_DISCARDED, PACKET_HAS_SEQUENCE } from '../ctf/packets/packet-table.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import { beginOf, endOf } from './trace-clocks.ts';
import type { Chunk, Experiment, Stream, Trace } from './types.ts';

/** Bytes. */
export const CHUNK_BYTES = 4 * 1024 * 1024;

/** A stream's first chunk is small, so that there is a picture soon; each one after it is larger, up to the target. */
const FIRST_CHUNK_BYTES = 256 * 1024;
const CHUNK_GROWTH = 4;

/** As of a chunk, while it grows. */
interface Extent {
  readonly file: number;
  readonly first: number;
  count: number;
}

/** A chunk before all are put in order; `begin` never goes back within a stream. */
interface Draft extends Omit<Chunk, 'id'> {
  readonly begin: number;
  readonly rank: number;
}

/**
 * Chunks in order of begin time over all streams, ties by rank; ids are positions in it. Chunks of streams without
 * packet times come first, taking turns.
 *
 * @param chunkBytes target size of all but the first ones; a larger packet is a chunk by itself
 */
export function planChunks(experiment: Experiment, chunkBytes: number = CHUNK_BYTES): Chunk[] {
  const drafts = experiment.traces.flatMap((trace) =>
    trace.streams.flatMap((stream, index) => cutStream(trace, stream, index, chunkBytes)),
  );
  drafts.sort((a, b) => compareTimes(a.begin, b.begin) || compareTies(a, b));
  return drafts.map(({ host, trace, stream, sequence, extents, bytes, from, to }, id) => {
    return { id, host, trace, stream, sequence, extents, bytes, from, to };
  });
}

/** Infinities are equal to themselves, unlike their difference. */
function compareTimes(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function compareTies(a: Draft, b: Draft): number {
  return a.begin === -Infinity
    ? a.sequence - b.sequence || a.rank - b.rank
    : a.rank - b.rank || a.sequence - b.sequence;
}

function cutStream(trace: Trace, stream: Stream, index: number, chunkBytes: number): Draft[] {
  const clock = trace.model.streams[stream.streamClass].clock;
  const map = clock === undefined ? undefined : trace.clocks[clock];
  const timed = stream.files.every(({ packets }) =>
    packets.offset.every((_, packet) => !Number.isNaN(beginOf(packets, packet, map))),
  );
  const drafts: Draft[] = [];
  let extents: Extent[] = [];
  let bytes = 0;
  let from = 0;
  let begin = -Infinity;
  let before: { readonly table: PacketTable; readonly packet: number } | undefined;

  const close = (): void => {
    if (extents.length === 0 || before === undefined) return;
    drafts.push({
      host: trace.host,
      trace: trace.index,
      stream: index,
      sequence: drafts.length,
      extents,
      bytes,
      from,
      to: endOf(before.table, before.packet, map),
      begin,
      rank: stream.rank,
    });
    extents = [];
    bytes = 0;
  };

  for (const [file, { packets: table }] of stream.files.entries()) {
    for (let packet = 0; packet < table.length; packet++) {
      const size = table.size[packet];
      const target = Math.min(chunkBytes, FIRST_CHUNK_BYTES * CHUNK_GROWTH ** drafts.length);
      if (bytes > 0 && bytes + size > target) close();
      if (extents.length === 0) {
        const time = beginOf(table, packet, map);
        const lostSince = before !== undefined && reportsLoss(before.table, before.packet, table, packet);
        const previousEnd =
          lostSince && before !== undefined ? endOf(before.table, before.packet, map) : Number.NaN;
        from = !timed ? -Infinity : previousEnd < time ? previousEnd : time;
        begin = timed ? Math.max(begin, time) : -Infinity;
      }
      extend(extents, file, packet);
      bytes += size;
      before = { table, packet };
    }
  }
  close();
  return drafts;
}

/** Appends a packet to the last extent when that is of the same file. */
function extend(extents: Extent[], file: number, packet: number): void {
  const last = extents.at(-1);
  if (last?.file === file) last.count++;
  else extents.push({ file, first: packet, count: 1 });
}

/** Whether the second packet says that something was lost since the first: a loss begins at the end of the first. */
function reportsLoss(a: PacketTable, i: number, b: PacketTable, k: number): boolean {
  const both = a.flags[i] & b.flags[k];
  const discarded = (both & PACKET_HAS_DISCARDED) !== 0 && a.discarded[i] !== b.discarded[k];
  const skipped = (both & PACKET_HAS_SEQUENCE) !== 0 && b.sequence[k] - a.sequence[i] !== 1n;
  return discarded || skipped;
}
