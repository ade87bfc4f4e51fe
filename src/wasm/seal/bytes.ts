/** Growing bytes, as `engine/history/bytes.ts`: base-128 integers, little-endian words. */
import { VARINT_BYTES } from '../../engine/history/bytes';
import { Arena } from './memory';

export class ByteWriter {
  length: i32 = 0;
  private arena: Arena = new Arena();

  get start(): usize {
    return this.arena.start;
  }

  /** Where the next byte goes. */
  get end(): usize {
    return this.arena.start + this.length;
  }

  /** All before `address` is written, in room reserved before. */
  set end(address: usize) {
    this.length = <i32>(address - this.arena.start);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: i32): void {
    this.arena.reserve(this.length + count);
  }

  varint(value: u64): void {
    this.reserve(VARINT_BYTES);
    this.end = writeVarint(this.end, value);
  }

  float64(value: f64): void {
    this.reserve(8);
    store<f64>(this.end, value);
    this.length += 8;
  }

  uint32(value: u32): void {
    this.reserve(4);
    store<u32>(this.end, value);
    this.length += 4;
  }

  appendWritten(other: ByteWriter): void {
    this.reserve(other.length);
    memory.copy(this.end, other.start, other.length);
    this.length += other.length;
  }
}

/** Writes at an address, which has `VARINT_BYTES`; the address behind it. */
@inline
export function writeVarint(address: usize, value: u64): usize {
  let at = address;
  let rest = value;
  for (; rest > 127; rest >>= 7) store<u8>(at++, <u8>(rest | 128));
  store<u8>(at++, <u8>rest);
  return at;
}
