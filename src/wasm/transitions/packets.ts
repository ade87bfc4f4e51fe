/** Keys by which packets are recognised (`engine/linux/states/reduce/packet-rows.ts`). */
import {
  KEY_BUFFER,
  KEY_LONG_ADDRESSES,
  KEY_TCP,
  KEY_TCP_SOCKET,
  KEY_UDP,
  PACKET_KEY_WORDS,
  WORD_ACKNOWLEDGEMENT,
  WORD_BUFFER,
  WORD_CHECK,
  WORD_DESTINATION,
  WORD_DEVICE,
  WORD_FLAGS,
  WORD_ID,
  WORD_LENGTH,
  WORD_PORTS,
  WORD_SEQUENCE,
  WORD_SOURCE,
} from '../../engine/linux/states/reduce/packet-rows';
import { IPV4_BYTES, PACKET_FIELDS, PACKETS } from '../../engine/linux/states/map/state-rules';
import { PACKET_IS_QUEUED } from '../../engine/linux/states/map/transitions';
import { I32Column, U8Column } from '../columns';
import { classOf, digestOfWide, hasField, intOf, kindOf, textAddress, textLength } from '../rows';
import { textAt, textCount } from '../texts';

/** Length of two bytes of an address as text: four digits and their separator. */
const PAIR_TEXT: usize = 5;
/** Bytes behind a text that can be read. */
const SPARE: usize = 8;

/** Packets of the chunk, in their table. */
export let packets: i32 = 0;

/** Place of each field, by kind and field (PACKET_FIELDS). */
let fields: I32Column = changetype<I32Column>(0);
/** Flag of each event class: 1 where other events say the same (`isReceivedLater`). */
let later: U8Column = changetype<U8Column>(0);
/** Room for the texts of addresses. */
let free: usize = 0;
let end: usize = 0;
/** There was no room for the text of an address. */
export let addressesAreFull: bool = false;

/** Begins without any. @param table directory of the packets' */
export function openPackets(
  table: PACKETS,
  fieldTable: I32Column,
  laterClasses: U8Column,
  addresses: usize,
  addressesEnd: usize,
): void {
  PACKETS.bind(table);
  packets = 0;
  fields = fieldTable;
  later = laterClasses;
  free = addresses;
  end = addressesEnd;
  addressesAreFull = false;
}

// The row at hand.
let words: usize = 0;
/** Index in `fields` of the first field of its kind. */
let firstField: i32 = 0;
/** Key by which its packet is recognised. */
let key: I32Column = changetype<I32Column>(0);

@inline
function place(field: i32): i32 {
  return fields[firstField + field];
}

@inline
function has(field: i32): bool {
  return hasField(words, place(field));
}

/** A field, 0 when it is not there. */
@inline
function number(field: i32): i32 {
  return max(0, intOf(words, place(field)));
}

/** Index of the packet that a row is about, -1: nothing can recognise it, PACKET_IS_QUEUED: it is not received yet. */
export function packetOf(row: i32, rowWords: usize, textBase: usize): i32 {
  words = rowWords;
  firstField = kindOf(row) * PACKET_FIELDS.length;
  if (later[classOf(row)] === 1) return PACKET_IS_QUEUED;
  const isTcp = has(PACKET_FIELDS.seq);
  const isUdp = !isTcp && has(PACKET_FIELDS.udp_length);
  if (!isTcp && !isUdp && !(has(PACKET_FIELDS.buffer) && isLoopback(textBase))) return -1;
  const packet = packets++;
  key = changetype<I32Column>(PACKETS.key.at(packet * PACKET_KEY_WORDS));
  memory.fill(key.at(0), 0, PACKET_KEY_WORDS << 2);
  const hasAddresses = has(PACKET_FIELDS.source) && has(PACKET_FIELDS.destination);
  const long = hasAddresses ? writeAddresses(textBase) : 0;
  PACKETS.kind[packet] = long | (isUdp ? KEY_UDP : !isTcp ? KEY_BUFFER : hasAddresses ? KEY_TCP : KEY_TCP_SOCKET);
  if (isTcp) writeTcp();
  else if (isUdp) {
    key[WORD_LENGTH] = number(PACKET_FIELDS.udp_length);
    key[WORD_CHECK] = number(PACKET_FIELDS.udp_check);
  }
  key[WORD_ID] = number(PACKET_FIELDS.identification);
  key[WORD_BUFFER] = digestOfWide(words, place(PACKET_FIELDS.buffer));
  key[WORD_DEVICE] = has(PACKET_FIELDS.device) ? deviceOf(textBase) : 0;
  return packet;
}

