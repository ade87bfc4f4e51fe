/** Writes the levels of detail of segments; `engine/history/levels.ts` describes what they are and how they are stored. */
import { VARINT_BYTES } from '../../engine/history/bytes';
import { INTERVAL_BYTES } from '../../engine/history/interval-codec';
import { MIXED } from '../../engine/history/intervals';
import { FEW, MAX_LEVEL, NO_LEVEL, PAYS, SAMPLE, SHRINKS } from '../../engine/history/levels';
import { FIRST_GROUPS, FULL_BIT, MORE_BIT, WHOLE } from '../../engine/history/state-mix';
import { GROUP_BLOCKED, GROUP_COUNT } from '../../engine/history/types';
import { I64Column } from '../columns';
import { ByteWriter, IntList, writeVarint } from './bytes';
import { BucketFold, CAUSE, MIX, Spans } from './fold';
import { beginRun, endOf, INTERVAL, joinEqual, Run, valueOf, writeInterval } from './intervals';

/** Most bytes a mix takes. */
const MIX_BYTES: i32 = 3 + GROUP_COUNT;

/** The rows of one level as they gather: row numbers, ends of their streams, the streams. */
class LevelWriter {
  row: IntList = new IntList();
  end: IntList = new IntList();
  streams: ByteWriter = new ByteWriter();

  constructor(public level: i32) {}

  clear(): void {
    this.row.length = 0;
    this.end.length = 0;
    this.streams.length = 0;
  }

  /** Adds a row: its spans, folded at the level's width over a segment that begins at `from`. */
  add(row: i32, spans: Spans, from: i64): void {
    const out = this.streams;
    const run = spans.run;
    out.reserve(VARINT_BYTES + spans.size() * (INTERVAL_BYTES + MIX_BYTES));
    this.row.push(row);
    beginRun();
    let at = writeVarint(out.end, run.begin - from);
    let begin = run.begin;
    let mix = spans.mixes;
    for (let interval = run.first; interval < run.stop; ) {
      const value = valueOf(interval);
      let last = interval;
      if (value === MIXED) while (last + INTERVAL < run.stop && valueOf(last + INTERVAL) === MIXED) last += INTERVAL;
      at = writeInterval(at, endOf(last) - begin, value);
      if (value === MIXED) {
        for (; interval <= last; interval += INTERVAL, mix += MIX) {
          at = writeMix(at, mix, endOf(interval) - begin);
          begin = endOf(interval);
        }
      } else {
        begin = endOf(interval);
        interval += INTERVAL;
      }
    }
    out.end = at;
    this.end.push(out.length);
  }

  /** Appends the level as directories hold it. */
  writeTo(out: ByteWriter): void {
    out.varint(this.level);
    out.varint(this.row.length);
    let row = 0;
    let end = 0;
    for (let i = 0; i < this.row.length; i++) {
      out.varint(this.row.at(i) - row);
      out.varint(this.end.at(i) - end);
      row = this.row.at(i);
      end = this.end.at(i);
    }
    out.appendWritten(this.streams);
  }
}

/** Writes the mix of `length` ns at an address, which has `MIX_BYTES`; the address behind it. */
function writeMix(address: usize, mix: usize, length: i64): usize {
  const scale: f64 = 255 / <f64>length;
  const times = changetype<I64Column>(mix);
  let more: i64 = 0;
  for (let group = FIRST_GROUPS; group < GROUP_COUNT; group++) more |= times[group];
  const hasMore = more !== 0;
  let at = address + 1 + usize(hasMore);
  let mask = 0;
  let sum = 0;
  let ns: i64 = 0;
  for (let group = 0; group < GROUP_COUNT; group++) {
    // Rounding the running sum makes the shares of a full bucket add up to 255.
    ns += times[group];
    const rounded = <i32>reinterpret<i64>(<f64>ns * scale + WHOLE);
    const share = rounded - sum;
    sum = rounded;
    // A share that is zero is overwritten: no branch could foretell which ones are.
    store<u8>(at, <u8>share);
    at += usize(share !== 0);
    mask |= i32(share !== 0) << group;
  }
  const isFull = sum === 255;
  at -= usize(isFull);
  store<u8>(at, <u8>load<i64>(mix, CAUSE));
  at += usize((mask >> GROUP_BLOCKED) & 1);
  store<u8>(address, <u8>((mask & (FULL_BIT - 1)) | (i32(isFull) * FULL_BIT) | (i32(hasMore) * MORE_BIT)));
  if (hasMore) store<u8>(address, <u8>(mask >> FIRST_GROUPS), 1);
  return at;
}

/** Writes the outlines of segments (`engine/history/levels.ts`): every drawn row at one level. */
export class OutlineWriter {
  level: LevelWriter = new LevelWriter(NO_LEVEL);
  /** Per row what directories have before the levels. */
  heads: ByteWriter = new ByteWriter();
  rows: i32 = 0;
  private attribute: i32 = 0;

