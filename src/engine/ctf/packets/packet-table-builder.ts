/** Gathers the rows of a `PacketTable`. */
import { type Growing, trimmed, widen } from '../../base/columns.ts';
import type { FieldClass, Role, StreamClass } from '../model.ts';
import {
  PACKET_HAS_BEGIN,
  PACKET_HAS_DISCARDED,
  PACKET_HAS_END,
  PACKET_HAS_SEQUENCE,
  PACKET_IS_DAMAGED,
  type PacketTable,
} from './packet-table.ts';
import type { PacketHead } from './packet-head.ts';

type PacketColumns = Omit<PacketTable, 'length' | 'discardedBits' | 'sequenceBits' | 'skipped'>;

export class PacketTableBuilder {
  readonly #columns: Growing<PacketColumns> = {
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
  };
  #length = 0;

  /** Appends a packet; `offset` and `size` in bytes, `contentBits` in bits. */
  add(head: PacketHead, offset: number, size: number, contentBits: number): void {
    const columns = this.#columns;
    const row = this.#length++;
    if (row === columns.flags.length) widen(columns);
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

  /** @param isDamaged whether the last packet is (`PACKET_IS_DAMAGED`) */
  finish(stream: StreamClass | undefined, isDamaged: boolean): PacketTable {
    if (isDamaged && this.#length > 0) this.#columns.flags[this.#length - 1] |= PACKET_IS_DAMAGED;
    return {
      length: this.#length,
      ...trimmed(this.#columns, this.#length),
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
