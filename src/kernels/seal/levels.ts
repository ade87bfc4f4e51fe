/** Writes the levels of detail of segments; `engine/history/levels.ts` tells what they are and how they are stored. */
import { ByteWriter } from './bytes';
import { BucketFold } from './fold';
import { f64At, i32At, IntList, setF64 } from './memory';
import { GROUP_COUNT } from './schemes';
import { MIX, MIX_CAUSE, SpanList } from './spans';
import { TILE_BYTES, TileWriter } from './tile-writer';
import { MIXED, Sorted } from './tiles';

const MAX_LEVEL: i32 = 26;
/** Tiles that a row needs for each span of its finest level. */
const PAYS: f64 = 12;
/** How much smaller than the one below a level has to be. */
const SHRINKS: f64 = 2;
/** One tile of so many is looked at to find a row's finest level. */
const SAMPLE: i32 = 8;

const CAUSE_BIT: i32 = 64;
const FULL_BIT: i32 = 128;

export function widthOfLevel(level: i32): f64 {
  return <f64>(<u64>1 << (2 * level));
}

/** The rows of one level as they gather: row numbers, ends of their streams, the streams. */
export class LevelWriter {
  row: IntList = new IntList();
  end: IntList = new IntList();
  streams: ByteWriter = new ByteWriter();
  private tile: TileWriter = new TileWriter(this.streams);

  constructor(public level: i32) {}

  clear(): void {
    this.row.length = 0;
    this.end.length = 0;
    this.streams.length = 0;
  }

  /** Adds a row: its spans, folded at the level's width over a segment that begins at `from`. */
  add(row: i32, spans: SpanList, from: f64): void {
    const out = this.streams;
    const width = widthOfLevel(this.level);
    this.row.push(row);
    this.tile.begin();
    out.varint(f64At(spans.begin, 0) - from);
    for (let i = 0; i < spans.length; i++) {
      let begin = f64At(spans.begin, i);
      const end = spans.endAt(i);
      const value = f64At(spans.value, i);
      out.reserve(TILE_BYTES);
      this.tile.write(end - begin, value);
      if (value !== MIXED) continue;
      for (let mix = spans.mixNs + i32At(spans.mix, i) * (MIX << 3); begin < end; mix += MIX << 3) {
        const to = Math.min(bucketEnd(begin, width), end);
        writeMix(mix, to - begin, out);
        begin = to;
      }
    }
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

export class LevelsWriter {
  /** By level; those without a row are not stored. */
  levels: StaticArray<LevelWriter> = allLevels();
  private spans: SpanList = new SpanList();
  private coarser: SpanList = new SpanList();
  private fold: BucketFold = new BucketFold();
  /** Of a sample of tiles, by level at which they are at least a bucket long: their number and their time. */
  private sampleCount: usize = heap.alloc(<usize>(MAX_LEVEL + 1) << 3);
  private sampleTime: usize = heap.alloc(<usize>(MAX_LEVEL + 1) << 3);

  /** Begins a segment. */
  clear(): void {
    for (let level = 0; level <= MAX_LEVEL; level++) this.levels[level].clear();
  }

  /** Adds the levels of one row of the segment. */
  add(tiles: Sorted, row: i32, scheme: i32): void {
    const count = <f64>(i32At(tiles.start, row + 1) - i32At(tiles.start, row));
    if (count < 2 * PAYS) return;
    let most = count / PAYS;
    let level = this.firstLevel(tiles, row, most);
    this.fold.begin(widthOfLevel(level), tiles.from, tiles.to, scheme, this.spans);
    this.fold.row(tiles, row);
    for (;;) {
      const spans = this.spans;
      const size = <f64>(spans.length + spans.mixes);
      if (size <= most) {
        this.levels[level].add(row, spans, tiles.from);
        most = size / SHRINKS;
      }
      if (most < 1 || level === MAX_LEVEL || widthOfLevel(level) >= tiles.to - tiles.from) return;
      this.fold.begin(widthOfLevel(level + 1), tiles.from, tiles.to, scheme, this.coarser);
      foldSpans(spans, widthOfLevel(level), this.fold);
      level++;
      this.spans = this.coarser;
      this.coarser = spans;
    }
  }

  /**
   * A level with about `most` spans, from a sample of the tiles: those as long as a bucket stay, the others fill
   * buckets with their time.
   */
  private firstLevel(tiles: Sorted, row: i32, most: f64): i32 {
    for (let level = 0; level <= MAX_LEVEL; level++) {
      setF64(this.sampleCount, level, 0);
      setF64(this.sampleTime, level, 0);
    }
    const first = i32At(tiles.start, row);
    const stop = i32At(tiles.start, row + 1);
    const step = stop - first > 100 * SAMPLE ? SAMPLE : 1;
    let longer: f64 = 0;
    for (let i = first + 1; i < stop; i += step) {
      const duration = f64At(tiles.end, i) - f64At(tiles.end, i - 1);
      const isLong = duration >= widthOfLevel(MAX_LEVEL);
      const level = isLong ? MAX_LEVEL : (63 - <i32>clz<u64>(<u64>duration)) >> 1;
      setF64(this.sampleCount, level, f64At(this.sampleCount, level) + step);
      setF64(this.sampleTime, level, f64At(this.sampleTime, level) + step * duration);
      longer += step;
    }
    let shortTime: f64 = 0;
    for (let level = 0; level < MAX_LEVEL; level++) {
      if (longer + shortTime / widthOfLevel(level) <= most) return level;
      longer -= f64At(this.sampleCount, level);
      shortTime += f64At(this.sampleTime, level);
    }
    return MAX_LEVEL;
  }
}

function allLevels(): StaticArray<LevelWriter> {
  const levels = new StaticArray<LevelWriter>(MAX_LEVEL + 1);
  for (let level = 0; level <= MAX_LEVEL; level++) levels[level] = new LevelWriter(level);
  return levels;
}

/** Feeds spans of a narrower width. */
function foldSpans(spans: SpanList, width: f64, fold: BucketFold): void {
  for (let i = 0; i < spans.length; i++) {
    let begin = f64At(spans.begin, i);
    const end = spans.endAt(i);
    const value = f64At(spans.value, i);
    if (value !== MIXED) {
      fold.pure(begin, end, value);
      continue;
    }
    for (let mix = spans.mixNs + i32At(spans.mix, i) * (MIX << 3); begin < end; mix += MIX << 3) {
      const to = Math.min(bucketEnd(begin, width), end);
      fold.mixed(begin, to, mix);
      begin = to;
    }
  }
  fold.finish();
}

@inline
function bucketEnd(time: f64, width: f64): f64 {
  return (Math.floor(time / width) + 1) * width;
}

function writeMix(mix: usize, length: f64, out: ByteWriter): void {
  out.reserve(2 + GROUP_COUNT);
  const head = out.length++;
  let mask = 0;
  let sum = 0;
  let sumNs: f64 = 0;
  for (let group = 0; group < GROUP_COUNT; group++) {
    const ns = f64At(mix, group);
    if (ns === 0) continue;
    // Rounding the running sum makes the shares of a full bucket add up to 255.
    sumNs += ns;
    const share = <i32>Math.round((sumNs * 255) / length) - sum;
    if (share === 0) continue;
    sum += share;
    mask |= 1 << group;
    out.reservedByte(share);
  }
  if (sum === 255) {
    mask |= FULL_BIT;
    out.length--;
  }
  const cause = <i32>f64At(mix, MIX_CAUSE);
  if (cause !== 0) {
    mask |= CAUSE_BIT;
    out.reservedByte(cause);
  }
  store<u8>(out.start + head, <u8>mask);
}
