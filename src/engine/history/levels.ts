/**
 * Levels of detail of a segment: for each row and bucket width 4^k ns, the spans of `bucket-fold.ts` as a run of
 * intervals in which every MIXED interval is followed by the mixes of its buckets. A level is kept only where it pays: where
 * it has far fewer spans than the intervals, and half as many as the level below, and that has not few already. What is not
 * kept is folded from the next finer level, or from the intervals, at a cost bounded by the same factor.
 */
import type { HostNs } from '../base/units.ts';
import { BucketFold, SpanList } from './bucket-fold.ts';
import { readVarint, ByteWriter } from './bytes.ts';
import { type GroupTable, MIX, type MixForm } from './mix.ts';
import { INTERVAL_BYTES, IntervalReader, IntervalWriter } from './interval-codec.ts';
import { GAP, MIXED, type SortedIntervals } from './intervals.ts';

/** Width of the coarsest level: 4^26 = 2^52 ns, 52 days. */
export const MAX_LEVEL = 26;

/** Level of a row without levels, or of a segment without an outline. */
export const NO_LEVEL = MAX_LEVEL + 1;

const WIDTHS = Float64Array.from({ length: MAX_LEVEL + 1 }, (_, level) => 4 ** level);

/** Bucket width of a level in ns. */
export function widthOfLevel(level: number): number {
  return WIDTHS[level];
}

/** The coarsest level whose buckets are at most `bucketNs` wide. */
export function levelOfWidth(bucketNs: number): number {
  let level = 0;
  while (level < MAX_LEVEL && widthOfLevel(level + 1) <= bucketNs) level++;
  return level;
}

/** Collects the rows of one level: row numbers, ends of their streams, the streams. */
export class LevelWriter {
  readonly row: number[] = [];
  readonly end: number[] = [];
  readonly streams = new ByteWriter();
  readonly interval = new IntervalWriter(this.streams);

  constructor(public level: number) {}

  clear(): void {
    this.row.length = 0;
    this.end.length = 0;
    this.streams.length = 0;
  }
}

/** Adds a row to a level: spans folded at the level's width, over a segment that begins at `from`. */
function writeLevelRow(writer: LevelWriter, row: number, spans: SpanList, from: HostNs, form: MixForm): void {
  const { streams: out, interval } = writer;
  const width = widthOfLevel(writer.level);
  writer.row.push(row);
  interval.begin();
  out.varint(spans.begin[0] - from);
  for (let i = 0; i < spans.length; i++) {
    let begin = spans.begin[i];
    const end = spans.end[i];
    out.reserve(INTERVAL_BYTES);
    interval.write(end - begin, spans.value[i]);
    if (spans.value[i] !== MIXED) continue;
    for (let mix = spans.mix[i]; begin < end; mix++) {
      const to = Math.min(bucketEnd(begin, width), end);
      form.write(spans.mixNs, mix * MIX, to - begin, out);
      begin = to;
    }
  }
  writer.end.push(out.length);
}

function bucketEnd(time: HostNs, width: number): HostNs {
  return (Math.floor(time / width) + 1) * width;
}

/** Least intervals of a row per span of its finest level. */
export const PAYS = 12;
/** Factor by which a level has to be smaller than the one below. */
export const SHRINKS = 2;

/** Number of spans below which a row gets no coarser level, as that would save nothing. */
export const FEW = 16;
/** Size of the sample of intervals from which a row's finest level is found; at least half as many are used. */
export const SAMPLE = 32;

/** Writes the levels of one segment after the other, and its outline, which is the same level for every row. */
export class LevelsWriter {
  /** Writers by level; levels without a row are not stored. */
  readonly levels = Array.from({ length: MAX_LEVEL + 1 }, (_, level) => new LevelWriter(level));
  #spans = new SpanList();
  #coarser = new SpanList();
  readonly #fold = new BucketFold(true);
  /** Number and time (`#sampleNs`) of a sample of intervals, by the level at which they are at least a bucket long. */
  readonly #sampleCount = new Float64Array(MAX_LEVEL + 1);
  readonly #sampleTime = new Float64Array(MAX_LEVEL + 1);

  constructor(private readonly outline: OutlineWriter) {}

  clear(): void {
    for (const level of this.levels) level.clear();
  }

