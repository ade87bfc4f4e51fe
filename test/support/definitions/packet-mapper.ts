/**
 * Rows about packets → what they are recognised by at their other end. Of each chunk its own columns, since a key is
 * wider than the arguments of a transition.
 */
import type { ProjectionPlan } from '../../../src/engine/analysis/contract.ts';
import type { EventClass } from '../../../src/engine/ctf/model.ts';
import { widened } from '../../../src/engine/base/columns.ts';
import { isReceivedLater } from '../../../src/engine/linux/events/kernel-events.ts';
import * as packetRows from '../../../src/engine/linux/states/reduce/packet-rows.ts';
import type { FieldPlace, RowReader } from '../../../src/engine/linux/events/row-reader.ts';
import {
  IPV4_BYTES,
  packetPlaces,
  type PacketPlaces,
} from '../../../src/engine/linux/states/map/state-rules.ts';
import { TextTable } from '../../../src/engine/linux/events/text-table.ts';
import { PACKET_IS_QUEUED, type PacketKeys } from '../../../src/engine/linux/states/map/transitions.ts';

const FIRST_CAPACITY = 256;

export class PacketMapper {
  readonly #places: readonly (PacketPlaces | undefined)[];
  readonly #rows: RowReader;
  #length = 0;
  #kind = new Uint8Array(0);
  #key = new Uint32Array(0);
  #isLater = new Uint8Array(0);
  #texts = new TextTable();

  /** @param rows where the rows of all chunks are read from */
  constructor(plan: ProjectionPlan, rows: RowReader) {
    this.#places = packetPlaces(plan);
    this.#rows = rows;
  }

  /** A new chunk begins; its long addresses go to `texts`. */
  start(eventClasses: readonly EventClass[], texts: TextTable): void {
    this.#key.fill(0, 0, this.#length * packetRows.PACKET_KEY_WORDS);
    this.#length = 0;
    this.#isLater = isReceivedLater(eventClasses);
    this.#texts = texts;
  }

