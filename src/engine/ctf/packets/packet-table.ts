/**
 * The packet index of one data stream file: a struct of columns, one row a packet, in file order.
 * Byte offsets fit a double. Clock values are raw cycles of the stream's default clock.
 */
import type { Fault } from '../../base/fault.ts';
import { type Growing, GrowingTable } from '../../base/columns.ts';
import type { FieldClass, Role, StreamClass } from '../model.ts';
import type { PacketHead } from './packet-head.ts';

export interface PacketTable {
  readonly length: number;
  /** Index in `TraceModel.streams`, or -1 where the header could not be read. */
  readonly streamClass: Int32Array;
  /** Data stream id (`stream_instance_id`); `hasStreamId` 0: none. */
  readonly streamId: BigUint64Array;
  readonly hasStreamId: Uint8Array;
  /** Bytes from the file's begin. */
  readonly offset: Float64Array;
  /** Bytes, padding included. */
  readonly size: Float64Array;
  /** Bits of content, from the packet's begin: header and context included, padding not. */
  readonly contentBits: Float64Array;
  /** Bits from the packet's begin to the first event header. */
  readonly eventsBits: Float64Array;
  /** Cycles. 0 where the flags say that there is none: the clock of such a packet starts at 0 (CTF2-SPEC-2.0, 6.1). */
  readonly begin: BigUint64Array;
  /** Cycles, not before the begin; valid where the flags say so. */
  readonly end: BigUint64Array;
  readonly discarded: BigUint64Array;
  readonly sequence: BigUint64Array;
  /** CPU number, -1 unknown. */
  readonly cpu: Int32Array;
  /** Bit set of PACKET_HAS_* and PACKET_IS_DAMAGED. */
  readonly flags: Uint8Array;
  /** Width in bits of the discarded-events counter, for differences modulo its width; 0: no counter. */
  readonly discardedBits: number;
  readonly sequenceBits: number;
  /** Packets of the file before the first row, where the rows are a part of it; default 0. */
  readonly skipped?: number;
}

/** Number of a row's packet in its file, from 0, as given in faults. */
export function packetNumber(table: PacketTable, row: number): number {
  return (table.skipped ?? 0) + row;
}

export const PACKET_HAS_BEGIN = 1;
export const PACKET_HAS_END = 2;
export const PACKET_HAS_DISCARDED = 4;
export const PACKET_HAS_SEQUENCE = 8;
/** The file is cut within the packet, or the bytes after it are no packet, perhaps because bytes within it were lost or added. */
export const PACKET_IS_DAMAGED = 16;

/** A data stream file with its index. `faults` tell what could not be indexed; the rows before are usable. */
export interface IndexedFile {
  /** Path as the user knows it. */
  readonly path: string;
  readonly size: number;
  readonly packets: PacketTable;
  readonly faults: readonly Fault[];
}

type PacketColumns = Omit<PacketTable, 'length' | 'discardedBits' | 'sequenceBits' | 'skipped'>;

/** Collects the rows of a `PacketTable`. */
export class PacketTableBuilder {
  readonly #table = new GrowingTable<Growing<PacketColumns>>({
    streamClass: new Int32Array(0),
    streamId: new BigUint64Array(0),
    hasStreamId: new Uint8Array(0),
    offset: new Float64Array(0),
    size: new Float64Array(0),
    contentBits: new Float64Array(0),
    eventsBits: new Float64Array(0),
    begin: new BigUint64Array(0),
    end: new BigUint64Array(0),
    discarded: new BigUint64Array(0),
    sequence: new BigUint64Array(0),
    cpu: new Int32Array(0),
    flags: new Uint8Array(0),
  });

  /** Appends a packet; `offset` and `size` in bytes, `contentBits` in bits. */
  add(head: PacketHead, offset: number, size: number, contentBits: number): void {
    const row = this.#table.addRow();
    const columns = this.#table.rows;
    columns.streamClass[row] = head.streamClass;
    columns.streamId[row] = head.streamId ?? 0n;
    columns.hasStreamId[row] = head.streamId === undefined ? 0 : 1;
    columns.offset[row] = offset;
    columns.size[row] = size;
    columns.contentBits[row] = contentBits;
    columns.eventsBits[row] = head.eventsBits;
    columns.begin[row] = head.begin ?? 0n;
    columns.end[row] = head.end ?? 0n;
    columns.discarded[row] = head.discarded ?? 0n;
    columns.sequence[row] = head.sequence ?? 0n;
    columns.cpu[row] = head.cpu;
    columns.flags[row] = flagsOf(head);
  }

  /** @param isDamaged sets `PACKET_IS_DAMAGED` of the last packet */
  finish(stream: StreamClass | undefined, isDamaged: boolean): PacketTable {
    const { length, rows } = this.#table;
    if (isDamaged && length > 0) rows.flags[length - 1] |= PACKET_IS_DAMAGED;
    return {
      ...this.#table.toTable(),
      discardedBits: roleBits(stream?.packetContext, 'discarded-events'),
      sequenceBits: roleBits(stream?.packetContext, 'packet-sequence'),
    };
  }
}

function flagsOf(head: PacketHead): number {
  return (
    (head.begin === undefined ? 0 : PACKET_HAS_BEGIN) |
    (head.end === undefined ? 0 : PACKET_HAS_END) |
    (head.discarded === undefined ? 0 : PACKET_HAS_DISCARDED) |
    (head.sequence === undefined ? 0 : PACKET_HAS_SEQUENCE)
  );
}

/** Width of the integer with a role; 0 where there is none. */
function roleBits(type: FieldClass | undefined, role: Role): number {
  if (type?.kind === 'integer') return type.roles?.includes(role) === true ? type.size : 0;
  if (type?.kind !== 'struct') return 0;
  return type.members.reduce((bits, member) => Math.max(bits, roleBits(member.type, role)), 0);
}
