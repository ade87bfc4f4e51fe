/**
 * Cuts the streams of an experiment into chunks (Reumont-Locke et al. 2019, section 4.1.3): consecutive packets of one
 * stream up to a target size, so that work is balanced over streams and time alike.
 */
import { compare } from '../base/compare.ts';
import { addNumber } from '../base/group-by.ts';
import { PACKET_HAS_DISCARDED, PACKET_HAS_SEQUENCE, type PacketTable } from '../ctf/packets/packet-table.ts';
import { hasEventCpus } from './untold.ts';
import { beginOf, clockOf, endOf } from './trace-clocks.ts';
import type { Chunk, Experiment, Stream, Trace } from './types.ts';

/** Bytes. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** A stream's first chunk is small, so that there is a picture soon; each one after it is larger, up to the target. */
const FIRST_CHUNK_BYTES = 256 * 1024;
const CHUNK_GROWTH = 4;

/**
 * A stream whose events give their CPUs is one chunk up to here (bytes): what begins in a chunk ends in the next one only
 * where both have rows of that CPU.
 */
const WHOLE_STREAM_BYTES = 64 * 1024 * 1024;

/** Extent of a chunk, while it grows. */
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
  drafts.sort((a, b) => compare(a.begin, b.begin) || compareTies(a, b));
  const placeOf = placesOf(experiment, drafts);
  return drafts.map((draft, id) => {
    const { host, trace, stream, sequence, extents, bytes, from, to, floor } = draft;
    return { id, host, trace, stream, sequence, extents, bytes, from, to, floor, place: placeOf(draft) };
  });
}

/** Gives the places of chunks whose streams go on with others; undefined of all else. */
function placesOf({ traces }: Experiment, drafts: readonly Draft[]): (draft: Draft) => Chunk['place'] {
  const follows = new Map(
    traces.flatMap(({ streams }) => streams.map(({ rank, follows: of }) => [rank, of])),
  );
  const lengths = new Map<number, number>();
  for (const { rank } of drafts) addNumber(lengths, rank, 1);
  return ({ rank, sequence }) => {
    let place: Chunk['place'];
    for (let of = follows.get(rank); of !== undefined; of = follows.get(of))
      place = { rank: of, sequence: (place?.sequence ?? sequence) + (lengths.get(of) ?? 0) };
    return place;
  };
}

function compareTies(a: Draft, b: Draft): number {
  return a.begin === -Infinity
    ? a.sequence - b.sequence || a.rank - b.rank
    : a.rank - b.rank || a.sequence - b.sequence;
}

interface PacketAt {
  readonly table: PacketTable;
  readonly packet: number;
}

interface OpenDraft {
  readonly extents: Extent[];
  bytes: number;
  readonly from: number;
  readonly begin: number;
  readonly floor: number;
}

function cutStream(trace: Trace, stream: Stream, index: number, chunkBytes: number): Draft[] {
  const own = { host: trace.host, trace: trace.index, stream: index, rank: stream.rank };
  const isWhole = hasEventCpus(trace);
  const clock = clockOf(trace, stream.streamClass);
  const isTimed = stream.files.every(({ packets }) =>
    packets.offset.every((_, packet) => !Number.isNaN(beginOf(packets, packet, clock))),
  );
  const drafts: Draft[] = [];
  let open: OpenDraft | undefined;
  let before: PacketAt | undefined;
  /** The greatest begin so far. */
  let floor = -Infinity;

  const begin = ({ table, packet }: PacketAt): OpenDraft => {
    const draft = { extents: [], bytes: 0, floor };
    if (!isTimed) return { ...draft, from: -Infinity, begin: -Infinity };
    const time = beginOf(table, packet, clock);
    const isLossy = before !== undefined && reportsLoss(before.table, before.packet, table, packet);
    const lostSince = before !== undefined && isLossy ? endOf(before.table, before.packet, clock) : NaN;
    const latest = drafts.at(-1)?.begin ?? -Infinity;
    return { ...draft, from: lostSince < time ? lostSince : time, begin: Math.max(latest, time) };
  };
  const close = (): void => {
    if (open === undefined || before === undefined) return;
    const to = endOf(before.table, before.packet, clock);
    drafts.push({ ...own, sequence: drafts.length, ...open, to });
    open = undefined;
  };
  for (const [file, { packets: table }] of stream.files.entries()) {
    for (let packet = 0; packet < table.length; packet++) {
      const size = table.size[packet];
      const most = isWhole
        ? WHOLE_STREAM_BYTES
        : Math.min(chunkBytes, FIRST_CHUNK_BYTES * CHUNK_GROWTH ** drafts.length);
      if (open !== undefined && open.bytes > 0 && open.bytes + size > most) close();
      open ??= begin({ table, packet });
      extend(open.extents, file, packet);
      open.bytes += size;
      before = { table, packet };
      const time = beginOf(table, packet, clock);
      if (time > floor) floor = time;
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