  /** Index of the row's packet, -1 when nothing can recognise it, or PACKET_IS_QUEUED. */
  add(row: number): number {
    const rows = this.#rows;
    const places = this.#places[rows.kind[row]];
    if (places === undefined) return -1;
    if (this.#isLater[rows.eventClass[row]] === 1) return PACKET_IS_QUEUED;
    const isTcp = rows.has(row, places.seq);
    const isUdp = !isTcp && rows.has(row, places.udp_length);
    if (!isTcp && !isUdp && !(rows.has(row, places.buffer) && this.#isLoopback(row, places.device)))
      return -1;
    const packet = this.#length++;
    this.#reserve();
    const hasAddresses = rows.has(row, places.source) && rows.has(row, places.destination);
    if (hasAddresses) this.#writeAddresses(row, places, packet);
    const at = packet * packetRows.PACKET_KEY_WORDS;
    const key = this.#key;
    if (isTcp) {
      this.#kind[packet] |= hasAddresses ? packetRows.KEY_TCP : packetRows.KEY_TCP_SOCKET;
      key[at + packetRows.WORD_SEQUENCE] = rows.int(row, places.seq);
      key[at + packetRows.WORD_ACKNOWLEDGEMENT] = rows.int(row, places.ack_seq);
      key[at + packetRows.WORD_FLAGS] =
        (this.#number(row, places.data_offset) << 12) | this.#number(row, places.flags);
      key[at + packetRows.WORD_LENGTH] = this.#tcpBytes(row, places);
      key[at + packetRows.WORD_CHECK] = this.#number(row, places.tcp_check);
    } else if (!isUdp) this.#kind[packet] |= packetRows.KEY_BUFFER;
    else {
      this.#kind[packet] |= packetRows.KEY_UDP;
      key[at + packetRows.WORD_LENGTH] = this.#number(row, places.udp_length);
      key[at + packetRows.WORD_CHECK] = this.#number(row, places.udp_check);
    }
    key[at + packetRows.WORD_ID] = this.#number(row, places.identification);
    key[at + packetRows.WORD_BUFFER] = this.#digestOfWide(row, places.buffer);
    key[at + packetRows.WORD_DEVICE] = rows.has(row, places.device) ? this.#device(row, places.device) : 0;
    return packet;
  }

  /** What was added since the start, in buffers of its own. */
  columns(): PacketKeys {
    const length = this.#length;
    return {
      kind: this.#kind.slice(0, length),
      key: this.#key.slice(0, length * packetRows.PACKET_KEY_WORDS),
    };
  }

  #reserve(): void {
    const packet = this.#length - 1;
    if (packet >= this.#kind.length) {
      const capacity = Math.max(FIRST_CAPACITY, 2 * this.#kind.length);
      this.#kind = widened(this.#kind, capacity);
      this.#key = widened(this.#key, capacity * packetRows.PACKET_KEY_WORDS);
    }
    this.#kind[packet] = 0;
  }

  /** A field, 0 when it is not there. */
  #number(row: number, place: FieldPlace): number {
    return Math.max(0, this.#rows.int(row, place));
  }

  #digestOfWide(row: number, place: FieldPlace): number {
    const { words, at } = this.#rows;
    if (!this.#rows.has(row, place)) return 0;
    return words[at[row] + place.offset] ^ Math.imul(words[at[row] + place.offset + 1], 0x9e3779b1);
  }

  #isLoopback(row: number, place: FieldPlace): boolean {
    const { words, at, bytes } = this.#rows;
    if (!this.#rows.has(row, place)) return false;
    const [from, length] = words.subarray(at[row] + place.offset, at[row] + place.offset + 2);
    return length === 2 && bytes[from] === 0x6c && bytes[from + 1] === 0x6f;
  }

  #device(row: number, place: FieldPlace): number {
    const { words, at, bytes } = this.#rows;
    const from = words[at[row] + place.offset];
    let digest = 0x811c9dc5;
    for (const byte of bytes.subarray(from, from + words[at[row] + place.offset + 1]))
      digest = Math.imul(digest ^ byte, 0x01000193);
    return digest;
  }

  #writeAddresses(row: number, places: PacketPlaces, packet: number): void {
    const at = packet * packetRows.PACKET_KEY_WORDS;
    const { words, at: rowAt } = this.#rows;
    const isLong = words[rowAt[row] + places.source.offset + 1] !== IPV4_BYTES;
    if (isLong) this.#kind[packet] |= packetRows.KEY_LONG_ADDRESSES;
    this.#key[at + packetRows.WORD_SOURCE] = this.#address(row, places.source, isLong);
    this.#key[at + packetRows.WORD_DESTINATION] = this.#address(row, places.destination, isLong);
    this.#key[at + packetRows.WORD_PORTS] =
      (this.#number(row, places.source_port) << 16) | this.#number(row, places.destination_port);
  }

  #address(row: number, place: FieldPlace, isLong: boolean): number {
    const { words, at, bytes } = this.#rows;
    const from = words[at[row] + place.offset];
    const address = bytes.subarray(from, from + words[at[row] + place.offset + 1]);
    if (isLong) return this.#texts.ofText(textOfAddress(address));
    return (address[0] << 24) | (address[1] << 16) | (address[2] << 8) | address[3];
  }

  /** Headers that are not recorded (IPv6 extensions) count as payload. */
  #tcpBytes(row: number, places: PacketPlaces): number {
    const rows = this.#rows;
    const inIpv4 = rows.int(row, places.total_length) - 4 * rows.int(row, places.header_words);
    const bytes = rows.has(row, places.total_length) ? inIpv4 : this.#number(row, places.payload_length);
    return Math.max(0, bytes - 4 * this.#number(row, places.data_offset));
  }
}

function textOfAddress(address: Uint8Array): string {
  const pairs: string[] = [];
  for (let i = 0; i + 1 < address.length; i += 2)
    pairs.push(((address[i] << 8) | address[i + 1]).toString(16));
  return pairs.join(':');
}
