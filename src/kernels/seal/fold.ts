/**
 * Folds the tiles of one row into what can be drawn at a bucket width: `BucketFold` of
 * `engine/history/bucket-fold.ts`, for pieces of history that are cut at the segment's borders.
 */
import { f64At, i32At, setF64 } from '../columns';
import { causeOf, GROUP_BLOCKED, GROUP_COUNT, groupOf } from './schemes';
import { MIX, MIX_CAUSE, MIX_LONGEST, SpanList } from './spans';
import { GAP, MIXED, Sorted } from './tiles';

/** Exact pieces of the bucket at hand, as long as it has not more than one change. */
const PIECES: i32 = 2;

export class BucketFold {
  private width: f64 = 1;
  private from: f64 = 0;
  private to: f64 = 0;
  private out: SpanList = new SpanList();
  private scheme: i32 = 0;
  /** Whether anything was fed since `begin`. */
  private started: bool = false;
  /** The interval that may still go on. */
  private pendingBegin: f64 = 0;
  private pendingEnd: f64 = 0;
  private pending: f64 = GAP;
  /** The bucket in which a border lies, if `open`. */
  private open: bool = false;
  private bucket: f64 = 0;
  private isMixed: bool = false;
  private mix: usize = heap.alloc(<usize>MIX << 3);
  private pieceEnd: usize = heap.alloc(<usize>PIECES << 3);
  private pieceValue: usize = heap.alloc(<usize>PIECES << 3);
  private pieces: i32 = 0;

  /** Begins the spans of one row in `out`, clipped to [from, to). */
  begin(width: f64, from: f64, to: f64, scheme: i32, out: SpanList): void {
    this.width = width;
    this.from = from;
    this.to = to;
    this.scheme = scheme;
    this.out = out;
    out.clear();
    this.started = false;
    this.open = false;
  }

  /** All tiles of a row. */
  row(tiles: Sorted, row: i32): void {
    const stop = i32At(tiles.start, row + 1);
    let from = f64At(tiles.begin, row);
    for (let i = i32At(tiles.start, row); i < stop; ) {
      this.pure(from, f64At(tiles.end, i), f64At(tiles.value, i));
      i = this.inside(tiles.end, tiles.value, i + 1, stop);
      from = f64At(tiles.end, i - 1);
    }
    this.finish();
  }

  /**
   * As `pure` with each of the pieces [first, stop) as long as the pending interval has both its ends inside the open
   * bucket; number of the first piece not taken.
   */
  private inside(end: usize, value: usize, first: i32, stop: i32): i32 {
    const least = Math.max(this.bucket, this.from);
    const most = Math.min(this.bucket + this.width, this.to);
    let from = this.pendingBegin;
    let to = this.pendingEnd;
    if (!this.open || from <= least || to >= most) return first;
    let pending = this.pending;
    let i = first;
    for (; i < stop && to < most; to = f64At(end, i++)) {
      const next = f64At(value, i);
      if (next === pending) continue;
      this.isMixed = true;
      this.addTime(pending, to - from);
      pending = next;
      from = to;
    }
    this.pendingBegin = from;
    this.pendingEnd = to;
    this.pending = pending;
    return i;
  }

  /** A value, or GAP, from `begin` (the end of what was fed before, or after it: a gap) to `end`. */
  pure(begin: f64, end: f64, value: f64): void {
    if (!this.started) this.start(begin);
    else if (begin > this.pendingEnd) this.next(this.pendingEnd, begin, GAP);
    this.next(begin, end, value);
  }

  private next(begin: f64, end: f64, value: f64): void {
    if (value === this.pending) {
      this.pendingEnd = end;
      return;
    }
    this.flush();
    this.pendingBegin = begin;
    this.pendingEnd = end;
    this.pending = value;
  }

  /** A part of one bucket, of this or a narrower width, with the given mix. */
  mixed(begin: f64, end: f64, mix: usize): void {
    if (!this.started) this.start(begin);
    else if (begin > this.pendingEnd) this.next(this.pendingEnd, begin, GAP);
    this.flush();
    if (!this.open) this.openBucket(Math.floor(begin / this.width) * this.width);
    for (let group = 0; group < GROUP_COUNT; group++) this.addToMix(group, f64At(mix, group));
    if (f64At(mix, MIX_LONGEST) > f64At(this.mix, MIX_LONGEST)) {
      setF64(this.mix, MIX_LONGEST, f64At(mix, MIX_LONGEST));
      setF64(this.mix, MIX_CAUSE, f64At(mix, MIX_CAUSE));
    }
    this.isMixed = true;
    if (end === this.bucket + this.width) this.closeBucket();
    // Nothing is pending: an empty gap.
    this.pendingBegin = end;
    this.pendingEnd = end;
    this.pending = GAP;
  }

