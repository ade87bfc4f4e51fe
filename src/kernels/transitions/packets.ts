/** What packets are recognised by: `PacketMapper` of `engine/kernel/transitions/packet-map.ts`. */
import { columnOf, setI32, setU8, u8At } from '../columns';
import { classOf, hasField, intOf, meaningOf, textAddress, textLength } from '../rows';
import { textAt, textCount } from '../texts';

/** Numbers of `engine/kernel/reduce/packet-rows.ts`. */
const KEY_TCP: i32 = 0;
const KEY_TCP_SOCKET: i32 = 1;
const KEY_UDP: i32 = 2;
const KEY_LONG_ADDRESSES: i32 = 4;
const WORD_SOURCE: i32 = 0;
const WORD_DESTINATION: i32 = 1;
const WORD_PORTS: i32 = 2;
const WORD_SEQUENCE: i32 = 3;
const WORD_ACKNOWLEDGEMENT: i32 = 4;
const WORD_FLAGS: i32 = 5;
const WORD_LENGTH: i32 = 6;
const WORD_CHECK: i32 = 7;
const KEY_WORDS: i32 = 8;

/** Number of `engine/kernel/transitions/transitions.ts`. */
const PACKET_IS_QUEUED: i32 = -2;

/** Order of the fields of a meaning (`PACKET_FIELDS`). */
const SOURCE: i32 = 0;
const DESTINATION: i32 = 1;
const SOURCE_PORT: i32 = 2;
const DESTINATION_PORT: i32 = 3;
const TOTAL_LENGTH: i32 = 4;
const HEADER_WORDS: i32 = 5;
const PAYLOAD_LENGTH: i32 = 6;
const SEQ: i32 = 7;
const ACK_SEQ: i32 = 8;
const DATA_OFFSET: i32 = 9;
const FLAGS: i32 = 10;
const TCP_CHECK: i32 = 11;
const UDP_LENGTH: i32 = 12;
const UDP_CHECK: i32 = 13;
const FIELDS: i32 = 14;

const IPV4_BYTES: i32 = 4;
/** Of two bytes of an address as text: four digits and what divides them. */
const PAIR_TEXT: usize = 5;
/** That much behind a text can be read. */
const SPARE: usize = 8;

// Columns of the packets; there are as many rows.
let kinds: usize = 0;
let keys: usize = 0;
export let packets: i32 = 0;

/** i32 by meaning and field: its place. */
let fields: usize = 0;
/** u8 by event class: 1 where other events tell the same (`isReceivedLater`). */
let later: usize = 0;
/** Room for the texts of addresses. */
let free: usize = 0;
let end: usize = 0;
let isFull: bool = false;

/** Begins without any. @param table directory of the packets' */
export function openPackets(
  table: usize,
  fieldTable: usize,
  laterClasses: usize,
  addresses: usize,
  addressesEnd: usize,
): void {
  kinds = columnOf(table, 0);
  keys = columnOf(table, 1);
  packets = 0;
  fields = fieldTable;
  later = laterClasses;
  free = addresses;
  end = addressesEnd;
  isFull = false;
}

/** Whether there was no room for the text of an address. */
export function addressesAreFull(): bool {
  return isFull;
}

// The row at hand.
let words: usize = 0;
let places: usize = 0;

@inline
function place(field: i32): i32 {
  return load<i32>(places + (<usize>field << 2));
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
  places = fields + (<usize>(meaningOf(row) * FIELDS) << 2);
  if (u8At(later, classOf(row)) === 1) return PACKET_IS_QUEUED;
  const isTcp = has(SEQ);
  if (!isTcp && !has(UDP_LENGTH)) return -1;
  const packet = packets++;
  const key = keys + (<usize>(packet * KEY_WORDS) << 2);
  memory.fill(key, 0, KEY_WORDS << 2);
  const hasAddresses = has(SOURCE) && has(DESTINATION);
  const long = hasAddresses ? writeAddresses(key, textBase) : 0;
  setU8(kinds, packet, long | (!isTcp ? KEY_UDP : hasAddresses ? KEY_TCP : KEY_TCP_SOCKET));
  if (isTcp) writeTcp(key);
  else {
    setI32(key, WORD_LENGTH, number(UDP_LENGTH));
    setI32(key, WORD_CHECK, number(UDP_CHECK));
  }
  return packet;
}

function writeTcp(key: usize): void {
  setI32(key, WORD_SEQUENCE, intOf(words, place(SEQ)));
  setI32(key, WORD_ACKNOWLEDGEMENT, intOf(words, place(ACK_SEQ)));
  setI32(key, WORD_FLAGS, (number(DATA_OFFSET) << 12) | number(FLAGS));
  setI32(key, WORD_LENGTH, tcpBytes());
  setI32(key, WORD_CHECK, number(TCP_CHECK));
}

/** Headers that are not recorded (IPv6 extensions) count as payload. */
function tcpBytes(): i32 {
  const bytes: i64 = has(TOTAL_LENGTH)
    ? <i64>intOf(words, place(TOTAL_LENGTH)) - 4 * <i64>intOf(words, place(HEADER_WORDS))
    : <i64>number(PAYLOAD_LENGTH);
  return <i32>max<i64>(0, bytes - 4 * <i64>number(DATA_OFFSET));
}

/** The kind of addresses that they are. */
function writeAddresses(key: usize, textBase: usize): i32 {
  const isLong = textLength(words, place(SOURCE)) !== IPV4_BYTES;
  setI32(key, WORD_SOURCE, addressOf(SOURCE, isLong, textBase));
  setI32(key, WORD_DESTINATION, addressOf(DESTINATION, isLong, textBase));
  setI32(key, WORD_PORTS, (number(SOURCE_PORT) << 16) | number(DESTINATION_PORT));
  return isLong ? KEY_LONG_ADDRESSES : 0;
}

function addressOf(field: i32, isLong: bool, textBase: usize): i32 {
  const address = textAddress(words, place(field), textBase);
  const length = textLength(words, place(field));
  if (isLong) return textOfAddress(address, length);
  let value = 0;
  for (let i = 0; i < IPV4_BYTES; i++) value = (value << 8) | (i < length ? u8At(address, i) : 0);
  return value;
}

/** Index of an address as text: hexadecimal, two bytes at a time. */
function textOfAddress(address: usize, length: i32): i32 {
  const pairs = length >> 1;
  if (free + <usize>pairs * PAIR_TEXT + SPARE > end) {
    isFull = true;
    return -1;
  }
  let to = free;
  for (let i = 0; i < pairs; i++) {
    if (i > 0) store<u8>(to++, 0x3a);
    to = writeHex(to, (u8At(address, 2 * i) << 8) | u8At(address, 2 * i + 1));
  }
  const known = textCount();
  const text = textAt(free, <u32>(to - free));
  if (text === known) free = to;
  return text;
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
