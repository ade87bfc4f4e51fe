/** The packets of a host while they are read (`packet-rows.ts`), in the total order. */
import { trimmed, widen } from './columns.ts';
import type { Growing } from './columns.ts';
import { innermostSerial } from './cpu-table.ts';
import type { CpuTable } from './cpu-table.ts';
import * as p from './packet-rows.ts';
import type { PacketRows } from './packet-rows.ts';
import type { StateLeaf } from './transitions.ts';

type Columns = Growing<Omit<PacketRows, 'key' | 'addresses'>>;

export class PacketLog {
  #length = 0;
  #columns: Columns = {
    time: new Float64Array(0),
    direction: new Uint8Array(0),
    keyKind: new Uint8Array(0),
    worker: new Int32Array(0),
    frame: new Int32Array(0),
  };
  #key = { key: new Uint32Array(0) };
  readonly #addresses: string[] = [];
  readonly #indexOfAddress = new Map<string, number>();

  /**
   * Appends packet `index` of `leaf`, which passed `cpu` now: within an interrupt it is the CPU's interrupt worker's,
   * else the current thread's (spec 04 section 1).
   * @param time TimeNs
   * @param direction PACKET_*
   */
  add(time: number, direction: number, cpus: CpuTable, cpu: number, leaf: StateLeaf, index: number): void {
    const row = this.#length++;
    if (row === this.#columns.time.length) widen(this.#columns);
    const to = row * p.PACKET_KEY_WORDS;
    if (to === this.#key.key.length) widen(this.#key);
    const { packets, texts } = leaf;
    const { time: times, direction: directions, keyKind, worker, frame } = this.#columns;
    const { key } = this.#key;
    times[row] = time;
    directions[row] = direction;
    keyKind[row] = packets.kind[index];
    worker[row] = cpus.depth[cpu] > 0 ? p.interruptWorker(cpus.number[cpu]) : cpus.current[cpu];
    frame[row] = innermostSerial(cpus, cpu);
    const from = index * p.PACKET_KEY_WORDS;
    for (let word = 0; word < p.PACKET_KEY_WORDS; word++) key[to + word] = packets.key[from + word];
    if ((packets.kind[index] & p.KEY_LONG_ADDRESSES) === 0) return;
    key[to + p.WORD_SOURCE] = this.#addressOf(texts[packets.key[from + p.WORD_SOURCE]]);
    key[to + p.WORD_DESTINATION] = this.#addressOf(texts[packets.key[from + p.WORD_DESTINATION]]);
  }

  /** Nothing follows: gives back memory that only growing needed. */
  trim(): void {
    this.#columns = trimmed(this.#columns, this.#length);
    this.#key = { key: this.#key.key.slice(0, this.#length * p.PACKET_KEY_WORDS) };
  }

  /** The packets so far: views, which later ones do not change. */
  rows(): PacketRows {
    const length = this.#length;
    const { time, direction, keyKind, worker, frame } = this.#columns;
    return {
      length,
      time: time.subarray(0, length),
      direction: direction.subarray(0, length),
      keyKind: keyKind.subarray(0, length),
      worker: worker.subarray(0, length),
      frame: frame.subarray(0, length),
      key: this.#key.key.subarray(0, length * p.PACKET_KEY_WORDS),
      addresses: [...this.#addresses],
    };
  }

  #addressOf(text: string): number {
    const known = this.#indexOfAddress.get(text);
    if (known !== undefined) return known;
    const index = this.#addresses.push(text) - 1;
    this.#indexOfAddress.set(text, index);
    return index;
  }
}
