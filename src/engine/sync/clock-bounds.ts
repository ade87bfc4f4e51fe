/**
 * Bounds of two clocks by the packets between their hosts (Poirier et al. 2010; Giraldeau 2015, section 5.3.1): both convex
 * hulls, which every packet extends.
 *
 * A packet is a point: x = time on the first host, y = time on the second. One that the first host sent arrives late,
 * so it lies above the line that relates the clocks; one that it received lies below. All lines between the two sets
 * are possible. The steepest and the flattest of them bound every other: outside of the points that they touch, no
 * possible line leaves the wedge between them.
 *
 * Times are kept as (x, v = y − x): small numbers, whose products lose nothing that matters.
 */
import type { ClockLine } from './clock-transform.ts';
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { append } from '../base/append.ts';

/** State of the bounds: neither, one or both of the steepest and flattest line are known; `absent`: no packet. */
export type BoundsState = 'absent' | 'incomplete' | 'approximate' | 'accurate';

/** An extreme line, through a point below (received by the first host) and one above (sent by it). */
interface Extreme {
  readonly below: number;
  readonly belowV: number;
  readonly above: number;
  readonly aboveV: number;
  readonly drift: number;
}

/** Greatest drift between computers' clocks: a greater one comes from too few packets, or from a clock that was set. */
const MOST_CLOCK_DRIFT = 500e-6;

/**
 * Least drift of a clock, which neither stands still nor runs backward: few packets may leave such lines, which have
 * no inverse.
 */
const LEAST_DRIFT = -0.9;
const MOST_DRIFT = 9;

export class ClockBounds {
  #above = new LowerHull();
  /** Hull of points (x, −v). */
  #below = new LowerHull();
  #steepest: Extreme | undefined;
  #flattest: Extreme | undefined;

  /**
   * Adds a packet.
   * @param isAbove the first host sent it
   * @returns false: no line is possible with it; it was not added
   */
  add(x: number, y: number, isAbove: boolean): boolean {
    const v = y - x;
    const steepest = this.#steepest;
    const flattest = this.#flattest;
    const keepsSteepest = steepest !== undefined && !isBeyond(steepest, x, v, isAbove);
    const keepsFlattest = flattest !== undefined && !isBeyond(flattest, x, v, isAbove);
    const hull = isAbove ? this.#above : this.#below;
    const other = isAbove ? this.#below : this.#above;
    // While one possible line stays possible, the other cannot become impossible.
    const before = keepsSteepest || keepsFlattest || other.length === 0 ? undefined : hull.copy();
    if (!hull.add(x, isAbove ? v : -v)) return true;
    const next = {
      steepest: keepsSteepest ? steepest : this.#extreme(steepest, true),
      flattest: keepsFlattest ? flattest : this.#extreme(flattest, false),
    };
    const isNone = next.steepest === 'none' || next.flattest === 'none' || !this.#isApart(next);
    if (before !== undefined && isNone) {
      if (isAbove) this.#above = before;
      else this.#below = before;
      return false;
    }
    this.#steepest = next.steepest === 'none' ? undefined : next.steepest;
    this.#flattest = next.flattest === 'none' ? undefined : next.flattest;
    return true;
  }

