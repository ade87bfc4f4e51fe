/** The packets of all hosts, one after the other, about in the order of a common time. */
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from './clock-transform.ts';
import type { ClockLines } from './clock-transform.ts';

export class PacketOrder {
  readonly #hosts: readonly PacketRows[];
  #clocks: readonly ClockLines[];
  readonly #next: Int32Array;
  /** Common time of the next packet of each host; Infinity: none. */
  readonly #times: Float64Array;
  /** The packet that `step` went to. */
  host = -1;
  row = -1;
  time = -Infinity;

  /** @param clocks from the times of each host to the common time; equal times go by host */
  constructor(hosts: readonly PacketRows[], clocks: readonly ClockLines[]) {
    this.#hosts = hosts;
    this.#clocks = clocks;
    this.#next = new Int32Array(hosts.length);
    this.#times = new Float64Array(hosts.length);
    hosts.forEach((_, host) => this.#look(host));
  }

  /** The clocks are known better now. */
  set clocks(clocks: readonly ClockLines[]) {
    this.#clocks = clocks;
    this.#hosts.forEach((_, host) => this.#look(host));
  }

  /** Common time of a packet. */
  timeOf(host: number, row: number): number {
    const lines = this.#clocks[host];
    const time = this.#hosts[host].time[row];
    return valueAt(lines.length === 1 ? lines[0] : lineAt(lines, time), time);
  }

  /** Goes to the next packet; false: there is none. */
  step(): boolean {
    const times = this.#times;
    let host = 0;
    for (let other = 1; other < times.length; other++) if (times[other] < times[host]) host = other;
    if (times.length === 0 || times[host] === Infinity) return false;
    this.host = host;
    this.row = this.#next[host]++;
    this.time = times[host];
    this.#look(host);
    return true;
  }

  #look(host: number): void {
    const row = this.#next[host];
    this.#times[host] = row < this.#hosts[host].length ? this.timeOf(host, row) : Infinity;
  }
}
