/** Intervals as bytes: the writing half of `engine/history/interval-codec.ts`, which describes the format. */
import {
  DOUBLE_BYTES,
  EMPTY,
  ESCAPE,
  REST_BYTES,
  RING,
  RING_CODE,
  SMALL_END,
} from '../../engine/history/interval-codec';
import { writeVarint } from './bytes';

/**
 * The lower halves of the values met last, which distinguish them (`Sorted.isNarrow`), and two that are none. One ring
 * is enough: no run begins before the one before is written.
 */
const ring: usize = memory.data(32, 16);
/** Place of the oldest. */
let next: i32 = 0;

/** Begins a run. */
export function beginRun(): void {
  const empty = i32x4.splat(EMPTY);
  v128.store(ring, empty);
  v128.store(ring, empty, 16);
  next = 0;
}

/** Writes an interval of `duration` ns, above 0, at an address, which has `INTERVAL_BYTES`; the address behind it. */
@inline
export function writeInterval(address: usize, duration: u64, value: i64): usize {
  const small = <u32>value + 1;
  const code = select<u32>(small, RING_CODE + placeOf(value), small <= <u32>SMALL_END);
  const at = writeLength(address, duration, code);
  return code === <u32>ESCAPE ? writeValue(at, value) : at;
}

/** Place of a value in the ring, or RING. */
@inline
function placeOf(value: i64): u32 {
  const each = i32x4.splat(<i32>value);
  const equal = i16x8.narrow_i32x4_s(i32x4.eq(each, v128.load(ring)), i32x4.eq(each, v128.load(ring, 16)));
  return ctz(i8x16.bitmask(equal) | (1 << (2 * RING))) >> 1;
}

/** A value that is not in the ring takes the place of the oldest. */
function writeValue(address: usize, value: i64): usize {
  store<i32>(ring + (<usize>next << 2), <i32>value);
  next = next === RING - 1 ? 0 : next + 1;
  return writeVarint(address, value + 2);
}

/** Writes the code and a length, and some bytes more, which do not count; the address behind. */
@inline
function writeLength(at: usize, duration: u64, code: u32): usize {
  const bytes = (<u64>70 - clz<u64>(duration)) >> 3;
  if (bytes <= <u64>REST_BYTES) {
    store<u64>(at, (duration << 7) | (<u64>code << 3) | bytes);
    return at + 1 + <usize>bytes;
  }
  store<u8>(at, <u8>((code << 3) | (<u32>REST_BYTES + 1)));
  store<f64>(at + 1, <f64>duration);
  return at + 1 + DOUBLE_BYTES;
}
