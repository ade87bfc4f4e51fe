/** Network packets as LTTng 2.13 records them: the fields of `net_dev_queue` and `net_if_receive_skb`. */
import type { FieldClass, LabelRange, StructClass, VariantClass } from '../../../src/engine/ctf/model.ts';
import { integer, struct, text } from '../ctf-writer/model-builder.ts';
import type { StructValue } from '../ctf-writer/value.ts';

export interface Address {
  /** 4 bytes, or 8 pairs of them. */
  readonly numbers: readonly number[];
  readonly port: number;
}

export interface NetPacket {
  readonly protocol: 'tcp' | 'udp';
  readonly source: Address;
  readonly destination: Address;
  /** Of TCP. */
  readonly seq: number;
  readonly ack: number;
  readonly flags: number;
  /** Bytes of payload. */
  readonly bytes: number;
  readonly check: number;
  /** Identification of IPv4; undefined: none. */
  readonly id?: number;
}

export const TCP_PSH = 8;
export const TCP_ACK = 16;

const IPV4_HEADER = 20;
const TCP_HEADER = 32;
const UDP_HEADER = 8;
const LINK_HEADER = 14;

/** In network byte order. */
function be(size: number, align = 8): FieldClass {
  return integer(size, { byteOrder: 'be', align });
}

function label(name: string, from: number, to = from): LabelRange {
  return { label: name, from: BigInt(from), to: BigInt(to) };
}

function choice(
  steps: readonly number[],
  tag: string,
  options: Readonly<Record<string, StructClass>>,
): VariantClass {
  return {
    kind: 'variant',
    tag: { scope: 'event-payload', steps, text: tag },
    options: Object.entries(options).map(([name, type], n) => ({
      name,
      type,
      ranges: [{ from: BigInt(n), to: BigInt(n) }],
    })),
  };
}

const NOTHING = struct({}, 8);
const TCP = struct({
  source_port: be(16),
  dest_port: be(16),
  seq: be(32),
  ack_seq: be(32),
  data_offset: be(4, 4),
  reserved: be(3, 1),
  flags: be(9, 1),
  window_size: be(16),
  checksum: be(16),
  urg_ptr: be(16),
});
const UDP = struct({ source_port: be(16), dest_port: be(16), len: be(16), check: be(16) });

function addresses(length: number, size: number): Readonly<Record<string, FieldClass>> {
  const array: FieldClass = { kind: 'array', length, element: be(size), align: 8 };
  return { saddr_padding: NOTHING, saddr: array, daddr_padding: NOTHING, daddr: array };
}

/** @param steps where the header is in the payload; @param at which of its members the transport's type is */
function transport(steps: readonly number[], at: number): Readonly<Record<string, FieldClass>> {
  const kinds = [label('unknown', 0), label('tcp', 1), label('udp', 2)];
  return {
    transport_header_type: integer(8, { labels: kinds }),
    transport_header: choice([...steps, at], 'transport_header_type', {
      unknown: NOTHING,
      tcp: TCP,
      udp: UDP,
    }),
  };
}

const IPV4 = struct({
  version: be(4, 4),
  ihl: be(4, 4),
  tos: be(8),
  tot_len: be(16),
  id: be(16),
  frag_off: be(16),
  ttl: be(8),
  protocol: be(8),
  checksum: be(16),
  ...addresses(4, 8),
  ...transport([4, 1], 13),
});
const IPV6 = struct({
  version: be(4, 4),
  prio: be(4, 4),
  flow_lbl: { kind: 'array', length: 3, element: be(8), align: 8 },
  payload_len: be(16),
  nexthdr: be(8),
  hop_limit: be(8),
  ...addresses(8, 16),
  ...transport([4, 2], 10),
});

export const PACKET_PAYLOAD = struct({
  skbaddr: integer(64, { base: 16 }),
  len: integer(32),
  name: text,
  network_header_type: integer(8, { labels: [label('unknown', 0), label('ipv4', 1), label('ipv6', 2)] }),
  network_header: choice([3], 'network_header_type', { unknown: NOTHING, ipv4: IPV4, ipv6: IPV6 }),
});

/** @param device the interface that it passes */
export function packetFields(packet: NetPacket, device: string): StructValue {
  const { protocol, source, destination, bytes } = packet;
  const isTcp = protocol === 'tcp';
  const content = bytes + (isTcp ? TCP_HEADER : UDP_HEADER);
  const isShort = source.numbers.length === 4;
  const header = {
    saddr: source.numbers,
    daddr: destination.numbers,
    transport_header_type: isTcp ? 1 : 2,
    transport_header: { option: isTcp ? 1 : 2, value: isTcp ? tcpFields(packet) : udpFields(packet) },
  };
  const ipv4 = {
    version: 4,
    ihl: IPV4_HEADER / 4,
    tot_len: content + IPV4_HEADER,
    id: packet.id ?? 0,
    ttl: 64,
    protocol: isTcp ? 6 : 17,
  };
  const ipv6 = { version: 6, payload_len: content, nexthdr: isTcp ? 6 : 17, hop_limit: 64 };
  return {
    skbaddr: 0xff00_0000,
    len: content + IPV4_HEADER + LINK_HEADER,
    name: device,
    network_header_type: isShort ? 1 : 2,
    network_header: isShort
      ? { option: 1, value: { ...ipv4, ...header } }
      : { option: 2, value: { ...ipv6, ...header } },
  };
}

function tcpFields({ source, destination, seq, ack, flags, check }: NetPacket): StructValue {
  return {
    source_port: source.port,
    dest_port: destination.port,
    seq: seq % 2 ** 32,
    ack_seq: ack % 2 ** 32,
    data_offset: TCP_HEADER / 4,
    flags,
    window_size: 502,
    checksum: check,
  };
}

function udpFields({ source, destination, bytes, check }: NetPacket): StructValue {
  return { source_port: source.port, dest_port: destination.port, len: bytes + UDP_HEADER, check };
}
