/** Writes one level of detail of a segment, as directories hold it. */
import { FIRST_GROUPS, FULL_BIT, MORE_BIT, WHOLE } from '../../engine/history/state-mix';
import { VARINT_BYTES } from '../../engine/history/bytes';
import { INTERVAL_BYTES } from '../../engine/history/interval-codec';
import { MIXED } from '../../engine/history/intervals';
import { GROUP_BLOCKED, GROUP_COUNT } from '../../engine/history/types';
import { I64Column } from '../columns';
import { ByteWriter, writeVarint, IntList } from './bytes';
import { CAUSE, MIX, Spans } from './fold';
import { beginRun, writeInterval, endOf, INTERVAL, valueOf } from './intervals';

/** Most bytes a mix takes. */
const MIX_BYTES: i32 = 3 + GROUP_COUNT;

/** The rows of one level as they gather: row numbers, ends of their streams, the streams. */
export class LevelWriter {
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
