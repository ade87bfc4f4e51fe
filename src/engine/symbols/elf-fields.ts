/** Numbers in an ELF file of 32 or 64 bits, in either order of bytes, and those of its DWARF. */

/** How the numbers of a file are written. */
export interface ElfForm {
  readonly is64: boolean;
  readonly isLittle: boolean;
}

/** An address that others are counted from, as its upper and lower 32 bits. */
export interface AddressBase {
  readonly high: number;
  readonly low: number;
}

export function addressBase(address: bigint): AddressBase {
  return { high: Number(address >> 32n), low: Number(address & 0xffff_ffffn) };
}

/** Reads numbers one behind the other. What lies behind the end is NaN: each caller checks its sizes before. */
export class ElfFields {
  readonly bytes: Uint8Array;
  readonly form: ElfForm;
  readonly #view: DataView;
  at = 0;

  constructor(bytes: Uint8Array, form: ElfForm) {
    this.bytes = bytes;
    this.form = form;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#has(1) ? this.#view.getUint8(this.at++) : NaN;
  }

  u16(): number {
    if (!this.#has(2)) return NaN;
    this.at += 2;
    return this.#view.getUint16(this.at - 2, this.form.isLittle);
  }

  u32(): number {
    if (!this.#has(4)) return NaN;
    this.at += 4;
    return this.#view.getUint32(this.at - 4, this.form.isLittle);
  }

  /** Reads 64 bits as a double: beyond 2^53 it is no longer exact, and no size or offset of a file. */
  u64(): number {
    const first = this.u32();
    const second = this.u32();
    return this.form.isLittle ? second * 2 ** 32 + first : first * 2 ** 32 + second;
  }

  /** A size, or an offset in the file: 4 or 8 bytes. */
  word(): number {
    return this.form.is64 ? this.u64() : this.u32();
  }

  /** A virtual address: 4 or 8 bytes. */
  address(): bigint {
    if (!this.form.is64) return this.#has(4) ? BigInt(this.u32()) : 0n;
    if (!this.#has(8)) return 0n;
    this.at += 8;
    return this.#view.getBigUint64(this.at - 8, this.form.isLittle);
  }

  /** An address as bytes from another one. Far from it, beyond 2^53, it is not exact. */
  addressFrom(base: AddressBase): number {
    if (!this.form.is64) return this.u32() - base.low;
    const first = this.u32();
    const second = this.u32();
    const [low, high] = this.form.isLittle ? [first, second] : [second, first];
    return (high - base.high) * 2 ** 32 + (low - base.low);
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  /** Bytes behind; less than 0: more was skipped than there is. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  #has(bytes: number): boolean {
    if (this.at + bytes <= this.#view.byteLength) return true;
    this.at = Math.max(this.at, this.#view.byteLength);
    return false;
  }
}

/** 64 bits take ten bytes of seven bits. */
const LONGEST_LEB = 10;

/** Numbers of DWARF: as those of ELF, and integers of variable length. */
export class DwarfFields extends ElfFields {
  /** An offset into another section. @param bytes 4 or 8 */
  offset(bytes: number): number {
    return bytes === 8 ? this.u64() : this.u32();
  }

  /** Reads an unsigned LEB128 number as a double; NaN: it does not end. */
  uleb(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < LONGEST_LEB; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (!(byte >= 0x80)) return Number.isNaN(byte) ? NaN : value;
      scale *= 128;
    }
    return NaN;
  }

  /** Reads a signed LEB128 number as a double; NaN: it does not end. */
  sleb(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < LONGEST_LEB; i++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (!(byte >= 0x80)) return Number.isNaN(byte) ? NaN : byte & 0x40 ? value - scale : value;
    }
    return NaN;
  }

  /** A text that ends with a byte 0; undefined: it does not end. */
  text(): string | undefined {
    const text = textIn(this.bytes, this.at);
    this.skipText();
    return text;
  }

  /** False: the text does not end. */
  skipText(): boolean {
    const end = this.bytes.indexOf(0, this.at);
    this.at = end < 0 ? this.bytes.length : end + 1;
    return end >= 0;
  }

  u24(): number {
    const [first, second, third] = [this.u8(), this.u8(), this.u8()];
    const [low, high] = this.form.isLittle ? [first, third] : [third, first];
    return high * 65_536 + second * 256 + low;
  }
}

const decoder = new TextDecoder();

/**
 * The text that begins at a byte of a table of texts that each end with a byte 0; undefined: it does not end within the
 * bytes, or begins behind them.
 */
export function textIn(bytes: Uint8Array, at: number): string | undefined {
  if (!(at < bytes.length)) return undefined;
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : decoder.decode(bytes.subarray(at, end));
}