  /**
   * Adds the levels of one row of the segment, and its part of the outline. Intervals are folded to the finest level;
   * each other level is folded from the one before.
   */
  add(intervals: SortedIntervals, row: number, groups: GroupTable): void {
    const { from, to } = intervals;
    const outline = this.outline.level.level;
    let most = (intervals.start[row + 1] - intervals.start[row]) / PAYS;
    const finest = most < 2 ? NO_LEVEL : this.#firstLevel(intervals, row, most);
    let level = Math.min(finest, outline);
    if (level === NO_LEVEL) return;
    this.#foldIntervals(intervals, row, groups, level);
    for (;;) {
      if (level === outline) this.outline.add(this.#spans, from, groups.mix);
      let next = finest;
      if (level >= finest) {
        const size = this.#spans.length + this.#spans.mixes;
        if (size <= most) {
          writeLevelRow(this.levels[level], row, this.#spans, from, groups.mix);
          most = size < FEW ? 0 : size / SHRINKS;
        }
        next = level + 1;
        if (most < 1 || widthOfLevel(level) >= to - from) {
          most = 0;
          next = outline;
        }
      }
      if (next <= level || next > MAX_LEVEL) return;
      this.#foldSpans(intervals, groups, level, next);
      level = next;
    }
  }

  #foldIntervals(intervals: SortedIntervals, row: number, groups: GroupTable, level: number): void {
    this.#spans.clear();
    this.#fold.begin(widthOfLevel(level), intervals.from, intervals.to, this.#spans);
    this.#fold.row(groups);
    this.#fold.intervals(
      intervals.end,
      intervals.value,
      intervals.start[row],
      intervals.start[row + 1],
      intervals.begin[row],
    );
    this.#fold.finish();
  }

  /** Folds the current spans to a coarser level. */
  #foldSpans({ from, to }: SortedIntervals, groups: GroupTable, level: number, coarser: number): void {
    this.#coarser.clear();
    this.#fold.begin(widthOfLevel(coarser), from, to, this.#coarser);
    this.#fold.row(groups);
    foldSpans(this.#spans, widthOfLevel(level), this.#fold);
    [this.#spans, this.#coarser] = [this.#coarser, this.#spans];
  }

  /**
   * A level with about `most` spans, estimated from a sample of the intervals: those as long as a bucket stay, the
   * others fill buckets with their time.
   */
  #firstLevel(intervals: SortedIntervals, row: number, most: number): number {
    const count = this.#sampleCount.fill(0);
    const time = this.#sampleTime.fill(0);
    const first = intervals.start[row];
    const step = Math.ceil((intervals.start[row + 1] - first) / SAMPLE);
    let longer = 0;
    for (let i = first + 1; i < intervals.start[row + 1]; i += step) {
      const duration = intervals.end[i] - intervals.end[i - 1];
      const high = Math.floor(duration / 2 ** 32);
      const bits = high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(duration);
      const level = duration >= widthOfLevel(MAX_LEVEL) ? MAX_LEVEL : bits >> 1;
      count[level] += step;
      time[level] += step * duration;
      longer += step;
    }
    let shortTime = 0;
    for (let level = 0; level < MAX_LEVEL; level++) {
      if (longer + shortTime / widthOfLevel(level) <= most) return level;
      longer -= count[level];
      shortTime += time[level];
    }
    return MAX_LEVEL;
  }
}

/** Folds spans of a narrower width. */
function foldSpans(spans: SpanList, width: number, fold: BucketFold): void {
  for (let i = 0; i < spans.length; i++) {
    let begin = spans.begin[i];
    const end = spans.end[i];
    if (spans.value[i] !== MIXED) {
      fold.pure(begin, end, spans.value[i]);
      continue;
    }
    for (let mix = spans.mix[i]; begin < end; mix++) {
      const to = Math.min(bucketEnd(begin, width), end);
      fold.mixed(begin, to, spans.mixNs, mix * MIX);
      begin = to;
    }
  }
  fold.finish();
}

/** One stored row of one level. */
export interface LevelStream {
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly end: number;
  readonly width: number;
  /** Begin of the segment. */
  readonly from: HostNs;
  readonly to: HostNs;
}

