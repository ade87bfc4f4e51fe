/** Tiles as bytes: the writing half of `engine/history/tile-codec.ts`, which tells the format. */
import { ByteWriter, VARINT_BYTES } from './bytes';
import { f64At, setF64 } from './memory';

const SMALL_END: f64 = 8;
const SMALL_FIRST: f64 = -1;
const RING_CODE: i32 = 9;
const ESCAPE: i32 = 15;
const RING: i32 = 6;
/** Most bytes a tile takes. */
export const TILE_BYTES: i32 = 1 + 2 * VARINT_BYTES;
/** No value: GAP and MIXED are -1 and -2. */
const EMPTY: f64 = -3;

export class TileWriter {
  private ring: usize = heap.alloc(<usize>RING << 3);
  private next: i32 = 0;

  constructor(private out: ByteWriter) {}

  /** Begins a run. */
  begin(): void {
    for (let place = 0; place < RING; place++) setF64(this.ring, place, EMPTY);
    this.next = 0;
  }

  /**
   * Writes touching tiles as a run, from number `first`, which begins at `begin`, to `stop` or to the one that takes
   * the bytes beyond `full`; the number after the last one written.
   */
  writeRun(end: usize, value: usize, first: i32, stop: i32, begin: f64, full: i32): i32 {
    const out = this.out;
    out.reserve(full + TILE_BYTES - out.length);
    this.begin();
    let from = begin;
    let i = first;
    while (i < stop && out.length <= full) {
      const to = f64At(end, i);
      this.write(to - from, f64At(value, i++));
      from = to;
    }
    return i;
  }

  /** `duration` in ns, above 0; within `TILE_BYTES` reserved before. */
  write(duration: f64, value: f64): void {
    const out = this.out;
    const code = this.codeOf(value);
    if (duration < 2147483648) {
      out.length += writeShort(out.start + out.length, <u32>duration, code);
    } else {
      const rest = Math.floor(duration / 8);
      out.reservedByte(128 | (<i32>(duration - rest * 8) << 4) | code);
      out.reservedVarint(rest);
    }
    if (code === ESCAPE) out.reservedVarint(value + 2);
  }

  @inline
  private codeOf(value: f64): i32 {
    if (value < SMALL_END && value >= SMALL_FIRST) return <i32>(value - SMALL_FIRST);
    return this.ringCodeOf(value);
  }

  private ringCodeOf(value: f64): i32 {
    for (let place = 0; place < RING; place++) if (f64At(this.ring, place) === value) return RING_CODE + place;
    setF64(this.ring, this.next, value);
    this.next = this.next === RING - 1 ? 0 : this.next + 1;
    return ESCAPE;
  }
}

/** Writes the code and a length below 2^31, and some bytes more, which do not count; the bytes needed. */
@inline
function writeShort(at: usize, duration: u32, code: i32): i32 {
  const rest = duration >> 3;
  const low = moreThan(rest, 0) | ((duration & 7) << 4) | code;
  const second = moreThan(rest, 0x7f) | (rest & 127);
  const third = moreThan(rest, 0x3fff) | ((rest >> 7) & 127);
  const fourth = moreThan(rest, 0x1fffff) | ((rest >> 14) & 127);
  store<u32>(at, low | (second << 8) | (third << 16) | (fourth << 24));
  store<u8>(at + 4, <u8>(rest >> 21));
  return 1 + (((38 - clz<u32>(rest)) * 37) >> 8);
}

/** The bit that tells of a further byte, where `rest` (below 2^28) is larger than `most`. */
@inline
function moreThan(rest: u32, most: u32): u32 {
  return ((most - rest) >> 24) & 128;
}
