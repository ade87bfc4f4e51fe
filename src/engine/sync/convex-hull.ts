/**
 * The lower convex hull of points (x, v), kept while points come in any order; mostly they come by x. The upper hull of
 * points is the lower one of (x, −v).
 */
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { append } from '../base/append.ts';
export class LowerHull {
  /** Ascending. */
  readonly x: number[] = [];
  readonly v: number[] = [];

  get length(): number {
    return this.x.length;
  }

  /** Adds a point; false: it lies on or above the hull, which stays as it is. */
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
