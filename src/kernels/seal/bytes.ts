/** Growing bytes, as `engine/history/bytes.ts`: base-128 integers, little-endian words. */
import { setU8 } from '../columns';
import { Room } from './memory';

/** Longest varint of a number below 2^53. */
export const VARINT_BYTES: i32 = 8;

export class ByteWriter {
  length: i32 = 0;
  private room: Room = new Room();

  get start(): usize {
    return this.room.start;
  }

  /** Makes room for `count` more bytes; the other methods that say so rely on it. */
  reserve(count: i32): void {
    this.room.reserve(this.length + count);
  }

  varint(value: f64): void {
    this.reserve(VARINT_BYTES);
    this.reservedVarint(value);
  }

  /** As `varint`, within bytes reserved before. */
  reservedVarint(value: f64): void {
    let at = this.room.start + this.length;
    let rest = <u64>value;
    for (; rest > 127; rest >>= 7) store<u8>(at++, <u8>(rest | 128));
    store<u8>(at++, <u8>rest);
    this.length = <i32>(at - this.room.start);
  }

  /** Within bytes reserved before. */
  reservedByte(value: i32): void {
    setU8(this.room.start, this.length++, value);
  }

  float64(value: f64): void {
    this.reserve(8);
    store<f64>(this.room.start + this.length, value);
    this.length += 8;
  }

  uint32(value: u32): void {
    this.reserve(4);
    store<u32>(this.room.start + this.length, value);
    this.length += 4;
  }

  appendWritten(other: ByteWriter): void {
    this.reserve(other.length);
    memory.copy(this.room.start + this.length, other.start, other.length);
    this.length += other.length;
  }
}
