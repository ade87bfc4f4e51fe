/**
 * A growing run of bits, counted from a packet's begin. Little-endian fields fill each byte from its least significant
 * bit, big-endian ones from its most significant (CTF 1.8.3 section 4.1.5); both may cross bytes.
 */
import type { ByteOrder } from '../../../src/engine/ctf/model.ts';

export class BitWriter {
  #bytes = new Uint8Array(256);
  #position = 0;

  /** Bits written so far. */
  get position(): number {
    return this.#position;
  }

  /** Bits of zero up to the next multiple of `bits`. */
  align(bits: number): void {
    this.skip((bits - (this.#position % bits)) % bits);
  }

  skip(bits: number): void {
    this.#reserve(bits);
    this.#position += bits;
  }

  /** The low `size` bits of `value` (two's complement), size 1-64. */
  integer(value: bigint | number, size: number, order: ByteOrder): void {
    this.#reserve(size);
    this.#put(this.#position, value, size, order);
    this.#position += size;
  }

  /** Overwrites zero bits written before: for sizes that are known only at the end. */
  patch(position: number, value: bigint | number, size: number, order: ByteOrder): void {
    this.#put(position, value, size, order);
  }

  /** Whole bytes; the position must be byte-aligned. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length * 8);
    this.#bytes.set(bytes, this.#position / 8);
    this.#position += bytes.length * 8;
  }

  /** Goes back to `position`, as if nothing had been written since. */
  truncate(position: number, order: ByteOrder): void {
    const byte = Math.floor(position / 8);
    const kept = position % 8;
    const mask = order === 'le' ? (1 << kept) - 1 : ~(0xff >> kept);
    this.#bytes[byte] &= mask;
    this.#bytes.fill(0, byte + 1, Math.ceil(this.#position / 8));
    this.#position = position;
  }

  /** A copy of what was written, the last byte filled up with zeros. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, Math.ceil(this.#position / 8));
  }

  #put(position: number, value: bigint | number, size: number, order: ByteOrder): void {
    let left = BigInt.asUintN(size, BigInt(value));
    if (order === 'le') {
      for (let at = position, end = position + size; at < end;) {
        const shift = at % 8;
        const count = Math.min(8 - shift, end - at);
        this.#bytes[at >>> 3] |= (Number(left & 0xffn) & ((1 << count) - 1)) << shift;
        left >>= BigInt(count);
        at += count;
      }
      return;
    }
    for (let end = position + size; end > position;) {
      const count = Math.min(((end - 1) % 8) + 1, end - position);
      const shift = (8 - (end % 8)) % 8;
      this.#bytes[(end - 1) >>> 3] |= (Number(left & 0xffn) & ((1 << count) - 1)) << shift;
      left >>= BigInt(count);
      end -= count;
    }
  }

  #reserve(bits: number): void {
    const needed = Math.ceil((this.#position + bits) / 8);
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
