/** Packets that pass a CPU, but for those with long addresses: `engine/linux/states/reduce/packet-rows.ts`. */
import { LOG_LENGTH } from '../../engine/base/tables';
import { CPU, HAS_KNOWN_PACKET, HAS_PACKET } from '../../engine/linux/states/reduce/cpu-table';
import {
  KEY_LONG_ADDRESSES,
  PACKET,
  PACKET_KEY_WORDS,
  PACKET_RECEIVED,
  PACKET_SENT,
} from '../../engine/linux/states/reduce/packet-rows';
import { PACKET_IS_QUEUED } from '../../engine/linux/states/map/transitions';
import { I32Column, U8Column } from '../columns';
import * as cpus from './cpus';
import { timeMovedTo } from './history';
import { noteSoftirqWait, takesSoftirq } from './softirqs';

/** Bytes of a packet's key. */
const KEY_BYTES: usize = PACKET_KEY_WORDS << 2;

/** Rows in use; signals have another one. */
let count: I32Column = changetype<I32Column>(0);
let capacity: i32 = 0;

/** Packets of the chunk result at hand: their kinds; keys by address. */
let kinds: U8Column = changetype<U8Column>(0);
let keys: usize = 0;

/** Directories of the packets' rows, and of how many there are. */
export function placePackets(rows: PACKET, length: LOG_LENGTH): void {
  PACKET.bind(rows);
  capacity = rows.capacity;
  count = length.length;
}

@inline
export function usePacketsOfChunk(kindColumn: U8Column, keyColumn: usize): void {
  kinds = kindColumn;
  keys = keyColumn;
}

/** @param index of the packet in its chunk result, -1: it cannot be distinguished from others, PACKET_IS_QUEUED */
export function addPacket(cpu: i32, index: i32, isSent: bool): bool {
  if (index < 0) {
    if (!isSent && index !== PACKET_IS_QUEUED) cpus.noteWork(cpu, HAS_PACKET);
    return true;
  }
  const row = count[0];
  const kind = kinds[index];
  if (row === capacity || (kind & KEY_LONG_ADDRESSES) !== 0 || !takesSoftirq()) return false;
  count[0] = row + 1;
  if (!isSent) {
    cpus.noteWork(cpu, HAS_PACKET | HAS_KNOWN_PACKET);
    noteSoftirqWait(cpu);
  }
  const isInInterrupt = CPU.depth[cpu] > 0;
  PACKET.time[row] = timeMovedTo();
  PACKET.direction[row] = isSent ? PACKET_SENT : PACKET_RECEIVED;
  PACKET.keyKind[row] = kind;
  PACKET.worker[row] = isInInterrupt ? -2 - CPU.number[cpu] : CPU.current[cpu];
  PACKET.frame[row] = isInInterrupt ? cpus.innermostSerial(cpu) : 0;
  const to = PACKET.key.at(row * PACKET_KEY_WORDS);
  const from = keys + <usize>index * KEY_BYTES;
  memory.copy(to, from, KEY_BYTES);
  return true;
}