  /** Ends the row. */
  finish(): void {
    if (!this.started) return;
    this.flush();
    if (this.open) this.closeBucket();
  }

  /** What lies before the row's first piece: a gap without begin, or, at a cut, what nobody here knows. */
  private start(begin: f64): void {
    this.started = true;
    this.pendingBegin = begin === this.from ? begin : -Infinity;
    this.pendingEnd = begin;
    this.pending = GAP;
  }

  /** Takes the pending interval into buckets. */
  private flush(): void {
    const end = this.pendingEnd;
    let begin = this.pendingBegin;
    if (end <= begin) return;
    const width = this.width;
    // An interval between two changes inside a bucket is what makes the bucket mixed.
    const whole = begin > this.from && end < this.to;
    if (this.open) {
      const bucketEnd = this.bucket + width;
      const isInside = whole && begin > this.bucket && end < bucketEnd;
      this.piece(begin, Math.min(end, bucketEnd), isInside);
      if (end < bucketEnd) return;
      this.closeBucket();
      begin = bucketEnd;
    }
    const lastBucket = Math.floor(end / width) * width;
    if (lastBucket > begin) this.appendPure(begin, lastBucket, this.pending);
    if (end > lastBucket) {
      this.openBucket(lastBucket);
      this.piece(Math.max(begin, lastBucket), end, whole && this.pendingBegin > lastBucket);
    }
  }

  private openBucket(begin: f64): void {
    this.open = true;
    this.bucket = begin;
    this.isMixed = false;
    this.pieces = 0;
    for (let i = 0; i < MIX; i++) setF64(this.mix, i, 0);
  }

  /** A stretch of the pending value within the bucket at hand. */
  private piece(begin: f64, end: f64, mixes: bool): void {
    const value = this.pending;
    if (mixes) {
      this.isMixed = true;
    } else if (this.pieces < PIECES) {
      setF64(this.pieceEnd, this.pieces, end);
      setF64(this.pieceValue, this.pieces++, value);
    }
    this.addTime(value, end - begin);
  }

  /** Adds ns of a value to the bucket's mix. */
  private addTime(value: f64, length: f64): void {
    if (value === GAP) return;
    const group = groupOf(this.scheme, value);
    if (group >= GROUP_COUNT) return;
    this.addToMix(group, length);
    if (group === GROUP_BLOCKED && length > f64At(this.mix, MIX_LONGEST)) {
      setF64(this.mix, MIX_LONGEST, length);
      setF64(this.mix, MIX_CAUSE, causeOf(this.scheme, value));
    }
  }

  @inline
  private addToMix(group: i32, length: f64): void {
    setF64(this.mix, group, f64At(this.mix, group) + length);
  }

  private closeBucket(): void {
    this.open = false;
    const begin = this.bucket;
    if (this.isMixed) {
      this.appendMixed(begin, begin + this.width);
      return;
    }
    let at = begin;
    for (let i = 0; i < this.pieces; i++) {
      const end = f64At(this.pieceEnd, i);
      this.appendPure(at, end, f64At(this.pieceValue, i));
      at = end;
    }
  }

  private appendPure(begin: f64, end: f64, value: f64): void {
    const from = Math.max(begin, this.from);
    const to = Math.min(end, this.to);
    const out = this.out;
    const last = out.length - 1;
    if (to <= from) return;
    if (last < 0) {
      if (value !== GAP) out.push(from, to, value, -1);
    } else if (f64At(out.value, last) === value && out.endAt(last) === from) {
      setF64(out.end, last, to);
    } else {
      out.push(from, to, value, -1);
    }
  }

  private appendMixed(begin: f64, end: f64): void {
    const from = Math.max(begin, this.from);
    const to = Math.min(end, this.to);
    const out = this.out;
    const last = out.length - 1;
    if (to <= from) return;
    const mix = out.pushMix(this.mix);
    if (last >= 0 && f64At(out.value, last) === MIXED && out.endAt(last) === from) setF64(out.end, last, to);
    else out.push(from, to, MIXED, mix);
  }
}
