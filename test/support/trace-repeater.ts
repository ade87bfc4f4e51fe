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

interface RepeatedStream {
  readonly file: string;
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

/** What is kept of a packet while planning. */
interface PacketSummary {
  readonly offset: number;
  readonly events: number;
  readonly marks: readonly Mark[];
  readonly roles: PacketRead['roles'];
  readonly first: bigint;
  readonly last: bigint;
}

/** Reads the trace once; index files are left out. Throws where a counter is neither 32 nor 64 bits in whole bytes. */
export function planRepeat(model: TraceModel, files: TraceFiles): RepeatPlan {
  const reader = new PacketReader(model);
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const read = data.map(([file, bytes]) => ({ file, bytes, packets: [...summaries(reader, bytes)] }));
  const packets = read.flatMap((stream) => stream.packets);
  const period = periodOf(packets);
  return {
    events: packets.reduce((sum, packet) => sum + packet.events, 0),
    period,
    streams: read.map(({ file, bytes, packets: own }) => ({ file, bytes, patches: patchesOf(own, period) })),
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

function patchesOf(packets: readonly PacketSummary[], period: bigint): Patch[] {
  const last = packets.at(-1)?.roles;
  const first = packets[0]?.roles;
  const sequences = (last?.get('packet-sequence') ?? 0n) - (first?.get('packet-sequence') ?? 0n) + 1n;
  const discarded = last?.get('discarded-events') ?? 0n;
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
