/** Numbers of DWARF: as those of ELF, and integers of variable length. */
import { ElfFields, textIn } from './elf-fields.ts';

/** 64 bits take ten bytes of seven bits. */
const LONGEST_LEB = 10;

export class DwarfFields extends ElfFields {
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

  /** Three bytes. */
  u24(): number {
    const [first, second, third] = [this.u8(), this.u8(), this.u8()];
    const [low, high] = this.form.isLittle ? [first, third] : [third, first];
    return high * 65_536 + second * 256 + low;
  }
}
