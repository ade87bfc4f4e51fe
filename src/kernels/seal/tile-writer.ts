/** Tiles as bytes: the writing half of `engine/history/tile-codec.ts`, which tells the format. */
import { ByteWriter, VARINT_BYTES, writeVarint } from './bytes';
import { endOf, TILE, valueOf } from './tiles';

/** Values below have a code of their own: one more than they are. */
const SMALL_END: i64 = 8;
const RING_CODE: i32 = 9;
const ESCAPE: i32 = 15;
const RING: i32 = 6;
/** Bytes in which the rest of a length follows, at most; one more stands for a double. */
const REST_BYTES: u64 = 6;
const DOUBLE_BYTES: usize = 8;
/** Most bytes a tile takes. */
export const TILE_BYTES: i32 = 1 + <i32>DOUBLE_BYTES + VARINT_BYTES;
/** No value: GAP and MIXED are -1 and -2. */
const EMPTY: i64 = -3;

export class TileWriter {
  private ring: usize = heap.alloc(<usize>RING << 3);
  private next: i32 = 0;

  /** Begins a run. */
  begin(): void {
    for (let place = 0; place < RING; place++) store<i64>(this.ring + (<usize>place << 3), EMPTY);
    this.next = 0;
  }

  /**
   * Writes touching tiles [first, stop) as a run that begins at `begin`, or those of them up to the one that takes the
   * bytes beyond `full`; the address behind the last one written.
   */
  writeRun(out: ByteWriter, first: usize, stop: usize, begin: i64, full: i32): usize {
    out.reserve(full + TILE_BYTES - out.length);
    this.begin();
    const last = out.start + full;
    let to = out.end;
    let from = begin;
    let tile = first;
    for (; tile < stop && to <= last; tile += TILE) {
      const end = endOf(tile);
      to = this.write(to, end - from, valueOf(tile));
      from = end;
    }
    out.end = to;
    return tile;
  }

  /** `duration` in ns, above 0; writes at an address, which has `TILE_BYTES`; the address behind it. */
  @inline
  write(address: usize, duration: u64, value: i64): usize {
    let at = address;
    const code = <u64>(value + 1) <= <u64>SMALL_END ? <i32>value + 1 : this.ringCodeOf(value);
    at = writeLength(at, duration, code);
    return code === ESCAPE ? writeVarint(at, value + 2) : at;
  }

  private ringCodeOf(value: i64): i32 {
    const ring = this.ring;
    let code = ESCAPE;
    for (let place = 0; place < RING; place++)
      code = select(RING_CODE + place, code, load<i64>(ring + (<usize>place << 3)) === value);
    if (code === ESCAPE) {
      store<i64>(ring + (<usize>this.next << 3), value);
      this.next = this.next === RING - 1 ? 0 : this.next + 1;
    }
    return code;
  }
}

/** Writes the code and a length, and some bytes more, which do not count; the address behind. */
@inline
function writeLength(at: usize, duration: u64, code: i32): usize {
  const rest = duration >> 1;
  const bytes = (<u64>71 - clz<u64>(rest)) >> 3;
  if (bytes <= REST_BYTES) {
    store<u64>(at, (rest << 8) | (bytes << 5) | ((duration & 1) << 4) | <u64>code);
    return at + 1 + <usize>bytes;
  }
  store<u8>(at, <u8>(((<i32>REST_BYTES + 1) << 5) | code));
  store<f64>(at + 1, <f64>duration);
  return at + 1 + DOUBLE_BYTES;
}
