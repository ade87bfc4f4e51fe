/**
 * Spans of a row as they are drawn at some width (`engine/history/bucket-fold.ts`): touching tiles as those of a row,
 * with one of value MIXED for each mixed bucket, whose mix stands aside.
 */
import { Room } from './memory';
import { GROUP_COUNT } from './schemes';
import { MIXED, NOTHING, Run, TILE, valueOf } from './tiles';

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
  /** Stretches of mixed buckets. */
  private mixedRuns: i32 = 0;
  private tileRoom: Room = new Room();
  private mixRoom: Room = new Room();

  /** Begins a row with room for what folding so many tiles gives, behind a tile of no value. */
  clear(begin: i64, tiles: i32): void {
    // A tile may be cut at both ends, but no two share what is mixed between them.
    this.tileRoom.reserve((2 * tiles + 5) * <i32>TILE);
    this.mixRoom.reserve((tiles + 4) * <i32>MIX);
    store<i64>(this.tileRoom.start, NOTHING, 8);
    this.run.begin = begin;
    this.run.first = this.tileRoom.start + TILE;
    this.mixes = this.mixRoom.start;
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

  /** Spans and mixes, a stretch of mixed buckets being one span. */
  size(): i32 {
    const tiles = <i32>((this.run.stop - this.run.first) / TILE);
    return tiles + this.mixedRuns;
  }
}
