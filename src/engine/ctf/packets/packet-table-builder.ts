/** Gathers the rows of a `PacketTable`. */
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

export interface PacketTableBuilder {
  /** Appends a packet; `offset` and `size` in bytes, `contentBits` in bits. */
  add(head: PacketHead, offset: number, size: number, contentBits: number): void;
  /** @param isDamaged whether the last packet is (`PACKET_IS_DAMAGED`) */
  finish(stream: StreamClass | undefined, isDamaged: boolean): PacketTable;
}

export function createPacketTableBuilder(): PacketTableBuilder {
  const heads: PacketHead[] = [];
  const places: { readonly offset: number; readonly size: number; readonly contentBits: number }[] = [];
  return {
    add(head, offset, size, contentBits) {
      heads.push(head);
      places.push({ offset, size, contentBits });
    },
    finish(stream, isDamaged) {
      const flags = Uint8Array.from(heads, flagsOf);
      if (isDamaged && flags.length > 0) flags[flags.length - 1] |= PACKET_IS_DAMAGED;
      return {
        length: heads.length,
        streamClass: Int32Array.from(heads, (head) => head.streamClass),
        streamId: BigUint64Array.from(heads, (head) => head.streamId ?? 0n),
        hasStreamId: Uint8Array.from(heads, (head) => (head.streamId === undefined ? 0 : 1)),
        offset: Float64Array.from(places, (place) => place.offset),
        size: Float64Array.from(places, (place) => place.size),
        contentBits: Float64Array.from(places, (place) => place.contentBits),
        eventsBits: Float64Array.from(heads, (head) => head.eventsBits),
        begin: BigUint64Array.from(heads, (head) => head.begin ?? 0n),
        end: BigUint64Array.from(heads, (head) => head.end ?? 0n),
        discarded: BigUint64Array.from(heads, (head) => head.discarded ?? 0n),
        sequence: BigUint64Array.from(heads, (head) => head.sequence ?? 0n),
        cpu: Int32Array.from(heads, (head) => head.cpu),
        flags,
        discardedBits: roleBits(stream?.packetContext, 'discarded-events'),
        sequenceBits: roleBits(stream?.packetContext, 'packet-sequence'),
      };
    },
  };
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
