/**
 * Hosts as vertices, what is known between their clocks as edges (Giraldeau 2015, section 5.3.1): each host's clock
 * goes to that of a reference along the way of least uncertainty. Hosts that nothing connects are islands with a
 * reference each.
 */
import { composed, inverted, SAME_CLOCK, type ClockLines } from './clock-transform.ts';

export interface ClockEdge {
  readonly a: number;
  readonly b: number;
  /** Lines from the times of a to those of b. */
  readonly lines: ClockLines;
  /** ns; Infinity: unknown, which is still better than no edge. */
  readonly uncertaintyNs: number;
}

/** The way from a host to the end of its island. */
export interface ClockWay {
  readonly end: number;
  /** Lines from the host's times to those of the end. */
  readonly lines: ClockLines;
  /** Hosts passed, the host itself first and the end last. */
  readonly via: readonly number[];
  readonly uncertaintyNs: number;
}

/** Weight of an edge of which nothing but its existence is known: more than any uncertainty. */
const UNKNOWN_NS = 1e15;

/**
 * The ways of least uncertainty from every host that one of `ends` can be reached from (Dijkstra; hosts are few).
 * Equal ways: the first host in order.
 */
export function waysTo(
  ends: readonly number[],
  hosts: number,
  edges: readonly ClockEdge[],
): (ClockWay | undefined)[] {
  const ways: (ClockWay | undefined)[] = Array.from({ length: hosts }, () => undefined);
  const weights = new Float64Array(hosts).fill(Infinity);
  const done = new Uint8Array(hosts);
  for (const end of ends) {
    ways[end] = { end, lines: SAME_CLOCK, via: [end], uncertaintyNs: 0 };
    weights[end] = 0;
  }
  for (;;) {
    let next = -1;
    for (let host = 0; host < hosts; host++)
      if (done[host] === 0 && weights[host] < (next < 0 ? Infinity : weights[next])) next = host;
    const way = ways[next];
    if (next < 0 || way === undefined) return ways;
    done[next] = 1;
    for (const { a, b, lines, uncertaintyNs } of edges) {
      if (a !== next && b !== next) continue;
      const other = a === next ? b : a;
      const weight = weights[next] + Math.min(uncertaintyNs, UNKNOWN_NS);
      if (!(weight < weights[other])) continue;
      weights[other] = weight;
      ways[other] = {
        end: way.end,
        lines: composed(other === a ? lines : inverted(lines), way.lines),
        via: [other, ...way.via],
        uncertaintyNs: way.uncertaintyNs + uncertaintyNs,
      };
    }
  }
}

/** Hosts that are connected, island by island: the largest first, then by their first host. */
export function islandsOf(hosts: number, edges: readonly ClockEdge[]): readonly (readonly number[])[] {
  const islands: number[][] = [];
  const known = new Uint8Array(hosts);
  for (let host = 0; host < hosts; host++) {
    if (known[host] === 1) continue;
    const island = waysTo([host], hosts, edges).flatMap((way, other) => (way === undefined ? [] : [other]));
    for (const other of island) known[other] = 1;
    islands.push(island);
  }
  return islands.sort((x, y) => y.length - x.length || x[0] - y[0]);
}

/** The host of an island whose ways have the least uncertainty in all; of equal ones the first. */
export function referenceOf(island: readonly number[], hosts: number, edges: readonly ClockEdge[]): number {
  let best = island[0];
  let least = Infinity;
  for (const host of island) {
    const ways = waysTo([host], hosts, edges);
    const total = ways.reduce((sum, way) => sum + Math.min(way?.uncertaintyNs ?? 0, UNKNOWN_NS), 0);
    if (total < least) {
      least = total;
      best = host;
    }
  }
  return best;
}
