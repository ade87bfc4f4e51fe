/** Numbers in an ELF file of 32 or 64 bits, in either byte order, and in its DWARF. */

/** Form of a file's numbers. */
export interface ElfForm {
  readonly is64: boolean;
  readonly isLittle: boolean;
}

/** An address from which others count, as its upper and lower 32 bits. */
export interface AddressBase {
  readonly high: number;
  readonly low: number;
}

export function addressBase(address: bigint): AddressBase {
  return { high: Number(address >> 32n), low: Number(address & 0xffff_ffffn) };
}

/** Reads consecutive numbers. Beyond the end they are NaN: callers check sizes first. */
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

  /** Reads 64 bits as a double: beyond 2^53 it is not exact, and no size or offset of a file. */
  u64(): number {
    const first = this.u32();
    const second = this.u32();
    return this.form.isLittle ? second * 2 ** 32 + first : first * 2 ** 32 + second;
  }

  /** Reads a size or file offset: 4 or 8 bytes. */
  word(): number {
    return this.form.is64 ? this.u64() : this.u32();
  }

  /** Reads a virtual address: 4 or 8 bytes. */
  address(): bigint {
    if (!this.form.is64) return this.#has(4) ? BigInt(this.u32()) : 0n;
    if (!this.#has(8)) return 0n;
    this.at += 8;
    return this.#view.getBigUint64(this.at - 8, this.form.isLittle);
  }

  /** Reads an address as bytes from another one; not exact beyond 2^53. */
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

  /** Bytes left; negative: more was skipped than there is. */
  get left(): number {
    return this.bytes.length - this.at;
  }

  #has(bytes: number): boolean {
    if (this.at + bytes <= this.#view.byteLength) return true;
    this.at = Math.max(this.at, this.#view.byteLength);
    return false;
  }
}

/** Bytes of the longest LEB128 number: 64 bits, seven per byte. */
const LONGEST_LEB = 10;

/** Numbers of DWARF: those of ELF, and variable-length integers. */
export class DwarfFields extends ElfFields {
  /** Reads an offset into another section. @param bytes 4 or 8 */
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

  /** Reads a null-terminated text; undefined: it does not end. */
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

/** Null-terminated text at a byte of a table of texts; undefined: it does not end within the bytes, or begins beyond them. */
export function textIn(bytes: Uint8Array, at: number): string | undefined {
  if (!(at < bytes.length)) return undefined;
  const end = bytes.indexOf(0, at);
  return end < 0 ? undefined : decoder.decode(bytes.subarray(at, end));
}
