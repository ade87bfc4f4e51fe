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
}