  get state(): BoundsState {
    if (this.#above.length + this.#below.length === 0) return 'absent';
    const lines = (this.#steepest === undefined ? 0 : 1) + (this.#flattest === undefined ? 0 : 1);
    return lines === 2 ? 'accurate' : lines === 1 ? 'approximate' : 'incomplete';
  }

  /** Points that bound the lines. */
  get points(): number {
    return this.#above.length + this.#below.length;
  }

  /** First and last time on the first host of the points that bound the lines. */
  get span(): { readonly from: number; readonly to: number } {
    const { x: above } = this.#above;
    const { x: below } = this.#below;
    const firsts = [...above.slice(0, 1), ...below.slice(0, 1)];
    const lasts = [...above.slice(-1), ...below.slice(-1)];
    return { from: Math.min(...firsts), to: Math.max(...lasts) };
  }

  /** Uncertainty of the drift, ±; Infinity: the drift is not known. */
  get driftUncertainty(): number {
    if (this.#steepest === undefined || this.#flattest === undefined) return Infinity;
    return (this.#steepest.drift - this.#flattest.drift) / 2;
  }

  /**
   * Line of clocks that run equally fast, if packets allow it: slope 1 with its error; `drift` is the possible error
   * of the slope.
   * @returns undefined: the slope is known to differ; 'none': it is impossible for a clock
   */
  even():
    | { readonly line: ClockLine; readonly uncertaintyNs: number; readonly drift: number }
    | 'none'
    | undefined {
    const [steepest, flattest] = [this.#steepest, this.#flattest];
    if (steepest === undefined || flattest === undefined) return undefined;
    if (steepest.drift < 0 || flattest.drift > 0)
      return Math.abs(steepest.drift + flattest.drift) / 2 > MOST_CLOCK_DRIFT ? 'none' : undefined;
    const { least, most } = this.#shifts();
    const line = { from: -Infinity, at: this.span.from, shift: (least + most) / 2, drift: 0 };
    const drift = Math.max(Math.abs(steepest.drift), Math.abs(flattest.drift));
    return { line, uncertaintyNs: (most - least) / 2, drift };
  }

  /** The line to use, from the first host's times to the second's; undefined without packets. */
  estimate(): ClockLine | undefined {
    const { from, to } = this.span;
    if (this.#steepest !== undefined && this.#flattest !== undefined) {
      const at = Math.round((from + to) / 2);
      const drift = (this.#steepest.drift + this.#flattest.drift) / 2;
      const shift = (valueOf(this.#steepest, at) + valueOf(this.#flattest, at)) / 2;
      if (drift > LEAST_DRIFT && drift < MOST_DRIFT) return { from: -Infinity, at, shift, drift };
    }
    const { least, most } = this.#shifts();
    if (least === -Infinity && most === Infinity) return undefined;
    const line = this.#steepest ?? this.#flattest;
    if (line === undefined) return { from: -Infinity, at: from, shift: middleOf(least, most), drift: 0 };
    // If clocks cannot run equally fast, the only known line is the nearest to that.
    if (least > most && line.drift > LEAST_DRIFT && line.drift < MOST_DRIFT) {
      return { from: -Infinity, at: from, shift: valueOf(line, from), drift: line.drift };
    }
    const ends = ((this.#above.v.at(-1) ?? 0) - (this.#below.v.at(-1) ?? 0)) / 2;
    return { from: -Infinity, at: from, shift: Math.min(most, Math.max(least, ends)), drift: 0 };
  }

  /**
   * Greatest distance of any possible line from the estimate within [from, to], which contains all packets, ns. If
   * not accurate, clocks are assumed to run equally fast; Infinity if packets went one way only.
   */
  uncertainty(from: number, to: number): number {
    const [steepest, flattest] = [this.#steepest, this.#flattest];
    if (steepest === undefined || flattest === undefined) {
      const { least, most } = this.#shifts();
      return most >= least ? (most - least) / 2 : Infinity;
    }
    const apart = (x: number) => Math.abs(valueOf(steepest, x) - valueOf(flattest, x)) / 2;
    const span = this.span;
    return Math.max(apart(Math.min(from, span.from)), apart(Math.max(to, span.to)));
  }

  /** Adds the later packets of `other`; false: no line fits both, and nothing changed. */
  absorb(other: ClockBounds): boolean {
    const joined = this.copy();
    const { x: above, v } = other.#above;
    const { x: below, v: negated } = other.#below;
    const fits =
      above.every((x, i) => joined.add(x, x + v[i], true)) &&
      below.every((x, i) => joined.add(x, x - negated[i], false));
    if (!fits) return false;
    this.#above = joined.#above;
    this.#below = joined.#below;
    this.#steepest = joined.#steepest;
    this.#flattest = joined.#flattest;
    return true;
  }

  copy(): ClockBounds {
    const bounds = new ClockBounds();
    bounds.#above = this.#above.copy();
    bounds.#below = this.#below.copy();
    bounds.#steepest = this.#steepest;
    bounds.#flattest = this.#flattest;
    return bounds;
  }

  /** Least and greatest shift between clocks that run equally fast. */
  #shifts(): { readonly least: number; readonly most: number } {
    const { v: above } = this.#above;
    const { v: below } = this.#below;
    return {
      most: above.length === 0 ? Infinity : above[this.#above.lowest(0)],
      least: below.length === 0 ? -Infinity : -below[this.#below.lowest(0)],
    };
  }

  /** Whether the sets are separate if there are no extreme lines: all packets are of one time, and their order decides. */
  #isApart({ steepest, flattest }: { readonly steepest: unknown; readonly flattest: unknown }): boolean {
    if (steepest !== undefined || flattest !== undefined) return true;
    const { least, most } = this.#shifts();
    return least <= most;
  }

  /**
   * The extreme line by Newton's method: the gap between the sets along a slope is a concave function of the slope.
   * Each step goes to the line through the two points that overlap most, from where the gap closes at the latest.
   * @param known the line before a point was added; adding points only makes it less extreme
   * @returns undefined: no packet comes before one of the other way; 'none': no line is possible
   */
  #extreme(known: Extreme | undefined, isSteepest: boolean): Extreme | 'none' | undefined {
    const above = this.#above;
    const below = this.#below;
    if (above.length === 0 || below.length === 0) return undefined;
    let line = known ?? this.#through(isSteepest ? 0 : below.length - 1, isSteepest ? above.length - 1 : 0);
    if (line.below === line.above || line.below < line.above !== isSteepest) return undefined;
    for (;;) {
      const q = above.lowest(line.drift);
      const p = below.lowest(-line.drift);
      const gap = above.v[q] + below.v[p] - line.drift * (above.x[q] - below.x[p]);
      if (!(gap < 0)) return line;
      const next = this.#through(p, q);
      if (next.below === next.above || next.below < next.above !== isSteepest) return 'none';
      // Rounding alone lets the line itself overlap.
      if (isSteepest ? next.drift >= line.drift : next.drift <= line.drift) return line;
      line = next;
    }
  }

  #through(p: number, q: number): Extreme {
    const below = this.#below.x[p];
    const belowV = -this.#below.v[p];
    const above = this.#above.x[q];
    const aboveV = this.#above.v[q];
    return { below, belowV, above, aboveV, drift: (aboveV - belowV) / (above - below) };
  }
}

/** Whether a point is on the wrong side of a line. */
function isBeyond(line: Extreme, x: number, v: number, isAbove: boolean): boolean {
  const rise = (v - line.belowV) * (line.above - line.below);
  const limit = (line.aboveV - line.belowV) * (x - line.below);
  const isHigher = line.above > line.below ? rise > limit : rise < limit;
  return rise !== limit && isHigher !== isAbove;
}

function valueOf(line: Extreme, x: number): number {
  return line.belowV + line.drift * (x - line.below);
}

function middleOf(least: number, most: number): number {
  if (least === -Infinity) return most;
  return most === Infinity ? least : (least + most) / 2;
}

/**
 * The lower convex hull of points (x, v), which come in any order, mostly by x. The upper hull of points is the lower
 * one of (x, −v).
 */
class LowerHull {
  /** Ascending. */
  readonly x: number[] = [];
  readonly v: number[] = [];

  get length(): number {
    return this.x.length;
  }

  /** Adds a point; false: it is on or above the hull, which does not change. */
  add(x: number, v: number): boolean {
    const at = this.#placeOf(x);
    const isSame = at < this.length && this.x[at] === x;
    if (isSame && this.v[at] <= v) return false;
    if (!isSame && at > 0 && at < this.length && !this.#isBelow(x, v, at - 1, at)) return false;
    this.x.splice(at, isSame ? 1 : 0, x);
    this.v.splice(at, isSame ? 1 : 0, v);
    let right = at + 1;
    while (right + 1 < this.length && !this.#isBelow(this.x[right], this.v[right], at, right + 1)) right++;
    let left = at - 1;
    while (left > 0 && !this.#isBelow(this.x[left], this.v[left], left - 1, at)) left--;
    this.#remove(at + 1, right);
    this.#remove(left + 1, at);
    return true;
  }

  /** Index of the point that is lowest above a line of this slope through the origin. */
  lowest(slope: number): number {
    const { v, x } = this;
    return firstWhere(0, this.length - 1, (at) => !(v[at + 1] - v[at] < slope * (x[at + 1] - x[at])));
  }

  copy(): LowerHull {
    const hull = new LowerHull();
    append(hull.x, this.x);
    append(hull.v, this.v);
    return hull;
  }

  /** Index of the first point at or behind `x`. */
  #placeOf(x: number): number {
    const to = this.length;
    if (to === 0 || this.x[to - 1] < x) return to;
    return lowerBound(this.x, x, to);
  }

  /** Whether a point lies below the line through points `a` and `b`. Differences keep the products exact enough. */
  #isBelow(x: number, v: number, a: number, b: number): boolean {
    const ax = this.x[a];
    const av = this.v[a];
    return (v - av) * (this.x[b] - ax) < (this.v[b] - av) * (x - ax);
  }

  #remove(from: number, to: number): void {
    if (to <= from) return;
    this.x.splice(from, to - from);
    this.v.splice(from, to - from);
  }
}