/** Whether the device is the one by which a machine sends to itself. */
function isLoopback(textBase: usize): bool {
  if (!has(PACKET_FIELDS.device) || textLength(words, place(PACKET_FIELDS.device)) !== 2) return false;
  const address = textAddress(words, place(PACKET_FIELDS.device), textBase);
  return byteAt(address, 0) === 0x6c && byteAt(address, 1) === 0x6f;
}

/** Digest of the device's name (FNV-1a). */
function deviceOf(textBase: usize): i32 {
  const address = textAddress(words, place(PACKET_FIELDS.device), textBase);
  const length = textLength(words, place(PACKET_FIELDS.device));
  let digest: i32 = 0x811c9dc5;
  for (let i = 0; i < length; i++) digest = (digest ^ byteAt(address, i)) * 0x01000193;
  return digest;
}

function writeTcp(): void {
  key[WORD_SEQUENCE] = intOf(words, place(PACKET_FIELDS.seq));
  key[WORD_ACKNOWLEDGEMENT] = intOf(words, place(PACKET_FIELDS.ack_seq));
  key[WORD_FLAGS] = (number(PACKET_FIELDS.data_offset) << 12) | number(PACKET_FIELDS.flags);
  key[WORD_LENGTH] = tcpBytes();
  key[WORD_CHECK] = number(PACKET_FIELDS.tcp_check);
}

/** Headers that are not recorded (IPv6 extensions) count as payload. */
function tcpBytes(): i32 {
  const bytes: i64 = has(PACKET_FIELDS.total_length)
    ? <i64>intOf(words, place(PACKET_FIELDS.total_length)) - 4 * <i64>intOf(words, place(PACKET_FIELDS.header_words))
    : <i64>number(PACKET_FIELDS.payload_length);
  return <i32>max<i64>(0, bytes - 4 * <i64>number(PACKET_FIELDS.data_offset));
}

/** The kind of addresses that they are. */
function writeAddresses(textBase: usize): i32 {
  const isLong = textLength(words, place(PACKET_FIELDS.source)) !== IPV4_BYTES;
  key[WORD_SOURCE] = addressOf(PACKET_FIELDS.source, isLong, textBase);
  key[WORD_DESTINATION] = addressOf(PACKET_FIELDS.destination, isLong, textBase);
  key[WORD_PORTS] = (number(PACKET_FIELDS.source_port) << 16) | number(PACKET_FIELDS.destination_port);
  return isLong ? KEY_LONG_ADDRESSES : 0;
}

function addressOf(field: i32, isLong: bool, textBase: usize): i32 {
  const address = textAddress(words, place(field), textBase);
  const length = textLength(words, place(field));
  if (isLong) return textOfAddress(address, length);
  let value = 0;
  for (let i = 0; i < IPV4_BYTES; i++) value = (value << 8) | (i < length ? byteAt(address, i) : 0);
  return value;
}

/** Index of an address as text: hexadecimal, two bytes at a time. */
function textOfAddress(address: usize, length: i32): i32 {
  const pairs = length >> 1;
  if (free + <usize>pairs * PAIR_TEXT + SPARE > end) {
    addressesAreFull = true;
    return -1;
  }
  let to = free;
  for (let i = 0; i < pairs; i++) {
    if (i > 0) store<u8>(to++, 0x3a);
    to = writeHex(to, (byteAt(address, 2 * i) << 8) | byteAt(address, 2 * i + 1));
  }
  const known = textCount();
  const text = textAt(free, <u32>(to - free));
  if (text === known) free = to;
  return text;
}

@inline
function byteAt(address: usize, index: i32): i32 {
  return load<u8>(address + <usize>index);
}

/** Without zeros before it; gives where it ends. */
function writeHex(to: usize, value: i32): usize {
  let shift = 12;
  while (shift > 0 && value >>> shift === 0) shift -= 4;
  for (; shift >= 0; shift -= 4) {
    const digit = (value >>> shift) & 15;
    store<u8>(to++, digit < 10 ? 0x30 + digit : 0x57 + digit);
  }
  return to;
}