  /** Begins a segment. */
  clear(level: i32): void {
    this.level.level = level;
    this.level.clear();
    this.heads.length = 0;
    this.rows = 0;
    this.attribute = 0;
  }

  /** A row that has one value all over the segment. */
  constant(attribute: i32, continued: i32, value: i64): void {
    this.addRow(attribute);
    this.heads.varint(2 + continued);
    this.heads.varint(value);
  }

  /** Begins any other row of the segment. */
  begin(attribute: i32, continued: i32): void {
    this.addRow(attribute);
    this.heads.varint(continued);
    // No summary.
    this.heads.varint(0);
  }

  /** Its spans, folded at the outline's width over a segment that begins at `from`. */
  add(spans: Spans, from: i64): void {
    this.level.add(this.rows - 1, spans, from);
  }

  private addRow(attribute: i32): void {
    this.heads.varint(attribute - this.attribute);
    this.attribute = attribute;
    this.rows++;
  }
}

function widthOfLevel(level: i32): i64 {
  return <i64>1 << (2 * level);
}

export class LevelsWriter {
  /** Writers by level; those without a row are not stored. */
  levels: StaticArray<LevelWriter> = allLevels();
  private spans: Spans = new Spans();
  private coarser: Spans = new Spans();
  private fold: BucketFold = new BucketFold();
  /** Sums of a sample of intervals, by level at which they are at least a bucket long: their number and their time. */
  private sampleCount: I64Column = changetype<I64Column>(heap.alloc(<usize>(MAX_LEVEL + 1) << 3));
  private sampleTime: I64Column = changetype<I64Column>(heap.alloc(<usize>(MAX_LEVEL + 1) << 3));

  constructor(private outline: OutlineWriter) {}

  /** Begins a segment. */
  clear(from: i64, to: i64): void {
    for (let level = 0; level <= MAX_LEVEL; level++) this.levels[level].clear();
    this.fold.from = from;
    this.fold.to = to;
  }

  /** Adds the levels of one row of the segment, and what the outline has of it. */
  add(intervals: Run, row: i32, scheme: i32): void {
    const count = <f64>((intervals.stop - intervals.first) / INTERVAL);
    const outline = this.outline.level.level;
    let most = count / <f64>PAYS;
    const finest = most < 2 ? NO_LEVEL : this.firstLevel(intervals, most);
    let level = min(finest, outline);
    if (level === NO_LEVEL) return;
    joinEqual(intervals);
    this.fold.foldIntervals(intervals, level, scheme, this.spans);
    for (;;) {
      const spans = this.spans;
      if (level === outline) this.outline.add(spans, this.fold.from);
      let next = finest;
      if (level >= finest) {
        const size = <f64>spans.size();
        if (size <= most) {
          this.levels[level].add(row, spans, this.fold.from);
          most = size < <f64>FEW ? 0 : size / <f64>SHRINKS;
        }
        next = level + 1;
        if (most < 1 || widthOfLevel(level) >= this.fold.to - this.fold.from) {
          most = 0;
          next = outline;
        }
      }
      if (next <= level || next > MAX_LEVEL) return;
      this.fold.foldSpans(spans, next, scheme, this.coarser);
      level = next;
      this.spans = this.coarser;
      this.coarser = spans;
    }
  }

  /**
   * A level with about `most` spans, from a sample of the intervals: those as long as a bucket stay, the others fill
   * buckets with their time.
   */
  private firstLevel(intervals: Run, most: f64): i32 {
    for (let level = 0; level <= MAX_LEVEL; level++) {
      this.sampleCount[level] = 0;
      this.sampleTime[level] = 0;
    }
    const step = (<i64>((intervals.stop - intervals.first) / INTERVAL) + SAMPLE - 1) / SAMPLE;
    let longer: i64 = 0;
    for (let interval = intervals.first + INTERVAL; interval < intervals.stop; interval += INTERVAL * <usize>step) {
      const duration = endOf(interval) - endOf(interval - INTERVAL);
      const level = min(MAX_LEVEL, (63 - <i32>clz<u64>(duration)) >> 1);
      this.sampleCount[level] = this.sampleCount[level] + step;
      this.sampleTime[level] = this.sampleTime[level] + step * duration;
      longer += step;
    }
    let shortTime: i64 = 0;
    for (let level = 0; level < MAX_LEVEL; level++) {
      if (<f64>longer + <f64>shortTime / <f64>widthOfLevel(level) <= most) return level;
      longer -= this.sampleCount[level];
      shortTime += this.sampleTime[level];
    }
    return MAX_LEVEL;
  }
}

function allLevels(): StaticArray<LevelWriter> {
  const levels = new StaticArray<LevelWriter>(MAX_LEVEL + 1);
  for (let level = 0; level <= MAX_LEVEL; level++) levels[level] = new LevelWriter(level);
  return levels;
}
