/**
 * Synchronisation of hosts by their packets (Giraldeau 2015, section 5.4.6), in two steps: a coarse one over as much of
 * the packets as it takes to connect the hosts' clocks, beginning where their traces begin; then one over all packets
 * in the order that it gave, in which packets without another end can be forgotten soon.
 */
import { compare } from '../base/compare.ts';
import { type PacketRows, PACKET_SENT } from '../linux/states/reduce/packet-rows.ts';
import { shiftedBy, lineAt, valueAt, type ClockLines } from './clock-transform.ts';
import { HostPairs } from './pair-clock.ts';
import type { OpenCopies } from './packet-copies.ts';
import { PacketKeys } from './packet-keys.ts';
import { PacketMatcher, type MatchListener } from './packet-matcher.ts';
import { MARK_AMBIGUOUS, MARK_WEAK, noMatches, type PacketMatches } from './packet-matches.ts';
import { pairSync, type PairSync } from './pair-sync.ts';
import { islandsOf, referenceOf, waysTo, type ClockEdge } from './transform-graph.ts';
import { chooseCopies, matchTranslated } from './late-matches.ts';

export interface SyncHost {
  readonly name: string;
  readonly packets: PacketRows;
  /** HostNs of its first event. */
  readonly start: number;
}

/** Plain data, which can be stored: nothing in it depends on where a host's clock has its zero. */
export interface Synchronisation {
  /** Every two hosts of which both have packets, by name; hosts are indices of those given. */
  readonly pairs: readonly PairSync[];
  readonly matches: readonly PacketMatches[];
}

export interface SyncOptions {
  /** Whether packets without another end are forgotten; default true. */
  readonly expires?: boolean;
}

/** The coarse step ends when the drifts of connected clocks are known as well as this. */
const COARSE_PRECISION = 0.01;
/** Packets between two looks at the clocks. */
const STEP_PACKETS = 1024;
/** More such packets came too late than clocks that run on can explain: one was set. */
const MOST_LATE = 8;

export function synchronise(
  given: readonly SyncHost[],
  { expires = true }: SyncOptions = {},
): Synchronisation {
  // By name, so that the order in which hosts were opened changes nothing.
  const order = given.map((_, i) => i).sort((a, b) => compare(given[a].name, given[b].name) || a - b);
  const run = new SyncRun(order.map((i) => given[i]));
  const coarse = run.coarse(expires);
  let result = coarse.isWhole ? coarse : run.fine(coarse.pairs, true);
  if (result !== coarse && result.late > MOST_LATE) result = run.fine(coarse.pairs, false);
  result = run.finish(result);
  const pairs = pairSync(
    order.map((i) => given[i].packets),
    result.keys,
    result.matches,
    result.pairs,
  );
  const back = (host: number): number => order[host];
  const matches: PacketMatches[] = [];
  order.forEach((host, i) => {
    const { peer, marks, peerHost } = result.matches[i];
    matches[host] = { peer, marks, peerHost: peerHost.map((other) => (other < 0 ? -1 : back(other))) };
  });
  return {
    pairs: pairs.map((pair) => ({ ...pair, a: back(pair.a), b: back(pair.b) })),
    matches,
  };
}

interface RunResult {
  readonly keys: PacketKeys;
  readonly pairs: HostPairs;
  readonly matches: readonly PacketMatches[];
  readonly open: readonly OpenCopies[];
  readonly late: number;
}

/** The steps over hosts in order of name. */
class SyncRun {
  readonly #packets: readonly PacketRows[];
  readonly #keys: PacketKeys;
  /** Lines by which the hosts' times begin together. */
  readonly #aligned: readonly ClockLines[];

  constructor(hosts: readonly SyncHost[]) {
    this.#packets = hosts.map(({ packets }) => packets);
    this.#keys = new PacketKeys(this.#packets);
    this.#aligned = hosts.map(({ start }) => shiftedBy(-start));
  }

