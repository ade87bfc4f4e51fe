/** The bytes of a chunk on their way into a decoder. */
import type { PacketTable } from '../packets/packet-table.ts';
import type { PacketBefore } from './rows/packet-spans.ts';

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
  /** The greatest begin of the packets before (HostNs); default: none is known. No event of the chunk is earlier. */
  readonly floor?: number;
  /** HostNs, half-open: only events within are counted (in `counts` and `packets`); rows are given of all. */
  readonly window?: { readonly from: number; readonly to: number };
  /** Events that are neither given nor counted. Default: none. */
  readonly repeats?: readonly Repeat[];
}

/** Time of a CPU, both ends within, whose events are known from elsewhere. */
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
