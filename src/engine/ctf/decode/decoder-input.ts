/** The bytes of a chunk on their way into a decoder. */
import type { PacketTable } from '../packets/packet-table.ts';
import type { PacketBefore, PacketOutcome, PacketTimes } from './rows/packet-spans.ts';
import type { Fault } from '../../base/fault.ts';
import type { CountSums } from './rows/class-counts.ts';
import type { Rows } from './rows/rows.ts';

/** Consecutive packets of one file, in the chunk's bytes. */
export interface ChunkExtent {
  readonly table: PacketTable;
  readonly first: number;
  readonly count: number;
  /** Where in `ChunkInput.bytes` packet `first` begins. */
  readonly byteOffset: number;
  /** Path for messages. */
  readonly path: string;
}

export interface ChunkInput {
  /** The bytes of all extents; `DecodedChunk.rows.bytes` is this buffer. */
  readonly bytes: Uint8Array;
  readonly extents: readonly ChunkExtent[];
  /** The packet before the first one in the stream; undefined: there is none. */
  readonly before?: PacketBefore;
  /** Greatest begin of the packets before (HostNs), before which no event of the chunk lies; default: none is known. */
  readonly floor?: number;
  /** HostNs, half-open: only events within are counted (in `counts` and `packets`); rows are given for all. */
  readonly window?: { readonly from: number; readonly to: number };
  /** Events that get no row and no count. Default: none. */
  readonly repeats?: readonly Repeat[];
}

/** Time range of a CPU, both ends inclusive, whose events another file has as well. */
export interface Repeat {
  readonly cpu: number;
  /** HostNs. */
  readonly from: number;
  /** HostNs by event class; NaN: events of the class are given. */
  readonly to: Float64Array;
}

export function isRepeated(repeats: readonly Repeat[], eventClass: number, time: number): boolean {
  return repeats.some(({ from, to }) => time >= from && time <= to[eventClass]);
}

/** Packet of a chunk. */
export interface PacketInput extends Pick<ChunkInput, 'bytes' | 'window' | 'repeats'> {
  /** Where in `bytes` the packet begins. */
  readonly offset: number;
  readonly table: PacketTable;
  readonly packet: number;
  readonly times: PacketTimes;
}

/** Result that hands the packet, and with it the chunk, to the interpreter. */
export const HAND_OVER = 'hand over';

export interface PacketDecoder {
  /** Begins a chunk without rows and counts; false: only the interpreter can decode it. */
  begin(chunk: ChunkInput): boolean;
  /** Appends rows and counts; a fault ends the packet, and what was decoded before it stays. */
  decode(input: PacketInput): Fault | typeof HAND_OVER | undefined;
  /** Rows so far. */
  readonly rowCount: number;
  /** Outcome of the packet decoded last. */
  readonly outcome: PacketOutcome;
  /** Makes room for so many rows more, which the caller fills; false: there is none. */
  addRows(count: number): boolean;
  /** Adds what was counted since the last call to the sums. */
  count(sums: CountSums): void;
  /** Gives the rows of the chunk, whose texts point into `bytes`; valid until the next chunk. */
  finish(bytes: Uint8Array): Rows;
}
