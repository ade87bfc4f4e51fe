/**
 * The clocks of two hosts over the whole trace: one line or, if no line fits all packets, a line for each segment. A
 * clock that was set makes one break, an uneven one several.
 */
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { ClockBounds, type BoundsState } from './clock-bounds.ts';
import { valueAt, type ClockLine, type ClockLines } from './clock-transform.ts';
import type { ClockEdge } from './transform-graph.ts';

/** `failed`: no straight line; there is a line per segment. */
export type PairState = BoundsState | 'failed';

interface LineSegment {
  /** Time on the first host from which it holds. */
  readonly from: number;
  readonly bounds: ClockBounds;
}

export class PairClock {
  #segments: LineSegment[] = [{ from: -Infinity, bounds: new ClockBounds() }];
  /** Packets that fit no segment. */
  #rejected = 0;

  /** Adds a packet: x is the first host's time, y the second's; `isAbove`: the first sent it. */
  add(x: number, y: number, isAbove: boolean): void {
    const segments = this.#segments;
    let i = segments.length - 1;
    while (i > 0 && segments[i].from > x) i--;
    if (segments[i].bounds.add(x, y, isAbove)) return;
    if (i < segments.length - 1) {
      this.#rejected++;
      return;
    }
    const bounds = new ClockBounds();
    bounds.add(x, y, isAbove);
    segments.push({ from: x, bounds });
  }

  /**
   * All packets are known: a segment that only a few packets made is left out where those around it fit together, for
   * then it was these packets that were wrong.
   */
  settle(): void {
    for (let i = this.#segments.length - 2; i > 0; i--) {
      const [before, odd, after] = this.#segments.slice(i - 1, i + 2);
      if (odd.bounds.state === 'accurate' || !before.bounds.absorb(after.bounds)) continue;
      this.#rejected += odd.bounds.points;
      this.#segments.splice(i, 2);
    }
  }

  get state(): PairState {
    const [{ bounds }] = this.#segments;
    const isFailed = this.#segments.length > 1 || this.#rejected > 0 || bounds.even() === 'none';
    return isFailed ? 'failed' : bounds.state;
  }

  get segments(): number {
    return this.#segments.length;
  }

  /** The drift of every segment is known within ± this; Infinity: not at all. */
  get driftUncertainty(): number {
    return Math.max(...this.#segments.map(({ bounds }) => evenOf(bounds)?.drift ?? bounds.driftUncertainty));
  }

  /** First and last time on the first host of the packets that count. */
  get span(): { readonly from: number; readonly to: number } {
    const last = this.#segments[this.#segments.length - 1];
    return { from: this.#segments[0].bounds.span.from, to: last.bounds.span.to };
  }

  /** Bound of the difference between the clocks and the lines while packets went, ns; Infinity: not known. */
  uncertainty(): number {
    return Math.max(
      ...this.#segments.map(({ bounds }) => {
        return evenOf(bounds)?.uncertaintyNs ?? bounds.uncertainty(bounds.span.from, bounds.span.to);
      }),
    );
  }

  /** Lines from the first host's times to the second's; undefined without packets. */
  lines(): ClockLines | undefined {
    const lines: ClockLine[] = [];
    for (const [i, { from, bounds }] of this.#segments.entries()) {
      const line = evenOf(bounds)?.line ?? bounds.estimate();
      if (line === undefined) return undefined;
      const begin = i === 0 ? from : jointOf(lines[i - 1], line, this.#segments[i - 1].bounds.span.to, from);
      lines.push({ ...line, from: begin });
    }
    return lines;
  }
}

function evenOf(bounds: ClockBounds): Exclude<ReturnType<ClockBounds['even']>, 'none'> {
  const even = bounds.even();
  return even === 'none' ? undefined : even;
}

/** Begin of a line: the time where it meets the one before, if that is between the packets of both; else its first. */
function jointOf(before: ClockLine, line: ClockLine, last: number, first: number): number {
  const x = first + (valueAt(before, first) - valueAt(line, first)) / (line.drift - before.drift);
  return x >= last && x <= first ? Math.round(x) : first;
}

/** The clocks of every two hosts, from matched packets. Hosts are numbers; of a pair the smaller one is the first. */
export class HostPairs {
  readonly #pairs = new Map<number, PairClock>();

  constructor(private readonly hosts: readonly PacketRows[]) {}

  /** Takes the packet of row `sent` on one host and row `received` on the other. */
  add(sentHost: number, sent: number, receivedHost: number, received: number): void {
    if (sentHost === receivedHost) return;
    const sentTime = this.hosts[sentHost].time[sent];
    const receivedTime = this.hosts[receivedHost].time[received];
    const isFirst = sentHost < receivedHost;
    const key = Math.min(sentHost, receivedHost) * this.hosts.length + Math.max(sentHost, receivedHost);
    const pair = this.#pairs.get(key) ?? new PairClock();
    this.#pairs.set(key, pair);
    if (isFirst) pair.add(sentTime, receivedTime, true);
    else pair.add(receivedTime, sentTime, false);
  }

  /** The clock of hosts a < b; undefined: no packets between them. */
  get(a: number, b: number): PairClock | undefined {
    return this.#pairs.get(a * this.hosts.length + b);
  }

  list(): { readonly a: number; readonly b: number; readonly clock: PairClock }[] {
    const { length } = this.hosts;
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
    const islands = this.hosts.map((_, host) => host);
    for (const { a, b, clock } of this.list()) {
      const [own, other] = [islands[a], islands[b]];
      if (own !== other && 2 * clock.driftUncertainty < precision)
        islands.forEach((island, host) => island === other && (islands[host] = own));
    }
    return new Set(islands.filter((_, host) => this.hosts[host].length > 0)).size <= 1;
  }

  /** Union of these pairs with those of `others` that are not among them. */
  or(others: HostPairs): HostPairs {
    const all = new HostPairs(this.hosts);
    for (const [key, pair] of [...others.#pairs, ...this.#pairs]) all.#pairs.set(key, pair);
    return all;
  }

  settle(): void {
    for (const pair of this.#pairs.values()) pair.settle();
  }
}
