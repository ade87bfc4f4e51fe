/**
 * Spans of a row as they are drawn at some width (`engine/history/bucket-fold.ts`): touching intervals as those of a row,
 * with one of value MIXED for each mixed bucket, whose mix stands aside.
 */
import { MIX as MIX_NUMBERS } from '../../engine/history/mix';
import { MIX_CAUSE, MIX_LONGEST } from '../../engine/history/state-mix';
import { EMPTY } from '../../engine/history/interval-codec';
import { MIXED } from '../../engine/history/intervals';
import { Arena } from './memory';
import { Run, INTERVAL, valueOf } from './intervals';

/** Bytes of a mix, whose numbers are i64, and where some of them are. */
export const MIX: usize = MIX_NUMBERS << 3;
export const LONGEST: usize = MIX_LONGEST << 3;
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
