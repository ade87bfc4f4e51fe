/** Bits of a packet, counted from its begin; the other direction of `ctf-writer/bit-writer.ts`. */
import type { ByteOrder, IntegerClass } from '../../../src/engine/ctf/model.ts';

/** Where an integer that a copy of the packet must change was read. */
export interface Mark {
  /** Bits from the packet's begin. */
  readonly position: number;
  readonly type: IntegerClass;
}

export class BitReader {
  readonly bytes: Uint8Array;
  readonly marks: Mark[] = [];
  /** Bits. */
  position = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  align(bits: number): void {
    this.position = Math.ceil(this.position / bits) * bits;
  }

  /** An integer of `size` bits: a number up to 32, a bigint above. */
  integer(size: number, order: ByteOrder, signed: boolean): number | bigint {
    const at = this.position;
    this.position += size;
    if (this.position > this.bytes.length * 8) throw new RangeError('beyond the packet');
    const little = order === 'le';
    if (at % 8 === 0) {
      const byte = at / 8;
      if (size === 8) return signed ? this.#view.getInt8(byte) : this.#view.getUint8(byte);
      if (size === 16) return signed ? this.#view.getInt16(byte, little) : this.#view.getUint16(byte, little);
      if (size === 32) return signed ? this.#view.getInt32(byte, little) : this.#view.getUint32(byte, little);
      if (size === 64)
        return signed ? this.#view.getBigInt64(byte, little) : this.#view.getBigUint64(byte, little);
    }
    const value = this.#bits(at, size, little);
    const whole = signed ? BigInt.asIntN(size, value) : value;
    return size <= 32 ? Number(whole) : whole;
  }

  /** The bytes up to the next null, which is passed too. */
  text(): Uint8Array {
    const begin = this.position / 8;
    const end = this.bytes.indexOf(0, begin);
    if (end < 0) throw new RangeError('text without end');
    this.position = (end + 1) * 8;
    return this.bytes.subarray(begin, end);
  }

  raw(length: number): Uint8Array {
    const begin = this.position / 8;
    this.position += length * 8;
    if (this.position > this.bytes.length * 8) throw new RangeError('beyond the packet');
    return this.bytes.subarray(begin, begin + length);
  }

  #bits(at: number, size: number, little: boolean): bigint {
    let value = 0n;
    for (let bit = 0; bit < size; bit++) {
      const from = at + (little ? size - 1 - bit : bit);
      const shift = little ? from % 8 : 7 - (from % 8);
      value = (value << 1n) | BigInt((this.bytes[from >>> 3] >> shift) & 1);
    }
    return value;
  }
}
