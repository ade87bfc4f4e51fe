/**
 * Packets and bytes by network interface and peer. An aggregate: each event is self-contained. The peer is the
 * address that a packet goes to or comes from, if its IP header is recorded. Bytes are those in the event: a sent
 * packet includes the header of its link, a received one no longer.
 */
import type { Analysis, EventBatch, PacketReader, ProjectionPlan } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { compare } from '../../../base/compare.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { kernelKind, packetStepsOf } from '../../events/kernel-events.ts';
import { createIntIndex, findInt, type IntIndex, putInt } from '../../../analysis/compiled/int-index.ts';
import { type FieldPlace, RowReader } from '../../events/row-reader.ts';
import { TextTable } from '../../events/text-table.ts';

export interface PacketSum {
  packets: number;
  bytes: number;
}

/** Packets and bytes that an interface exchanged with one peer. */
export interface PeerTraffic {
  readonly host: number;
  readonly interface: string;
  /** Address as text; '': the packet has no IP header, or none is recorded. */
  readonly peer: string;
  readonly sent: Readonly<PacketSum>;
  readonly received: Readonly<PacketSum>;
}

/** Traffic in order of host, interface, peer, without duplicates. */
export type NetworkChunk = readonly PeerTraffic[];

export const network: Analysis<NetworkChunk, NetworkChunk> = {
  id: 'network',
  version: 1,
  reads: {
    kinds: [
      kernelKind('packet-sent', 'destination', 'device', 'length'),
      kernelKind('packet-transmitted', 'rc', 'device', 'length'),
      kernelKind('packet-received', 'source', 'device', 'length'),
    ],
  },
  ...readBy((plan) => new PacketChunkReader(plan)),
  merge: (chunkResults) => mergeTraffic(chunkResults.flat()),
  empty: [],
  finish: (chunkResult) => chunkResult,
};

function mergeTraffic(parts: NetworkChunk): NetworkChunk {
  const sums = new Map<string, PeerTraffic>();
  for (const part of parts) {
    const key = JSON.stringify([part.host, part.interface, part.peer]);
    const known = sums.get(key);
    sums.set(key, known === undefined ? part : addTraffic(known, part));
  }
  return [...sums.values()].sort(
    (a, b) => a.host - b.host || compare(a.interface, b.interface) || compare(a.peer, b.peer),
  );
}

/** Sums of both, with the interface and the peer of the first. */
export function addTraffic<Row extends Pick<PeerTraffic, 'sent' | 'received'>>(
  a: Row,
  b: Pick<PeerTraffic, 'sent' | 'received'>,
): Row {
  return { ...a, sent: addSums(a.sent, b.sent), received: addSums(a.received, b.received) };
}

function addSums(a: Readonly<PacketSum>, b: Readonly<PacketSum>): PacketSum {
  return { packets: a.packets + b.packets, bytes: a.bytes + b.bytes };
}

interface Fields {
  readonly interface: FieldPlace;
  readonly length: FieldPlace;
  readonly peer?: FieldPlace;
  /** Return value of the driver. */
  readonly rc?: FieldPlace;
}

interface Sums {
  readonly interface: number;
  readonly peer: number;
  readonly sent: PacketSum;
  readonly received: PacketSum;
}

/** Initial room for peers of an interface, enough for most chunks. */
const FIRST_PEERS = 16;
/** Key of packets without header: no address has this index. */
const NO_PEER = -1;

/** Directions of packets by event class, and whether there are any. */
const waysOf = cachedByKey((eventClasses: readonly EventClass[]) => {
  const steps = packetStepsOf(eventClasses);
  return { steps, isAny: steps.some((step) => step !== 0) };
});

/** Reader of one chunk: sums its packets by interface and peer. */
class PacketChunkReader implements PacketReader<NetworkChunk> {
  readonly #fields: readonly (Fields | undefined)[];
  /** 1: a kind with fields. */
  readonly #isPacket: Uint8Array;
  readonly #rows = new RowReader();
  // Data of the present chunk.
  #host = 0;
  #firstRow: Uint32Array = new Uint32Array(0);
  /** See `packetStepsOf`. */
  #steps = new Int8Array(0);
  #isRead = false;
  #interfaces = new TextTable();
  /** Addresses as they are in the rows: only their bytes matter. */
  #addresses = new TextTable();
  #addressTexts: string[] = [];
  /** Places in `#sums`, by interface and peer. */
  #places: IntIndex[] = [];
  #sums: Sums[] = [];

