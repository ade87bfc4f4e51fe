/**
 * Network packets as the kernel of one host saw them, in total order: who sent or received what, when, and in which
 * interrupt. `sync` matches them, `graph` follows them. Times are HostNs.
 */

import {
  f64,
  i32,
  noRows,
  type ReadRows,
  u32,
  u8,
  type LogRows,
  TableLog,
  type TableMemory,
} from '../../../base/tables.ts';
import { TextList } from '../../../base/text-list.ts';
import type { StateChunk } from '../map/transitions.ts';
import { innermostSerial, type CpuTable } from './cpu-table.ts';

/**
 * A worker of the execution graph within its host: the row of a thread (`ThreadRows`), or the interrupt worker of a
 * CPU as -2 - CPU; -1: not known.
 */
export type WorkerId = number;

/** The interrupt worker of a CPU. @internal */
export function interruptWorker(cpu: number): WorkerId {
  return -2 - cpu;
}

/** CPU of an interrupt worker. */
export function cpuOfWorker(worker: WorkerId): number {
  return -2 - worker;
}

export const PACKET_SENT = 0;
export const PACKET_RECEIVED = 1;

/**
 * Keys by which a packet is recognised at its other end: TCP by addresses, ports and numbers, TCP by its numbers
 * alone, which is all that socket events tell, or UDP. Or by its buffer, if it never leaves the machine and its
 * headers are not recorded, as in perf and ftrace.
 */
export const KEY_TCP = 0;
export const KEY_TCP_SOCKET = 1;
export const KEY_UDP = 2;
export const KEY_BUFFER = 3;
/** Added to the kind if addresses are indices of `PacketRows.addresses`. */
export const KEY_LONG_ADDRESSES = 4;
export const KEY_PROTOCOL = 3;

/** Words of a packet's key, in their order. Unused ones are 0. */
export const WORD_SOURCE = 0;
export const WORD_DESTINATION = 1;
/** Ports, the source's in the upper half. */
export const WORD_PORTS = 2;
export const WORD_SEQUENCE = 3;
export const WORD_ACKNOWLEDGEMENT = 4;
/** Data offset (4 bits), reserved, flags, as in the header if the trace has it. */
export const WORD_FLAGS = 5;
/** Bytes of payload. */
export const WORD_LENGTH = 6;
export const WORD_CHECK = 7;
/** Identification of an IPv4 packet; 0: not recorded, or none. */
export const WORD_ID = 8;
/** Digests of the address of its buffer (skb) and of the name of its device; 0 if not recorded. */
export const WORD_BUFFER = 9;
export const WORD_DEVICE = 10;
export const PACKET_KEY_WORDS = 11;

export const PACKET = {
  time: f64(),
  /** PACKET_*. */
  direction: u8(),
  /** KEY_*, with KEY_LONG_ADDRESSES or not. */
  keyKind: u8(),
  worker: i32(),
  /** Serial number of the innermost interrupt, like that of its wake-ups (`SIGNAL.frame`); 0 outside of any. */
  frame: i32(),
  /** WORD_*. An address is an IPv4 address, or the index in `addresses` of another one. */
  key: u32(0, PACKET_KEY_WORDS),
};

export interface PacketRows extends ReadRows<typeof PACKET> {
  /** Addresses other than IPv4, as text: hexadecimal, two bytes at a time. */
  readonly addresses: readonly string[];
}

export const NO_PACKETS: PacketRows = { length: 0, ...noRows(PACKET), addresses: [] };

/**
 * Packets of a host, and the sending of each received one: the part of synchronisation that the execution graph
 * needs. For loopback traffic the host itself is the sender.
 */
export interface MatchedPackets {
  readonly packets: PacketRows;
  /** Number of the sending host in the graph, and the row there, by row of `packets`; -1: not matched, or not received. */
  readonly senderHost: Int32Array;
  readonly senderRow: Int32Array;
  /** Row of the last sending of the previous copy, for a retransmission; -1: none. */
  readonly copyBefore: Int32Array;
}

/** Packets of a host while they are read (`packet-rows.ts`), in total order. */
export class PacketLog {
  readonly log: TableLog<typeof PACKET>;
  readonly #addresses = new TextList();

  /** @param keep see `TableLog` */
  constructor(memory: TableMemory, keep?: (rows: LogRows) => void) {
    this.log = new TableLog(memory, PACKET, 2048, keep);
  }

  /**
   * Appends packet `index` of `chunkResult`, which passed `cpu` now: within an interrupt it belongs to the CPU's
   * interrupt worker, else to the current thread.
   * @param time HostNs
   * @param direction PACKET_*
   */
  add(
    time: number,
    direction: number,
    cpus: CpuTable,
    cpu: number,
    chunkResult: StateChunk,
    index: number,
  ): void {
    const row = this.log.add();
    const { rows: columns } = this.log;
    const { packets, texts } = chunkResult;
    columns.time[row] = time;
    columns.direction[row] = direction;
    columns.keyKind[row] = packets.kind[index];
    columns.worker[row] = cpus.depth[cpu] > 0 ? interruptWorker(cpus.number[cpu]) : cpus.current[cpu];
    columns.frame[row] = innermostSerial(cpus, cpu);
    const { key } = columns;
    const to = row * PACKET_KEY_WORDS;
    const from = index * PACKET_KEY_WORDS;
    for (let word = 0; word < PACKET_KEY_WORDS; word++) key[to + word] = packets.key[from + word];
    if ((packets.kind[index] & KEY_LONG_ADDRESSES) === 0) return;
    key[to + WORD_SOURCE] = this.#addresses.indexOf(texts[packets.key[from + WORD_SOURCE]]);
    key[to + WORD_DESTINATION] = this.#addresses.indexOf(texts[packets.key[from + WORD_DESTINATION]]);
  }

  /** Copies the first `length` packets of the log. */
  rows(length: number): PacketRows {
    return { ...this.log.first(length), addresses: [...this.#addresses.list] };
  }

  /** Takes all packets, once no more will come. */
  all(): PacketRows {
    return { ...this.log.all(), addresses: [...this.#addresses.list] };
  }
}
