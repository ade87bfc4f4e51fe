/**
 * Display time from the relations between hosts' clocks: ns since the first event of the experiment, in units of the
 * reference host's clock.
 */
import { compare } from '../base/compare.ts';
import { ClockTransform, composed, shiftedBy, valueAt, lineAt, type ClockLines } from './clock-transform.ts';
import type { Host } from '../trace/types.ts';
import type { PairSync } from './pair-sync.ts';
import { islandsOf, referenceOf, waysTo, type ClockEdge, type ClockWay } from './transform-graph.ts';

/** Clock of a host by its own trace. */
export type OwnClock = Pick<Host, 'name' | 'recordings' | 'joined' | 'baseNs' | 'offsetNs' | 'firstEvent'>;

/** Settings that the user changed. */
export interface ClockSettings {
  /** Time to add to a host's own clock, instead of what packets say, ns by host. */
  readonly offsets?: ReadonlyMap<number, bigint>;
  /** Whether recordings of one machine that only switches join are separate hosts, whose indices these are. */
  readonly apart?: boolean;
}

/** `start`: nothing connects it to the reference, so it begins with the experiment. */
type ClockSource = 'reference' | 'packets' | 'offset' | 'start';

interface HostClock {
  readonly transform: ClockTransform;
  readonly source: ClockSource;
  /** Hosts on the way to the one that determines its time; itself first. */
  readonly via: readonly number[];
  /** Uncertainty while packets went, ns; 0 for a reference, Infinity: not known. */
  readonly uncertaintyNs: number;
}

export interface ExperimentClock {
  /** ns since the clocks' origin of the first event. */
  readonly originNs: bigint;
  /** Host whose time is that of the experiment: the least uncertain one without offset. */
  readonly reference: number;
  readonly hosts: readonly HostClock[];
}

/** Whether the relation of two hosts' clocks is known. */
export function areSynchronised({ hosts }: ExperimentClock, a: number, b: number): boolean {
  const [one, other] = [hosts[a], hosts[b]];
  // Hosts joined by packets may begin with the experiment together.
  if (one.source === 'start' || other.source === 'start') return one.via.at(-1) === other.via.at(-1);
  return true;
}

/** A host on its way to the experiment's time: lines go to HostNs of the reference. */
type Placed = Omit<HostClock, 'transform'> & { readonly lines: ClockLines };

/** @param pairs relations from packets; none before they are read: all hosts then begin together */
export function experimentClock(
  given: readonly OwnClock[],
  pairs: readonly PairSync[],
  settings: ClockSettings = {},
): ExperimentClock {
  // In order of name, whatever order they came in.
  const order = given.map((_, i) => i).sort((x, y) => compare(given[x].name, given[y].name) || x - y);
  const hosts = order.map((host) => given[host]);
  const rank = (host: number) => order.indexOf(host);
  const edges = pairs.flatMap(({ a, b, lines, uncertaintyNs }): ClockEdge[] =>
    lines === undefined ? [] : [{ a: rank(a), b: rank(b), lines, uncertaintyNs }],
  );
  const offsets = new Map([...(settings.offsets ?? [])].map(([host, ns]) => [rank(host), ns]));
  const islands = islandsOf(hosts.length, edges);
  // An offset is to the clock of another host.
  const free = islands.map((island) => island.filter((host) => !offsets.has(host)));
  const reference = referenceOf(
    free.find(({ length }) => length > 0) ?? islands[0] ?? [0],
    hosts.length,
    edges,
  );
  const placed = placeHosts(hosts, edges, islands, reference, offsets);
  const origin = placed.reduce((least, host, i) => Math.min(least, firstOf(host, hosts[i])), Infinity);
  const start = Number.isFinite(origin) ? origin : 0;
  const clocks: HostClock[] = [];
  placed.forEach(({ lines, source, via, uncertaintyNs }, i) => {
    const transform = new ClockTransform(composed(lines, shiftedBy(-start)));
    clocks[order[i]] = { transform, source, via: via.map((host) => order[host]), uncertaintyNs };
  });
  const epoch = hosts.length === 0 ? 0n : epochOf(hosts[reference]);
  return { originNs: epoch + BigInt(start), reference: order[reference] ?? 0, hosts: clocks };
}

function epochOf({ baseNs, offsetNs }: OwnClock): bigint {
  return baseNs + offsetNs;
}

/** Reference time of a host's first event. */
function firstOf({ lines }: Pick<Placed, 'lines'>, { firstEvent }: OwnClock): number {
  return Math.floor(valueAt(lineAt(lines, firstEvent), firstEvent) + 0.5);
}

/** First the hosts that something leads from to the reference or to an offset, then the islands that are left. */
function placeHosts(
  hosts: readonly OwnClock[],
  edges: readonly ClockEdge[],
  islands: readonly (readonly number[])[],
  reference: number,
  offsets: ReadonlyMap<number, bigint>,
): Placed[] {
  const placed: Placed[] = [];
  const ends = [...new Set([reference, ...offsets.keys()])].filter((host) => host < hosts.length);
  waysTo(ends, hosts.length, edges).forEach((way, host) => {
    if (way === undefined) return;
    const own = offsets.get(way.end) ?? 0n;
    const shift = Number(epochOf(hosts[way.end]) + own - epochOf(hosts[reference]));
    const atEnd = offsets.has(host) ? 'offset' : 'reference';
    placed[host] = place(way, shift, way.via.length === 1 ? atEnd : 'packets');
  });
  const known = placed.map((host, i) => firstOf(host, hosts[i])).filter((first) => !Number.isNaN(first));
  const start = known.reduce((least, first) => Math.min(least, first), Infinity);
  for (const island of islands) {
    if (placed[island[0]] !== undefined) continue;
    const end = referenceOf(island, hosts.length, edges);
    const ways = waysTo([end], hosts.length, edges);
    const firsts = island.map((host) => firstOf({ lines: ways[host]?.lines ?? shiftedBy(0) }, hosts[host]));
    for (const host of island) {
      const way = ways[host];
      if (way === undefined) continue;
      placed[host] = place({ ...way, uncertaintyNs: Infinity }, start - Math.min(...firsts), 'start');
    }
  }
  return placed;
}

/** @param shift from the end of the way to the reference's time, ns */
function place({ lines, via, uncertaintyNs }: ClockWay, shift: number, source: ClockSource): Placed {
  return { lines: composed(lines, shiftedBy(shift)), via, uncertaintyNs, source };
}
