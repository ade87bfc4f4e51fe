/** Growing bytes, as `engine/history/bytes.ts`: base-128 integers, little-endian words. */
import { Room, setU8 } from './memory';

/** Longest varint of a time: 2^64 cycles of a clock of 1 Hz, and as large an offset, are below 2^98 ns. */
export const VARINT_BYTES: i32 = 14;
/** Doubles from here on are multiples of 128, and integers of the machine end soon. */
const TWO_63: f64 = 9223372036854775808.0;

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
    for (; value >= TWO_63; value /= 128) store<u8>(at++, 128);
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
