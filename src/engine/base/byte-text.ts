/**
 * Text as bytes, written value by value without a string for each: a file of events has hundreds of millions of values.
 */

const FIRST_BYTES = 4096;
/** Number of bytes up to which a loop is faster than a call. */
const SHORT = 256;
const BILLION = 1_000_000_000;
const DIGIT_0 = 0x30;
const MINUS = 0x2d;
const TWO_TO_32 = 2 ** 32;

/** Table of plain bytes: 1 for printable ASCII except for these characters. */
export function plainBytes(without = ''): Uint8Array {
  const is = (byte: number) => byte >= 0x20 && byte <= 0x7e && !without.includes(String.fromCharCode(byte));
  return Uint8Array.from({ length: 256 }, (_, byte) => (is(byte) ? 1 : 0));
}

export class ByteText {
  /** The bytes written are the first `length`; another array after every call that writes. */
  bytes = new Uint8Array(FIRST_BYTES);
  length = 0;
  readonly #encoder = new TextEncoder();

  /** Makes room for so many bytes more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const wider = new Uint8Array(Math.max(2 * this.bytes.length, needed));
    wider.set(this.bytes.subarray(0, this.length));
    this.bytes = wider;
  }

  byte(byte: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** Copies [begin, end) of other bytes. */
  copy(from: Uint8Array, begin = 0, end = from.length): void {
    this.reserve(end - begin);
    const { bytes } = this;
    let at = this.length;
    if (end - begin > SHORT) bytes.set(from.subarray(begin, end), at);
    else for (let i = begin; i < end; i++) bytes[at++] = from[i];
    this.length += end - begin;
  }

  /**
   * Copies [begin, end) of other bytes as far as all of them are plain (`plainBytes`).
   * @returns false: some are not, and nothing was written
   */
  copyPlain(from: Uint8Array, begin: number, end: number, plain: Uint8Array): boolean {
    this.reserve(end - begin);
    const { bytes } = this;
    let at = this.length;
    for (let i = begin; i < end; i++) {
      const byte = from[i];
      if (plain[byte] === 0) return false;
      bytes[at++] = byte;
    }
    this.length = at;
    return true;
  }

  /** Writes a text in UTF-8. */
  text(text: string): void {
    this.reserve(3 * text.length);
    const { bytes } = this;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) {
        at += this.#encoder.encodeInto(text.slice(i), bytes.subarray(at)).written;
        break;
      }
      bytes[at++] = unit;
    }
    this.length = at;
  }

  /**
   * Writes the digits of a whole number that a double holds exactly.
   * @param billions added to it, times 10^9, if it is not negative
   */
  digits(value: number, billions = 0): void {
    this.reserve(30);
    let rest = value;
    if (rest < 0) {
      this.bytes[this.length++] = MINUS;
      rest = -rest;
    }
    if (rest < BILLION && billions === 0) return this.#digits(rest, widthOf(rest));
    const upper = Math.floor(rest / BILLION);
    if (upper + billions < BILLION) this.#digits(upper + billions, widthOf(upper + billions));
    else this.digits(upper + billions);
    this.#digits(rest - upper * BILLION, 9);
  }

  /**
   * Writes the digits of a 64-bit number, whose sign, if any, is in `high`.
   * @param low at least 0
   */
  wide(high: number, low: number): void {
    if (high < 0) {
      this.byte(MINUS);
      const carry = low === 0 ? 1 : 0;
      return this.wide(-high - 1 + carry, carry === 1 ? 0 : TWO_TO_32 - low);
    }
    if (high < 0x20_0000) return this.digits(high * TWO_TO_32 + low);
    // Long division by pieces of 16 bits: every step is exact in a double.
    const third = (high % BILLION) * 0x1_0000 + (low >>> 16);
    const last = (third % BILLION) * 0x1_0000 + (low & 0xffff);
    this.digits(
      Math.floor(high / BILLION) * TWO_TO_32 +
        Math.floor(third / BILLION) * 0x1_0000 +
        Math.floor(last / BILLION),
    );
    this.#digits(last % BILLION, 9);
  }

  /** Bytes written so far, until more are. */
  get written(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length);
  }

  /** Takes the bytes written so far, and starts again. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  /** @param value below 10^9 */
  #digits(value: number, width: number): void {
    const { bytes } = this;
    let rest = value | 0;
    this.length += width;
    for (let at = this.length - 1; at >= this.length - width; at--) {
      const tenth = (rest / 10) | 0;
      bytes[at] = DIGIT_0 + rest - 10 * tenth;
      rest = tenth;
    }
  }
}

/** Decimal digits of a number from 0 to 10^9. */
function widthOf(value: number): number {
  if (value < 10) return 1;
  if (value < 100) return 2;
  if (value < 1000) return 3;
  if (value < 10_000) return 4;
  if (value < 100_000) return 5;
  if (value < 1_000_000) return 6;
  if (value < 10_000_000) return 7;
  if (value < 100_000_000) return 8;
  return 9;
}
