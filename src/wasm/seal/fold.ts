/**
 * Folds touching intervals into what can be drawn at a bucket width: `BucketFold` of `engine/history/bucket-fold.ts`, for
 * intervals of history that are cut at the segment's borders. A bucket is mixed where more than one change lies inside.
 */
import { GROUP_BLOCKED, GROUP_COUNT } from '../../engine/history/types';
import { MIXED } from '../../engine/history/intervals';
import { causeOf, groupPlaceOf, placesOf } from './schemes';
import { endOf, Run, INTERVAL, valueOf } from './intervals';
import { MIX as MIX_NUMBERS } from '../../engine/history/mix';
import { MIX_CAUSE, MIX_LONGEST } from '../../engine/history/state-mix';
import { EMPTY } from '../../engine/history/interval-codec';
import { Arena } from './bytes';

/** Bytes of a mix, whose numbers are i64, and where some of them are. */
export const MIX: usize = MIX_NUMBERS << 3;
const LONGEST: usize = MIX_LONGEST << 3;

/**
 * Spans of a row as they are drawn at some width (`engine/history/bucket-fold.ts`): touching intervals as those of a row,
 * with one of value MIXED for each mixed bucket, whose mix stands aside.
 */
export const CAUSE: usize = MIX_CAUSE << 3;

/** Where time of no group is summed up: behind the mix. */
export const NO_GROUP: i32 = MIX_NUMBERS;

export class Spans {
  run: Run = new Run();
  /** Mixes of its MIXED intervals, one after the other. */
  mixes: usize = 0;
  /** Ranges of mixed buckets. */
  private mixedRuns: i32 = 0;
  private intervalArena: Arena = new Arena();
  private mixArena: Arena = new Arena();

  /** Begins a row with room for what folding so many intervals gives, behind an interval of no value. */
  clear(begin: i64, intervals: i32): void {
    // An interval may be cut at both ends, but no two share what is mixed between them.
    this.intervalArena.reserve((2 * intervals + 5) * <i32>INTERVAL);
    this.mixArena.reserve((intervals + 4) * <i32>MIX);
    store<i64>(this.intervalArena.start, EMPTY, 8);
    this.run.begin = begin;
    this.run.first = this.intervalArena.start + INTERVAL;
    this.mixes = this.mixArena.start;
  }

  /**
   * Ends a row.
   * @param stop behind its last span
   * @param begin where the row begins if its first bucket is mixed
   */
  finish(stop: usize, mixedRuns: i32, begin: i64): void {
    const run = this.run;
    run.stop = stop;
    this.mixedRuns = mixedRuns;
    if (stop > run.first && valueOf(run.first) === MIXED) run.begin = begin;
  }

  /** Spans and mixes, a range of mixed buckets being one span. */
  size(): i32 {
    const intervals = <i32>((this.run.stop - this.run.first) / INTERVAL);
    return intervals + this.mixedRuns;
  }
}

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
