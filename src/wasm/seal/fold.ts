/**
 * Folds touching intervals into what can be drawn at a bucket width: `BucketFold` of `engine/history/bucket-fold.ts`, for
 * intervals of history that are cut at the segment's borders. A bucket is mixed where more than one change lies inside.
 */
import { GROUP_BLOCKED, GROUP_COUNT } from '../../engine/history/types';
import { MIXED } from '../../engine/history/intervals';
import { causeOf, groupPlaceOf, placesOf } from './schemes';
import { CAUSE, LONGEST, MIX, Spans } from './spans';
import { endOf, Run, INTERVAL, valueOf } from './intervals';

// `clearMix` and `addMix` do four pairs of groups.
if (GROUP_COUNT !== 8) ERROR('eight groups are folded');

/** Where a mix has the time of waits. */
const BLOCKED: usize = GROUP_BLOCKED << 3;

export class BucketFold {
  /** The segment. */
  from: i64 = 0;
  to: i64 = 0;

  /** Folds intervals of a row to a level. Neighbours have different values. */
  foldIntervals(intervals: Run, level: i32, scheme: i32, out: Spans): void {
    this.fold(intervals, 0, level, scheme, out);
  }

  /** Folds a row's spans at a narrower width. */
  foldSpans(spans: Spans, level: i32, scheme: i32, out: Spans): void {
    this.fold(spans.run, spans.mixes, level, scheme, out);
  }

  /** @param mixes those of spans; 0 for intervals, none of which is mixed */
  @inline
  private fold(run: Run, mixes: usize, level: i32, scheme: i32, out: Spans): void {
    const places = placesOf(scheme);
    const shift = <i64>(2 * level);
    const width = <i64>1 << shift;
    const stop = run.stop;
    let source = mixes;
    let interval = run.first;
    let from = run.begin;
    out.clear(from, <i32>((stop - interval) / INTERVAL));
    let to = out.run.first;
    let mix = out.mixes;
    let mixedRuns = 0;
    let bucket = (from >> shift) << shift;
    // A row that begins within a bucket changes there.
    let changes = usize(from > max(bucket, this.from));
    while (interval < stop) {
      const bucketEnd = bucket + width;
      const first = interval;
      let isMixed = false;
      let longest: i64 = 0;
      let cause: i64 = 0;
      let end: i64 = 0;
      clearMix(mix);
      for (; interval < stop; interval += INTERVAL) {
        end = endOf(interval);
        const value = valueOf(interval);
        if (mixes !== 0 && value === MIXED) {
          addMix(source, mix);
          if (load<i64>(source, LONGEST) > longest) {
            longest = load<i64>(source, LONGEST);
            cause = load<i64>(source, CAUSE);
          }
          source += MIX;
          isMixed = true;
        } else {
          const length = min(end, bucketEnd) - from;
          const place = groupPlaceOf(places, value);
          store<i64>(mix + place, load<i64>(mix + place) + length);
          if (place === BLOCKED && length > longest) {
            longest = length;
            // Which cause that is is not asked for before it is known which wait is the longest.
            cause = ~value;
          }
        }
        if (end >= bucketEnd) break;
        from = end;
      }
      changes += (interval - first) / INTERVAL;
      // Where the segment ends nothing is known to change.
      if (interval === stop && from === this.to) changes--;
      if (isMixed || changes > 1) {
        isMixed = true;
        store<i64>(mix, longest, LONGEST);
        store<i64>(mix, cause < 0 ? <i64>causeOf(scheme, <f64>~cause) : cause, CAUSE);
        mixedRuns += i32(valueOf(to - INTERVAL) !== MIXED);
        store<i64>(to, min(bucketEnd, this.to));
        store<i64>(to, MIXED, 8);
        to += INTERVAL;
        mix += MIX;
      } else {
        for (let whole = first; whole < interval; whole += INTERVAL) to = pushPure(to, endOf(whole), valueOf(whole));
      }
      if (interval === stop) break;
      changes = 0;
      bucket = (end >> shift) << shift;
      if (bucket > bucketEnd || !isMixed) to = pushPure(to, bucket, valueOf(interval));
      from = bucket;
      if (end === bucket) interval += INTERVAL;
    }
    out.finish(to, mixedRuns, max((run.begin >> shift) << shift, this.from));
  }
}

/** A value, or GAP, until `end`, as the span at an address, or as more of the one before; the address behind. */
@inline
function pushPure(address: usize, end: i64, value: i64): usize {
  const at = address - usize(valueOf(address - INTERVAL) === value) * INTERVAL;
  store<i64>(at, end);
  store<i64>(at, value, 8);
  return at + INTERVAL;
}

/** No time of any group. */
@inline
function clearMix(mix: usize): void {
  const none = i64x2.splat(0);
  v128.store(mix, none);
  v128.store(mix, none, 16);
  v128.store(mix, none, 32);
  v128.store(mix, none, 48);
}

/** Adds time of groups. */
@inline
function addMix(other: usize, mix: usize): void {
  v128.store(mix, i64x2.add(v128.load(mix), v128.load(other)));
  v128.store(mix, i64x2.add(v128.load(mix, 16), v128.load(other, 16)), 16);
  v128.store(mix, i64x2.add(v128.load(mix, 32), v128.load(other, 32)), 32);
  v128.store(mix, i64x2.add(v128.load(mix, 48), v128.load(other, 48)), 48);
}