  constructor(plan: ProjectionPlan) {
    const fields: (Fields | undefined)[] = plan.request.kinds.map(() => undefined);
    const of = (kind: string) => (field: string) => plan.field(kind, field);
    const [sent, transmitted, received] = [
      of('packet-sent'),
      of('packet-transmitted'),
      of('packet-received'),
    ];
    const common = (place: (field: string) => FieldPlace) => ({
      interface: place('device'),
      length: place('length'),
    });
    fields[plan.kind('packet-sent')] = { ...common(sent), peer: sent('destination') };
    fields[plan.kind('packet-transmitted')] = { ...common(transmitted), rc: transmitted('rc') };
    fields[plan.kind('packet-received')] = { ...common(received), peer: received('source') };
    this.#fields = fields;
    this.#isPacket = Uint8Array.from(fields, (own) => (own === undefined ? 0 : 1));
  }

  start({ chunk, domain, rows, packets, eventClasses }: EventBatch): void {
    this.#host = chunk.host;
    this.#firstRow = packets.firstRow;
    const { steps, isAny } = waysOf(eventClasses);
    this.#steps = steps;
    this.#isRead = domain === 'kernel' && isAny;
    this.#rows.open(rows);
  }

  read(packet: number): void {
    if (!this.#isRead) return;
    const { kind, eventClass } = this.#rows;
    const isPacket = this.#isPacket;
    const end = this.#firstRow[packet + 1];
    for (let row = this.#firstRow[packet]; row < end; row++) {
      if (isPacket[kind[row]] === 0) continue;
      const step = this.#steps[eventClass[row]];
      const fields = this.#fields[kind[row]];
      if (step !== 0 && fields !== undefined) this.#add(row, fields, step);
    }
  }

  finish(): NetworkChunk {
    const traffic = this.#sums.map(({ interface: name, peer, ...sums }) => ({
      host: this.#host,
      interface: this.#interfaces.texts[name],
      peer: peer === NO_PEER ? '' : this.#addressTexts[peer],
      ...sums,
    }));
    this.#rows.close();
    this.#interfaces = new TextTable();
    this.#addresses = new TextTable();
    this.#addressTexts = [];
    this.#places = [];
    this.#sums = [];
    // An interface has several entries if different bytes of its name read the same.
    return mergeTraffic(traffic);
  }

  #add(row: number, fields: Fields, step: number): void {
    const rows = this.#rows;
    if (!rows.has(row, fields.interface)) return;
    // The driver refused it, and will be asked again.
    if (fields.rc !== undefined && rows.has(row, fields.rc) && rows.int(row, fields.rc) !== 0) return;
    const { sent, received } = this.#sums[this.#placeOf(row, fields)];
    const sum = step > 0 ? sent : received;
    sum.packets++;
    if (rows.has(row, fields.length)) sum.bytes += rows.int(row, fields.length) >>> 0;
  }

  /** Place of the interface and peer of a row in `#sums`. */
  #placeOf(row: number, fields: Fields): number {
    const name = this.#rows.text(row, fields.interface, this.#interfaces);
    const peer = fields.peer === undefined ? NO_PEER : this.#peerOf(row, fields.peer);
    const places = (this.#places[name] ??= createIntIndex(FIRST_PEERS));
    const known = findInt(places, peer);
    if (known >= 0) return known;
    const none = () => ({ packets: 0, bytes: 0 });
    const place = this.#sums.push({ interface: name, peer, sent: none(), received: none() }) - 1;
    putInt(places, peer, place);
    return place;
  }

  /** Index of the address; NO_PEER: there is none. */
  #peerOf(row: number, place: FieldPlace): number {
    const { at, words, bytes } = this.#rows;
    const address = this.#rows.text(row, place, this.#addresses);
    if (address === this.#addressTexts.length) {
      const offset = words[at[row] + place.offset];
      const length = words[at[row] + place.offset + 1];
      this.#addressTexts.push(addressText(bytes.subarray(offset, offset + length)));
    }
    return address;
  }
}

const IPV4_BYTES = 4;
const IPV6_BYTES = 16;

/**
 * Internet address as text: IPv4 with dots, IPv6 by RFC 5952.
 * @param bytes in network order; if they are not as many as an address has: hexadecimal digits
 * @internal
 */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === IPV4_BYTES) return bytes.join('.');
  if (bytes.length !== IPV6_BYTES) return Array.from(bytes, (byte) => hex(byte).padStart(2, '0')).join('');
  const groups = Array.from({ length: IPV6_BYTES / 2 }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
  const { from, to } = longestZeros(groups);
  if (to - from < 2) return groups.map(hex).join(':');
  return `${groups.slice(0, from).map(hex).join(':')}::${groups.slice(to).map(hex).join(':')}`;
}

function hex(value: number): string {
  return value.toString(16);
}

/** The first of the longest runs of zeros: [from, to). */
function longestZeros(groups: readonly number[]): { readonly from: number; readonly to: number } {
  let longest = { from: 0, to: 0 };
  for (let from = 0, to = 0; to < groups.length; from = ++to) {
    while (to < groups.length && groups[to] === 0) to++;
    if (to - from > longest.to - longest.from) longest = { from, to };
  }
  return longest;
}
