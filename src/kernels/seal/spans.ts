/**
 * Spans of a row as they are drawn at some width (`engine/history/bucket-fold.ts`): touching tiles as those of a row,
 * with one of value MIXED for each mixed bucket, whose mix stands aside.
 */
import { Room } from './memory';
import { GROUP_COUNT } from './schemes';
import { MIXED, Run, TILE, valueOf } from './tiles';

/** Numbers of a mix, i64: ns of each group, then the length of the longest wait and its cause. */
const MIX_NUMBERS: i32 = GROUP_COUNT + 2;
export const MIX: usize = MIX_NUMBERS << 3;
export const LONGEST: usize = GROUP_COUNT << 3;
export const CAUSE: usize = LONGEST + 8;
/** Where time of no group is summed up: behind the mix. */
export const NO_GROUP: i32 = MIX_NUMBERS;

export class Spans {
  run: Run = new Run();
  /** Mixes of its MIXED tiles, one after the other. */
  mixes: usize = 0;
  /** Where the mix of the next MIXED tile goes. */
  private mix: usize = 0;
  /** Stretches of mixed buckets. */
  private mixedRuns: i32 = 0;
  private tileRoom: Room = new Room();
  private mixRoom: Room = new Room();

  /** Begins a row with room for what folding so many tiles gives. */
  clear(begin: i64, tiles: i32): void {
    // A tile may be cut at both ends, but no two share what is mixed between them.
    this.tileRoom.reserve((2 * tiles + 4) * <i32>TILE);
    this.mixRoom.reserve((tiles + 4) * <i32>MIX);
    this.run.begin = begin;
    this.run.first = this.tileRoom.start;
    this.run.stop = this.tileRoom.start;
    this.mixes = this.mixRoom.start;
    this.mix = this.mixes;
    this.mixedRuns = 0;
  }

  /** Spans and mixes, a stretch of mixed buckets being one span. */
  size(): i32 {
    const tiles = <i32>((this.run.stop - this.run.first) / TILE);
    return tiles + this.mixedRuns;
  }

  /** Address of the mix of the next MIXED tile, all zero. */
  @inline
  beginMix(): usize {
    const mix = this.mix;
    for (let at: usize = 0; at < MIX; at += 8) store<i64>(mix + at, 0);
    return mix;
  }

  /** A value, or GAP, until `end`. */
  @inline
  pushPure(end: i64, value: i64): void {
    const run = this.run;
    let at = run.stop;
    if (at > run.first && valueOf(at - TILE) === value) at -= TILE;
    store<i64>(at, end);
    store<i64>(at, value, 8);
    run.stop = at + TILE;
  }

  /** The mix begun, of what lies between `begin` and `end` of one bucket. */
  @inline
  pushMixed(begin: i64, end: i64): void {
    const run = this.run;
    const at = run.stop;
    if (at === run.first) run.begin = begin;
    if (at === run.first || valueOf(at - TILE) !== MIXED) this.mixedRuns++;
    store<i64>(at, end);
    store<i64>(at, MIXED, 8);
    run.stop = at + TILE;
    this.mix += MIX;
  }
}