/** Mapping of a row's values before folding, for properties of the row that were learnt late. */
export interface LevelMapping {
  readonly groups: GroupTable;
  /** Folds an interval of one stored value. */
  pure(begin: HostNs, end: HostNs, value: number, fold: BucketFold): void;
  /** Maps a mix in place. */
  mix(mixNs: Float64Array): void;
  /**
   * Folds a bucket's intervals if its mix cannot tell what values mean now; false: the mix does, nothing was folded.
   */
  foldApart(begin: HostNs, end: HostNs, fold: BucketFold): boolean;
}

export class LevelReader {
  readonly #interval = new IntervalReader();
  readonly #mixNs = new Float64Array(MIX);

  /**
   * Folds the part of a level that lies in [from, to).
   * @param settled value of the row's last interval, if settled after the segment was written
   */
  fold(
    stream: LevelStream,
    from: HostNs,
    to: HostNs,
    mapping: LevelMapping,
    settled: number | undefined,
    fold: BucketFold,
  ): void {
    const interval = this.#interval;
    interval.open(stream.bytes, stream.at, stream.from);
    let begin = stream.from + readVarint(interval);
    interval.open(stream.bytes, interval.at, begin);
    while (interval.at < stream.end && begin < to) {
      interval.read();
      const { end, value } = interval;
      if (value === MIXED) {
        this.#foldMixed(stream, begin, end, from, mapping, settled, fold);
      } else if (end > from) {
        const known = end === stream.to ? (settled ?? value) : value;
        if (known === GAP) fold.pure(begin, end, GAP);
        else mapping.pure(begin, end, known, fold);
      }
      begin = end;
    }
  }

  /** Folds the buckets of a mixed interval, whose mixes follow it. */
  #foldMixed(
    stream: LevelStream,
    begin: HostNs,
    end: HostNs,
    from: HostNs,
    mapping: LevelMapping,
    settled: number | undefined,
    fold: BucketFold,
  ): void {
    const mixNs = this.#mixNs;
    const { groups } = mapping;
    for (let at = begin; at < end;) {
      const next = Math.min(bucketEnd(at, stream.width), end);
      groups.mix.read(this.#interval, next - at, mixNs);
      if (next === stream.to && settled !== undefined) groups.mix.settle(mixNs, settled, groups);
      mapping.mix(mixNs);
      if (next > from && !mapping.foldApart(at, next, fold)) fold.mixed(at, next, mixNs, 0);
      at = next;
    }
  }
}

/** Minimum number of buckets over the whole history: as many as a wide screen has pixels. */
const OUTLINE_BUCKETS = 4096;

/**
 * Level of the outline of a history of `lengthNs`; undefined: packets do not give the length, and there is no outline.
 */
export function outlineLevel(lengthNs: number): number | undefined {
  return lengthNs > 0 ? levelOfWidth(lengthNs / OUTLINE_BUCKETS) : undefined;
}

/**
 * Writes the outlines of one segment after the other. The outline of a history is every drawn row at one level of detail,
 * about as fine as the pixels of a view of the whole. Segments keep levels only where these are far smaller than the
 * intervals, so that a view of everything would read the blocks of nearly all segments for rows that have a few intervals in
 * each; the outline answers it from one record. A segment's part is a directory without blocks: a row is constant or has
 * a stream of the outline's level.
 */
export class OutlineWriter {
  readonly level = new LevelWriter(NO_LEVEL);
  /** Head of each row, as directories have it before the levels. */
  readonly heads = new ByteWriter();
  rows = 0;
  #attribute = 0;

  /** Begins a segment; `level` may be `NO_LEVEL`. */
  clear(level: number): void {
    this.level.level = level;
    this.level.clear();
    this.heads.length = 0;
    this.rows = 0;
    this.#attribute = 0;
  }

  /** Adds a row with one value throughout the segment. */
  constant(attribute: number, continued: number, value: number): void {
    this.#row(attribute);
    this.heads.varint(2 + continued);
    this.heads.varint(value);
  }

  /** Begins a row that is not constant. */
  begin(attribute: number, continued: number): void {
    this.#row(attribute);
    this.heads.varint(continued);
    // Length of the summary: there is none.
    this.heads.varint(0);
  }

  /** Adds a row by its spans, folded at the outline's width over a segment that begins at `from`. */
  add(spans: SpanList, from: HostNs, form: MixForm): void {
    writeLevelRow(this.level, this.rows - 1, spans, from, form);
  }

  #row(attribute: number): void {
    this.heads.varint(attribute - this.#attribute);
    this.#attribute = attribute;
    this.rows++;
  }
}