  /** Matches until the hosts are connected, or over everything; nothing is forgotten. */
  coarse(mayStop: boolean): RunResult & { readonly isWhole: boolean } {
    const first = new HostPairs(this.#packets);
    const target = this.#target();
    const matcher = new PacketMatcher(this.#keys, target.matches, {
      onMatch: (sentHost, sent, receivedHost, received) => first.add(sentHost, sent, receivedHost, received),
      onDecided: target.onDecided,
    });
    const order = new PacketOrder(this.#packets, this.#aligned);
    let isWhole = false;
    for (let n = 1; !isWhole; n++) {
      if (order.step()) matcher.add(order.host, order.row, isSent(this.#packets, order), order.time);
      else isWhole = true;
      if (mayStop && n % STEP_PACKETS === 0 && first.isConnected(COARSE_PRECISION)) break;
    }
    if (isWhole) matcher.finish();
    return { ...target.result(matcher), pairs: isWhole ? target.pairs() : first, isWhole };
  }

  /** All packets in the order of clocks as they are known so far. */
  fine(coarse: HostPairs, forgets: boolean): RunResult {
    const target = this.#target();
    const delays = new DelayStatistics();
    const order = new PacketOrder(this.#packets, this.#clocksBy(coarse.edges()));
    const matcher = new PacketMatcher(this.#keys, target.matches, {
      onDecided: (sentHost, sent, receivedHost, received) => {
        target.onDecided(sentHost, sent, receivedHost, received);
        if (sentHost === receivedHost) return;
        delays.add(order.timeOf(receivedHost, received) - order.timeOf(sentHost, sent));
      },
    });
    for (let n = 1; order.step(); n++) {
      matcher.add(order.host, order.row, isSent(this.#packets, order), order.time);
      if (!forgets || n % STEP_PACKETS !== 0) continue;
      const edges = this.#best(coarse, target.strong);
      order.clocks = this.#clocksBy(edges);
      const spread = edges.reduce((sum, { uncertaintyNs }) => sum + 2 * uncertaintyNs, 0);
      const age = delays.horizonNs + (spread < Infinity ? spread : 0);
      matcher.expire(order.time - age, age);
    }
    matcher.finish();
    return { ...target.result(matcher), pairs: target.pairs() };
  }

  /** Adds what only all packets and their clocks can tell: translated addresses, and which of several copies arrived. */
  finish(run: RunResult): RunResult {
    const translated = new HostPairs(this.#packets);
    for (const [sent, received] of matchTranslated(this.#packets, run.keys, run.matches))
      translated.add(sent.host, sent.row, received.host, received.row);
    const pairs = run.pairs.or(translated);
    pairs.settle();
    const edges = pairs.edges();
    const order = new PacketOrder(this.#packets, this.#clocksBy(edges));
    const islands = islandsOf(this.#packets.length, edges);
    chooseCopies(run.open, run.matches, run.keys, {
      timeOf: (host, row) => order.timeOf(host, row),
      areJoined: (a, b) => islands.some((island) => island.includes(a) && island.includes(b)),
    });
    return { ...run, pairs };
  }

  /** Edges between hosts by packets that are decided, and by the coarse step where that is not enough. */
  #best(coarse: HostPairs, fine: HostPairs): readonly ClockEdge[] {
    const known = fine
      .edges()
      .filter(({ a, b }) => (fine.get(a, b)?.driftUncertainty ?? 1) < COARSE_PRECISION);
    const isKnown = (edge: ClockEdge) => known.some(({ a, b }) => a === edge.a && b === edge.b);
    return [...known, ...coarse.edges().filter((edge) => !isKnown(edge))];
  }

  /** Lines of each host to the common time of its island. */
  #clocksBy(edges: readonly ClockEdge[]): readonly ClockLines[] {
    const { length } = this.#packets;
    const clocks = [...this.#aligned];
    for (const island of islandsOf(length, edges)) {
      const end = referenceOf(island, length, edges);
      const ways = waysTo([end], length, edges);
      const [{ shift }] = this.#aligned[end];
      for (const host of island) {
        const way = ways[host];
        if (way !== undefined)
          clocks[host] = way.lines.map((line) => ({ ...line, shift: line.shift + shift }));
      }
    }
    return clocks;
  }

  /** Target of one step's matches. UDP counts for clocks only where TCP is missing. */
  #target() {
    const keys = this.#keys;
    const matches = this.#packets.map(({ length }) => noMatches(length));
    const strong = new HostPairs(this.#packets);
    const weak = new HostPairs(this.#packets);
    const onDecided: MatchListener = (sentHost, sent, receivedHost, received) => {
      const marks = matches[receivedHost].marks[received];
      if ((marks & MARK_AMBIGUOUS) !== 0) return;
      ((marks & MARK_WEAK) !== 0 ? weak : strong).add(sentHost, sent, receivedHost, received);
    };
    return {
      matches,
      strong,
      onDecided,
      pairs: () => strong.or(weak),
      result: ({ open, late }: PacketMatcher) => ({ keys, matches, open, late }),
    };
  }
}

function isSent(packets: readonly PacketRows[], { host, row }: PacketOrder): boolean {
  return packets[host].direction[row] === PACKET_SENT;
}

/** Mean and deviation of the delays of packets (Welford's method). */
const LEAST_HORIZON_NS = 1_000_000_000;
const DEVIATIONS = 6;

class DelayStatistics {
  #count = 0;
  #mean = 0;
  #squares = 0;

  /** @param delay ns */
  add(delay: number): void {
    this.#count++;
    const difference = delay - this.#mean;
    this.#mean += difference / this.#count;
    this.#squares += difference * (delay - this.#mean);
  }

  /** A packet that is older will not arrive any more, ns: six deviations above the mean, 1 s at least. */
  get horizonNs(): number {
    const deviation = this.#count > 1 ? Math.sqrt(this.#squares / (this.#count - 1)) : 0;
    return Math.max(LEAST_HORIZON_NS, this.#mean + DEVIATIONS * deviation);
  }
}

/** The packets of all hosts, one after the other, about in the order of a common time. */
class PacketOrder {
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
