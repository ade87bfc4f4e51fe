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
    let rest = <u64>duration;
    let byte = <i32>(((rest & 7) << 4) | code);
    rest >>= 3;
    let at = out.start + out.length;
    if (rest === 0) {
      store<u8>(at++, <u8>byte);
    } else {
      store<u8>(at++, <u8>(byte | 128));
      for (; rest > 127; rest >>= 7) store<u8>(at++, <u8>(rest | 128));
      store<u8>(at++, <u8>rest);
    }
    out.length = <i32>(at - out.start);
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
