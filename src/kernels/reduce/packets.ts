/** Packets that pass a CPU, but for those with long addresses: `engine/kernel/reduce/packet-log.ts`. */
import { columnOf, i32At, setF64, setI32, setU8, u8At } from '../columns';
import * as cpus from './cpus';
import { timeMovedTo } from './history';

const SENT: i32 = 0;
const RECEIVED: i32 = 1;
const LONG_ADDRESSES: i32 = 4;
const PACKET_IS_QUEUED: i32 = -2;
/** Bytes of a packet's key. */
const KEY_BYTES: usize = 32;

let time: usize = 0;
let direction: usize = 0;
let keyKind: usize = 0;
let worker: usize = 0;
let frame: usize = 0;
let key: usize = 0;
/** i32: rows in use. */
let count: usize = 0;
let capacity: i32 = 0;

/** Of the leaf at hand. */
let kinds: usize = 0;
let keys: usize = 0;

/** Directories of the packets' rows, and of how many there are. */
export function placePackets(rows: usize, length: usize): void {
  time = columnOf(rows, 0);
  direction = columnOf(rows, 1);
  keyKind = columnOf(rows, 2);
  worker = columnOf(rows, 3);
  frame = columnOf(rows, 4);
  key = columnOf(rows, 5);
  capacity = i32At(rows, 6);
  count = columnOf(length, 0);
}

@inline
export function usePacketsOfLeaf(kindColumn: usize, keyColumn: usize): void {
  kinds = kindColumn;
  keys = keyColumn;
}

/** @param index of the packet in its leaf, -1: it cannot be told from others, PACKET_IS_QUEUED */
export function addPacket(cpu: i32, index: i32, isSent: bool): bool {
  if (index < 0) {
    if (!isSent && index !== PACKET_IS_QUEUED) cpus.noteWork(cpu, cpus.HAS_PACKET);
    return true;
  }
  const row = load<i32>(count);
  const kind = u8At(kinds, index);
  if (row === capacity || (kind & LONG_ADDRESSES) !== 0) return false;
  store<i32>(count, row + 1);
  if (!isSent) cpus.noteWork(cpu, cpus.HAS_PACKET | cpus.HAS_KNOWN_PACKET);
  const isInInterrupt = i32At(cpus.depth, cpu) > 0;
  setF64(time, row, timeMovedTo());
  setU8(direction, row, isSent ? SENT : RECEIVED);
  setU8(keyKind, row, kind);
  setI32(worker, row, isInInterrupt ? -2 - i32At(cpus.number, cpu) : i32At(cpus.current, cpu));
  setI32(frame, row, isInInterrupt ? cpus.innermostSerial(cpu) : 0);
  const to = key + <usize>row * KEY_BYTES;
  const from = keys + <usize>index * KEY_BYTES;
  for (let byte: usize = 0; byte < KEY_BYTES; byte += 8) store<u64>(to + byte, load<u64>(from + byte));
  return true;
}
