/** The fields of rows about packets, of which compiled code makes what packets are recognised by at their other end. */
import type { ProjectionPlan } from '../../../analysis/contract.ts';
import { u32, u8 } from '../../../base/tables.ts';
import { PACKET_KEY_WORDS } from '../reduce/packet-rows.ts';
import { type FieldPlace, placesOf } from '../../events/row-reader.ts';

const PACKET_KINDS = ['packet-sent', 'packet-received'] as const;

export const PACKET_FIELDS = [
  'source',
  'destination',
  'source_port',
  'destination_port',
  'total_length',
  'header_words',
  'payload_length',
  'seq',
  'ack_seq',
  'data_offset',
  'flags',
  'tcp_check',
  'udp_length',
  'udp_check',
  'identification',
  'buffer',
  'device',
] as const;

export type PacketPlaces = Readonly<Record<(typeof PACKET_FIELDS)[number], FieldPlace>>;

/** Columns of `PacketKeys`. */
export const PACKETS = { kind: u8(), key: u32(0, PACKET_KEY_WORDS) };

export const IPV4_BYTES = 4;

/** Places of the fields of packets, by kind; undefined for kinds of other events. */
export function packetPlaces(plan: ProjectionPlan): readonly (PacketPlaces | undefined)[] {
  const places: (PacketPlaces | undefined)[] = plan.request.kinds.map(() => undefined);
  for (const kind of PACKET_KINDS) {
    const number = plan.kind(kind);
    if (number >= 0) places[number] = placesOf(plan, kind, PACKET_FIELDS);
  }
  return places;
}
