/**
 * Folds the intervals of one row into what can be drawn at a bucket width: a bucket with two or more changes inside it
 * becomes mixed, with the mix of its values (`mix.ts`); everything else stays exact.
 * Changes at a bucket's border do not count. Cost: intervals fed + buckets that come out.
 *
 * It serves drawing (`tile.ts`) and the levels of detail (`levels.ts`), whose output it takes as input again: mixed
 * parts of a narrower width, which nests in a wider one because both are powers of four aligned to time 0.
 */
import { widened } from '../base/columns.ts';
import type { HostNs } from '../base/units.ts';
import { NO_GROUPS } from './groups.ts';
import { type GroupTable, MIX } from './mix.ts';
import { GAP, MIXED } from './intervals.ts';

/** Spans of rows, row by row in time order. */
export class SpanList {
  length = 0;
  begin = new Float64Array(256);
  end = new Float64Array(256);
  /** A value, GAP, or MIXED. */
  value = new Float64Array(256);
  /** Number of a mixed span's first mix. */
  mix = new Int32Array(256);
  mixes = 0;
  mixNs = new Float64Array(64 * MIX);

  clear(): void {
    this.length = 0;
    this.mixes = 0;
  }

  push(begin: HostNs, end: HostNs, value: number, mix: number): void {
    if (this.length === this.end.length) {
      const capacity = this.length * 2;
      this.begin = widened(this.begin, capacity);
      this.end = widened(this.end, capacity);
      this.value = widened(this.value, capacity);
      this.mix = widened(this.mix, capacity);
    }
    const at = this.length++;
    this.begin[at] = begin;
    this.end[at] = end;
    this.value[at] = value;
    this.mix[at] = mix;
  }

  /** Removes the gaps among the spans from index `first` on. */
  dropGaps(first: number): void {
    let to = first;
    for (let i = first; i < this.length; i++) {
      if (this.value[i] === GAP) continue;
      this.begin[to] = this.begin[i];
      this.end[to] = this.end[i];
      this.value[to] = this.value[i];
      this.mix[to++] = this.mix[i];
    }
    this.length = to;
  }

  /** Appends a mix; its index. */
  pushMix(mix: Float64Array): number {
    const at = this.mixes * MIX;
    if (at === this.mixNs.length) this.mixNs = widened(this.mixNs, at * 2);
    for (let i = 0; i < MIX; i++) this.mixNs[at + i] = mix[i];
    return this.mixes++;
  }
}

/** Exact intervals of the open bucket, while it has at most one change. */
const INTERVALS = 2;

export class BucketFold {
  #width = 1;
  #from: HostNs = 0;
  #to: HostNs = 0;
  #out = new SpanList();
  #groups: GroupTable = NO_GROUPS;
  #rowBegin = 0;
  /** Whether anything was fed since `row`. */
  #started = false;
  /** The pending interval, which may still be extended. */
  #begin: HostNs = 0;
  #end: HostNs = 0;
  #value = GAP;
  /** The bucket that contains the last border, if `#open`. */
  #open = false;
  #bucket: HostNs = 0;
  #mixed = false;
  readonly #mix = new Float64Array(MIX);
  readonly #intervalEnd = new Float64Array(INTERVALS);
  readonly #intervalValue = new Float64Array(INTERVALS);
  #intervals = 0;

  /**
   * @param cut whether the folded range is a part of the history: an interval at its border continues beyond it, so
   * there is no change
   */
  constructor(private readonly cut: boolean) {}

  /** Begins spans of a bucket width, clipped to [from, to), in `out`. */
  begin(width: number, from: HostNs, to: HostNs, out: SpanList): void {
    this.#width = width;
    this.#from = from;
    this.#to = to;
    this.#out = out;
  }

  /** Begins a row, before anything is fed; its spans are appended to the list. */
  row(groups: GroupTable): void {
    this.#groups = groups;
    this.#rowBegin = this.#out.length;
    this.#started = false;
    this.#open = false;
  }

  /** Touching intervals [first, stop), the first of which begins at `begin` (see `pure`). */
  intervals(end: Float64Array, value: Float64Array, first: number, stop: number, begin: HostNs): void {
    let from = begin;
    for (let i = first; i < stop;) {
      this.pure(from, end[i], value[i]);
      i = this.#inside(end, value, i + 1, stop);
      from = end[i - 1];
    }
  }

