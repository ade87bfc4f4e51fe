/** Decoder of the packets of chunks: the interpreter or generated code, with the same answers. */
import type { Fault } from '../../base/fault.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import type { ChunkInput, Repeat } from './chunk-input.ts';
import type { PacketOutcome, PacketTimes } from './rows/packet-spans.ts';
import type { CountSums } from './rows/class-counts.ts';
import type { Rows } from './rows/rows.ts';

export interface PacketInput {
  readonly bytes: Uint8Array;
  /** Where in `bytes` the packet begins. */
  readonly offset: number;
  readonly table: PacketTable;
  readonly packet: number;
  readonly times: PacketTimes;
  /** HostNs, half-open: events outside leave their rows, but are not counted. Default: all are. */
  readonly window?: { readonly from: number; readonly to: number };
  /** Events of its CPU that are neither given nor counted. Default: none. */
  readonly repeats?: readonly Repeat[];
}

/** Result in place of a fault: this packet, and with it the chunk, is for the interpreter. */
export const HAND_OVER = 'hand over';

export interface PacketDecoder {
  /** Begins a chunk without rows and counts; false where it is for the interpreter. */
  begin(chunk: ChunkInput): boolean;
  /** Appends rows and counts; a fault ends the packet, and what was decoded before it stays. */
  decode(input: PacketInput): Fault | typeof HAND_OVER | undefined;
  /** Rows so far. */
  readonly rowCount: number;
  /** Outcome of the packet decoded last. */
  readonly outcome: PacketOutcome;
  /** Room for so many rows more behind the last one; false where there is none. Others fill them. */
  addRows(count: number): boolean;
  /** Moves what was counted since the last call to the sums. */
  count(sums: CountSums): void;
  /** Gives the rows of the chunk, whose texts point into `bytes`; they are valid until the next chunk. */
  finish(bytes: Uint8Array): Rows;
}
