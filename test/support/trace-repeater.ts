/**
 * Makes long traces from short ones: the packets of a trace, again and again, each time with its clock values, sequence
 * numbers and loss counters moved on. The step between rounds is a multiple of 2^32 cycles, so that clock fields of 27
 * and 32 bits stay as they are; only whole clock values are rewritten. Gives pieces of bytes, for files or a browser.
 */
import type { ByteOrder, TraceModel } from '../../src/engine/ctf/model.ts';
import type { Mark } from './ctf-reader/bit-reader.ts';
import { PacketReader, type PacketRead } from './ctf-reader/packet-reader.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';

export interface RepeatPlan {
  /** Events of one round. */
  readonly events: number;
  /** Cycles from one round to the next. */
  readonly period: bigint;
  readonly streams: readonly RepeatedStream[];
  /** Files copied as they are: the metadata. */
  readonly kept: TraceFiles;
}

/** A stream file, or LTTng's index of one. */
interface RepeatedStream {
  readonly file: string;
  /** Stands once, before the first round. */
  readonly head: Uint8Array;
  readonly bytes: Uint8Array;
  readonly patches: readonly Patch[];
}

interface Patch {
  /** Bytes from the file's begin. */
  readonly byte: number;
  readonly size: 32 | 64;
  readonly order: ByteOrder;
  /** What is added for each round. */
  readonly step: bigint;
}

const WHOLE_CLOCKS = 1n << 32n;
const INDEX_HEADER_BYTES = 16;
const NOTHING = new Uint8Array(0);

/** What is kept of a packet while planning. */
interface PacketSummary {
  readonly offset: number;
  readonly events: number;
  readonly marks: readonly Mark[];
  readonly roles: PacketRead['roles'];
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * Reads the trace once; LTTng's index files are repeated too. Throws where a counter is neither 32 nor 64 bits in whole bytes.
 * @param least the shortest period, in cycles: that of another trace which is repeated beside this one
 */
export function planRepeat(model: TraceModel, files: TraceFiles, least = 0n): RepeatPlan {
  const reader = new PacketReader(model);
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const read = data.map(([file, bytes]) => ({ file, bytes, packets: [...summaries(reader, bytes)] }));
  const packets = read.flatMap((stream) => stream.packets);
  const own = periodOf(packets);
  const period = own > least ? own : least;
  return {
    events: packets.reduce((sum, packet) => sum + packet.events, 0),
    period,
    streams: read.flatMap(({ file, bytes, packets: mine }): RepeatedStream[] => {
      const steps = stepsOf(mine, period);
      const stream = { file, head: NOTHING, bytes, patches: patchesOf(mine, steps) };
      const index = files.get(`index/${file}.idx`);
      return index === undefined ? [stream] : [stream, repeatedIndex(file, index, bytes.length, steps)];
    }),
    kept: new Map([...files].filter(([path]) => path === 'metadata')),
  };
}

function* summaries(reader: PacketReader, file: Uint8Array): Generator<PacketSummary, void> {
  let offset = 0;
  for (const { bytes, events, marks, roles } of reader.packets(file)) {
    const first = roles.get('packet-begin') ?? events[0]?.time ?? 0n;
    const end = roles.get('packet-end') ?? first;
    const lastEvent = events.at(-1)?.time ?? end;
    yield { offset, events: events.length, marks, roles, first, last: lastEvent > end ? lastEvent : end };
    offset += bytes.length;
  }
}

function periodOf(packets: readonly PacketSummary[]): bigint {
  const least = packets.reduce((low, { first }) => (first < low ? first : low), packets[0].first);
  const greatest = packets.reduce((high, { last }) => (last > high ? last : high), packets[0].last);
  return ((greatest - least) / WHOLE_CLOCKS + 1n) * WHOLE_CLOCKS;
}

/** What is added to the counters of a stream for each round. */
interface Steps {
  readonly period: bigint;
  readonly sequences: bigint;
  readonly discarded: bigint;
}

function stepsOf(packets: readonly PacketSummary[], period: bigint): Steps {
  const last = packets.at(-1)?.roles;
  const first = packets[0]?.roles;
  const sequences = (last?.get('packet-sequence') ?? 0n) - (first?.get('packet-sequence') ?? 0n) + 1n;
  return { period, sequences, discarded: last?.get('discarded-events') ?? 0n };
}

/** Words of an index's header, and of an entry: offset, size, content, begin, end, discarded, class, stream, sequence. */
function repeatedIndex(
  file: string,
  index: Uint8Array,
  streamBytes: number,
  { period, sequences, discarded }: Steps,
): RepeatedStream {
  const entryBytes = new DataView(index.buffer, index.byteOffset).getUint32(12);
  const bytes = index.slice(INDEX_HEADER_BYTES);
  const steps = [BigInt(streamBytes), 0n, 0n, period, period, discarded, 0n, 0n, sequences];
  const patches: Patch[] = [];
  for (let entry = 0; entry < bytes.length; entry += entryBytes) {
    steps.forEach((step, word) => {
      const byte = entry + 8 * word;
      if (step !== 0n && 8 * word < entryBytes) patches.push({ byte, size: 64, order: 'be', step });
    });
  }
  return { file: `index/${file}.idx`, head: index.slice(0, INDEX_HEADER_BYTES), bytes, patches };
}

function patchesOf(packets: readonly PacketSummary[], { period, sequences, discarded }: Steps): Patch[] {
  const stepOf = ({ type }: Mark): bigint => {
    if (type.roles?.includes('packet-sequence')) return sequences;
    return type.roles?.includes('discarded-events') ? discarded : period;
  };
  return packets.flatMap(({ marks, offset }) =>
    marks.map((mark) => patchOf(mark, offset, stepOf(mark))).filter(({ step }) => step !== 0n),
  );
}

function patchOf({ position, type }: Mark, packet: number, step: bigint): Patch {
  const { size, byteOrder } = type;
  if (position % 8 !== 0 || (size !== 32 && size !== 64)) throw new Error('a counter is not in whole bytes');
  return { byte: packet + position / 8, size, order: byteOrder, step };
}

/** The bytes of one stream file, `rounds` times, a round a piece; every piece is a buffer of its own. */
export function* repeatedPieces(stream: RepeatedStream, rounds: number): Generator<Uint8Array, void> {
  if (stream.head.length > 0) yield stream.head;
  for (let round = 0; round < rounds; round++) {
    const piece = stream.bytes.slice();
    const view = new DataView(piece.buffer);
    for (const { byte, size, order, step } of stream.patches) {
      const added = step * BigInt(round);
      if (size === 64)
        view.setBigUint64(byte, view.getBigUint64(byte, order === 'le') + added, order === 'le');
      else
        view.setUint32(
          byte,
          Number(BigInt.asUintN(32, BigInt(view.getUint32(byte, order === 'le')) + added)),
          order === 'le',
        );
    }
    yield piece;
  }
}