  /**
   * Same as `pure` for each of the intervals [first, stop) while the pending interval lies within the open bucket: a
   * tight loop for many intervals in one bucket.
   * @returns index of the first interval not taken
   */
  #inside(end: Float64Array, value: Float64Array, first: number, stop: number): number {
    const least = Math.max(this.#bucket, this.#from);
    const most = Math.min(this.#bucket + this.#width, this.#to);
    let from = this.#begin;
    let to = this.#end;
    if (!this.#open || from <= least || to >= most) return first;
    let pending = this.#value;
    let i = first;
    for (; i < stop && to < most; to = end[i++]) {
      if (value[i] === pending) continue;
      this.#mixed = true;
      this.#addTime(pending, to - from);
      pending = value[i];
      from = to;
    }
    this.#begin = from;
    this.#end = to;
    this.#value = pending;
    return i;
  }

  /** Adds a value, or GAP, from `begin` (the end of the last interval, or later: then a gap lies between) to `end`. */
  pure(begin: HostNs, end: HostNs, value: number): void {
    if (!this.#started) this.#start(begin);
    else if (begin > this.#end) this.pure(this.#end, begin, GAP);
    if (value === this.#value) {
      this.#end = end;
      return;
    }
    this.#flush();
    this.#begin = begin;
    this.#end = end;
    this.#value = value;
  }

  /** Adds a part of one bucket, of this or a narrower width, with the mix at `mixNs[at …]`. */
  mixed(begin: HostNs, end: HostNs, mixNs: Float64Array, at: number): void {
    if (!this.#started) this.#start(begin);
    else if (begin > this.#end) this.pure(this.#end, begin, GAP);
    this.#flush();
    if (!this.#open) this.#openBucket(Math.floor(begin / this.#width) * this.#width);
    this.#groups.mix.join(this.#mix, mixNs, at);
    this.#mixed = true;
    if (end === this.#bucket + this.#width) this.#closeBucket();
    // An empty gap: nothing is pending.
    this.#begin = end;
    this.#end = end;
    this.#value = GAP;
  }

  finish(): void {
    if (!this.#started) return;
    this.#flush();
    if (this.#open) this.#closeBucket();
  }

  /** Begins a row with a gap without a begin, or, at a cut, with an unknown, as the row's past is not known here. */
  #start(begin: HostNs): void {
    this.#started = true;
    this.#begin = this.cut ? this.#from : -Infinity;
    this.#end = begin;
    this.#value = GAP;
  }

  /** Puts the pending interval into buckets. */
  #flush(): void {
    const end = this.#end;
    let begin = this.#begin;
    if (end <= begin) return;
    const width = this.#width;
    // An interval whose both ends lie inside a bucket makes the bucket mixed.
    const whole = !this.cut || (begin > this.#from && end < this.#to);
    if (this.#open) {
      const bucketEnd = this.#bucket + width;
      const isInside = whole && begin > this.#bucket && end < bucketEnd;
      this.#interval(begin, end < bucketEnd ? end : bucketEnd, isInside);
      if (end < bucketEnd) return;
      this.#closeBucket();
      begin = bucketEnd;
    }
    const lastBucket = Math.floor(end / width) * width;
    if (lastBucket > begin) this.#appendPure(begin, lastBucket, this.#value);
    if (end > lastBucket) {
      this.#openBucket(lastBucket);
      this.#interval(Math.max(begin, lastBucket), end, whole && this.#begin > lastBucket);
    }
  }

  #openBucket(begin: HostNs): void {
    this.#open = true;
    this.#bucket = begin;
    this.#mixed = false;
    this.#intervals = 0;
    for (let i = 0; i < MIX; i++) this.#mix[i] = 0;
  }

  /** Adds a range of the pending value within the open bucket. */
  #interval(begin: HostNs, end: HostNs, mixes: boolean): void {
    const value = this.#value;
    if (mixes) {
      this.#mixed = true;
    } else if (this.#intervals < INTERVALS) {
      this.#intervalEnd[this.#intervals] = end;
      this.#intervalValue[this.#intervals++] = value;
    }
    this.#addTime(value, end - begin);
  }

  /** Adds ns of a value to the bucket's mix. */
  #addTime(value: number, length: number): void {
    this.#groups.mix.add(this.#mix, value, length, this.#groups);
  }

  #closeBucket(): void {
    this.#open = false;
    const begin = this.#bucket;
    if (this.#mixed) {
      this.#appendMixed(begin, begin + this.#width);
      return;
    }
    let at = begin;
    for (let i = 0; i < this.#intervals; i++) {
      this.#appendPure(at, this.#intervalEnd[i], this.#intervalValue[i]);
      at = this.#intervalEnd[i];
    }
  }

  #appendPure(begin: HostNs, end: HostNs, value: number): void {
    const from = Math.max(begin, this.#from);
    const to = Math.min(end, this.#to);
    const out = this.#out;
    const last = out.length - 1;
    if (to <= from) return;
    if (last < this.#rowBegin) {
      if (value !== GAP) out.push(from, to, value, -1);
    } else if (out.value[last] === value && out.end[last] === from) {
      out.end[last] = to;
    } else {
      out.push(from, to, value, -1);
    }
  }

  #appendMixed(begin: HostNs, end: HostNs): void {
    const from = Math.max(begin, this.#from);
    const to = Math.min(end, this.#to);
    const out = this.#out;
    const last = out.length - 1;
    if (to <= from) return;
    this.#groups.mix.end(this.#mix, to - from);
    const mix = out.pushMix(this.#mix);
    if (last >= this.#rowBegin && out.value[last] === MIXED && out.end[last] === from) out.end[last] = to;
    else out.push(from, to, MIXED, mix);
  }
}
