/** The clocks of every two hosts, from matched packets. Hosts are numbers; of a pair the smaller one is the first. */
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { PairClock } from './pair-clock.ts';
import type { ClockEdge } from './transform-graph.ts';

export class HostPairs {
  readonly #hosts: readonly PacketRows[];
  readonly #pairs = new Map<number, PairClock>();

  constructor(hosts: readonly PacketRows[]) {
    this.#hosts = hosts;
  }

  /** Takes the packet of row `sent` on one host and row `received` on the other. */
  add(sentHost: number, sent: number, receivedHost: number, received: number): void {
    if (sentHost === receivedHost) return;
    const sentTime = this.#hosts[sentHost].time[sent];
    const receivedTime = this.#hosts[receivedHost].time[received];
    const isFirst = sentHost < receivedHost;
    const pair = this.#make(Math.min(sentHost, receivedHost), Math.max(sentHost, receivedHost));
    if (isFirst) pair.add(sentTime, receivedTime, true);
    else pair.add(receivedTime, sentTime, false);
  }

  /** The clock of hosts a < b; undefined: no packets between them. */
  get(a: number, b: number): PairClock | undefined {
    return this.#pairs.get(a * this.#hosts.length + b);
  }

  /** Every pair with packets, in order. */
  list(): { readonly a: number; readonly b: number; readonly clock: PairClock }[] {
    const { length } = this.#hosts;
    return [...this.#pairs]
      .sort(([x], [y]) => x - y)
      .map(([key, clock]) => ({ a: Math.floor(key / length), b: key % length, clock }));
  }

  edges(): ClockEdge[] {
    return this.list().flatMap(({ a, b, clock }) => {
      const lines = clock.lines();
      return lines === undefined ? [] : [{ a, b, lines, uncertaintyNs: clock.uncertainty() }];
    });
  }

  /** Whether the clocks of all hosts with packets hang together, each drift known within `precision`. */
  isConnected(precision: number): boolean {
    const roots = new UnionFind(this.#hosts.length);
    for (const { a, b, clock } of this.list()) if (2 * clock.driftUncertainty < precision) roots.join(a, b);
    const found = this.#hosts.flatMap(({ length }, host) => (length > 0 ? [roots.find(host)] : []));
    return new Set(found).size <= 1;
  }

  /** Union of these pairs with those of `others` that are not among them. */
  or(others: HostPairs): HostPairs {
    const all = new HostPairs(this.#hosts);
    for (const [key, pair] of [...others.#pairs, ...this.#pairs]) all.#pairs.set(key, pair);
    return all;
  }

  settle(): void {
    for (const pair of this.#pairs.values()) pair.settle();
  }

  #make(a: number, b: number): PairClock {
    const key = a * this.#hosts.length + b;
    const known = this.#pairs.get(key) ?? new PairClock();
    this.#pairs.set(key, known);
    return known;
  }
}

/** Weighted quick-union with path halving (Sedgewick). */
class UnionFind {
  readonly #parent: Int32Array;
  readonly #size: Int32Array;

  constructor(length: number) {
    this.#parent = Int32Array.from({ length }, (_, i) => i);
    this.#size = new Int32Array(length).fill(1);
  }

  find(item: number): number {
    const parent = this.#parent;
    let root = item;
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]];
      root = parent[root];
    }
    return root;
  }

  join(a: number, b: number): void {
    const x = this.find(a);
    const y = this.find(b);
    if (x === y) return;
    const [small, large] = this.#size[x] < this.#size[y] ? [x, y] : [y, x];
    this.#parent[small] = large;
    this.#size[large] += this.#size[small];
  }
}
