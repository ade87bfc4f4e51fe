/** One level of detail of a segment as it is written, row by row (`levels.ts` describes what it is). */
import type { HostNs } from '../base/units.ts';
import type { SpanList } from './bucket-fold.ts';
import { ByteWriter } from './bytes.ts';
import { MIX, type MixForm } from './mix.ts';
import { INTERVAL_BYTES, IntervalWriter } from './interval-codec.ts';
import { MIXED } from './intervals.ts';

/** Width of the coarsest level: 4^26 = 2^52 ns, 52 days. */
export const MAX_LEVEL = 26;

/** A row without levels, or a segment without an outline. */
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

/** The rows of one level as they gather: row numbers, ends of their streams, the streams. */
export class LevelWriter {
  level: number;
  readonly row: number[] = [];
  readonly end: number[] = [];
  readonly streams = new ByteWriter();
  readonly interval = new IntervalWriter(this.streams);

  constructor(level: number) {
    this.level = level;
  }

  clear(): void {
    this.row.length = 0;
    this.end.length = 0;
    this.streams.length = 0;
  }
}

/** Adds a row to a level: its spans, folded at the level's width over a segment that begins at `from`. */
export function writeLevelRow(
  writer: LevelWriter,
  row: number,
  spans: SpanList,
  from: HostNs,
  form: MixForm,
): void {
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

export function bucketEnd(time: HostNs, width: number): HostNs {
  return (Math.floor(time / width) + 1) * width;
}
