/** The packets of a host while they are read (`packet-rows.ts`), in the total order. */
import { type LogRows, TableLog, type TableMemory } from '../../../base/tables.ts';
import type { StateChunk } from '../map/transitions.ts';
import { innermostSerial } from './cpu-table.ts';
import type { CpuTable } from './cpu-table.ts';
import * as p from './packet-rows.ts';
import type { PacketRows } from './packet-rows.ts';

export class PacketLog {
  readonly log: TableLog<typeof p.PACKET>;
  readonly #addresses: string[] = [];
  readonly #indexOfAddress = new Map<string, number>();

  /** @param keep see `TableLog` */
  constructor(memory: TableMemory, keep?: (rows: LogRows) => void) {
    this.log = new TableLog(memory, p.PACKET, 2048, keep);
  }

  /**
   * Appends packet `index` of `leaf`, which passed `cpu` now: within an interrupt it is the CPU's interrupt worker's,
   * else the current thread's.
   * @param time HostNs
   * @param direction PACKET_*
   */
  add(time: number, direction: number, cpus: CpuTable, cpu: number, leaf: StateChunk, index: number): void {
    const row = this.log.add();
    const { rows: columns } = this.log;
    const { packets, texts } = leaf;
    columns.time[row] = time;
    columns.direction[row] = direction;
    columns.keyKind[row] = packets.kind[index];
    columns.worker[row] = cpus.depth[cpu] > 0 ? p.interruptWorker(cpus.number[cpu]) : cpus.current[cpu];
    columns.frame[row] = innermostSerial(cpus, cpu);
    const { key } = columns;
    const to = row * p.PACKET_KEY_WORDS;
    const from = index * p.PACKET_KEY_WORDS;
    for (let word = 0; word < p.PACKET_KEY_WORDS; word++) key[to + word] = packets.key[from + word];
    if ((packets.kind[index] & p.KEY_LONG_ADDRESSES) === 0) return;
    key[to + p.WORD_SOURCE] = this.#addressOf(texts[packets.key[from + p.WORD_SOURCE]]);
    key[to + p.WORD_DESTINATION] = this.#addressOf(texts[packets.key[from + p.WORD_DESTINATION]]);
  }

  /** The first `length` packets of those that are in the log, in buffers of their own. */
  rows(length: number): PacketRows {
    return { ...this.log.first(length), addresses: [...this.#addresses] };
  }

  /** All of these, when no more will come. */
  all(): PacketRows {
    return { ...this.log.all(), addresses: [...this.#addresses] };
  }

  #addressOf(text: string): number {
    const known = this.#indexOfAddress.get(text);
    if (known !== undefined) return known;
    const index = this.#addresses.push(text) - 1;
    this.#indexOfAddress.set(text, index);
    return index;
  }
}
