/**
 * Folds touching tiles into what can be drawn at a bucket width: `BucketFold` of `engine/history/bucket-fold.ts`, for
 * pieces of history that are cut at the segment's borders. A bucket is mixed where more than one change lies inside.
 */
import { causeOf, GROUP_BLOCKED, groupsOf } from './schemes';
import { CAUSE, LONGEST, MIX, Spans } from './spans';
import { endOf, MIXED, Run, TILE, valueOf } from './tiles';

export class BucketFold {
  /** The segment. */
  from: i64 = 0;
  to: i64 = 0;

  /**
   * Folds tiles of a row, or its spans at a narrower width, to a level. Neighbours have different values.
   * @param mixes those of the spans; 0 for tiles
   */
  fold(run: Run, mixes: usize, level: i32, scheme: i32, out: Spans): void {
    const groups = groupsOf(scheme);
    const shift = <i64>(2 * level);
    const stop = run.stop;
    let source = mixes;
    let tile = run.first;
    let from = run.begin;
    out.clear(from, <i32>((stop - tile) / TILE));
    let bucket = (from >> shift) << shift;
    // A row that begins within a bucket changes there.
    let changes = usize(from > max(bucket, this.from));
    while (tile < stop) {
      const bucketEnd = bucket + ((<i64>1) << shift);
      const first = tile;
      const mix = out.beginMix();
      let isMixed = false;
      let end: i64;
      for (;;) {
        if (mixes === 0) {
          tile = addInside(tile, stop, from, bucketEnd, groups, mix);
          if (tile > first) from = endOf(tile - TILE);
        }
        if (tile === stop) break;
        end = endOf(tile);
        const value = valueOf(tile);
        if (value >= 0) {
          addPure(value, min(end, bucketEnd) - from, groups, mix);
        } else if (value === MIXED) {
          addMix(source, mix);
          source += MIX;
          isMixed = true;
        }
        if (end >= bucketEnd) break;
        from = end;
        tile += TILE;
      }
      changes += (tile - first) / TILE;
      // Where the segment ends nothing is known to change.
      if (tile === stop && from === this.to) changes--;
      if (isMixed || changes > 1) {
        isMixed = true;
        resolveCause(mix, scheme);
        out.pushMixed(max(bucket, this.from), min(bucketEnd, this.to));
      } else {
        for (let whole = first; whole < tile; whole += TILE) out.pushPure(endOf(whole), valueOf(whole));
      }
      if (tile === stop) return;
      changes = 0;
      bucket = (end >> shift) << shift;
      if (bucket > bucketEnd || !isMixed) out.pushPure(bucket, valueOf(tile));
      from = bucket;
      if (end === bucket) tile += TILE;
    }
  }
}

/** Adds up the tiles from `first` on that have a value and end before `until`; the first one that does not. */
function addInside(first: usize, stop: usize, begin: i64, until: i64, groups: usize, mix: usize): usize {
  let from = begin;
  let tile = first;
  for (; tile < stop; tile += TILE) {
    const end = endOf(tile);
    const value = valueOf(tile);
    if (end >= until || value < 0) break;
    addPure(value, end - from, groups, mix);
    from = end;
  }
  return tile;
}

/** The cause of the longest wait is not asked for before it is known which one that is: ~value stands for it. */
@inline
function addPure(value: i64, length: i64, groups: usize, mix: usize): void {
  const group = <i32>load<u8>(groups + (<usize>value & 15));
  const at = mix + (<usize>group << 3);
  store<i64>(at, load<i64>(at) + length);
  if (group === GROUP_BLOCKED && length > load<i64>(mix, LONGEST)) {
    store<i64>(mix, length, LONGEST);
    store<i64>(mix, ~value, CAUSE);
  }
}

function resolveCause(mix: usize, scheme: i32): void {
  const cause = load<i64>(mix, CAUSE);
  if (cause < 0) store<i64>(mix, causeOf(scheme, <f64>~cause), CAUSE);
}

function addMix(other: usize, mix: usize): void {
  for (let at: usize = 0; at < LONGEST; at += 8)
    store<i64>(mix + at, load<i64>(mix + at) + load<i64>(other + at));
  if (load<i64>(other, LONGEST) <= load<i64>(mix, LONGEST)) return;
  store<i64>(mix, load<i64>(other, LONGEST), LONGEST);
  store<i64>(mix, load<i64>(other, CAUSE), CAUSE);
}
