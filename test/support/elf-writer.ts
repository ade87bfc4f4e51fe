/** Writes ELF files for tests: 32 or 64 bits, either order of bytes, with the sections that are given. */
import { zlibSync } from 'fflate';
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';

const SHF_COMPRESSED = 0x800;

export interface WrittenForm {
  readonly is64: boolean;
  readonly isLittle: boolean;
}

export interface WrittenSection {
  readonly name: string;
  /** `SHT_…` */
  readonly type: number;
  readonly flags?: number;
  readonly address?: bigint;
  readonly bytes: Uint8Array;
  /** Name of the section that it belongs to. */
  readonly link?: string;
  readonly entryBytes?: number;
}

export interface WrittenSymbol {
  readonly name: string;
  readonly value: bigint;
  readonly size: bigint;
  /** `STB_…`: local 0, global 1, weak 2. */
  readonly binding?: number;
  /** `STT_…`: function 2. */
  readonly type?: number;
  /** Index of its section; 0: it is not defined. */
  readonly section?: number;
}

/** Appends numbers to bytes in the form of a file. */
export class FieldWriter {
  readonly bytes: number[] = [];
  readonly form: WrittenForm;

  constructor(form: WrittenForm) {
    this.form = form;
  }

  u8(...values: number[]): this {
    this.bytes.push(...values);
    return this;
  }

  u16(value: number): this {
    return this.#number(BigInt(value), 2);
  }

  u32(value: number): this {
    return this.#number(BigInt(value), 4);
  }

  u64(value: bigint): this {
    return this.#number(value, 8);
  }

  /** 4 or 8 bytes. */
  word(value: bigint | number): this {
    return this.#number(BigInt(value), this.form.is64 ? 8 : 4);
  }

  /** Less than 0: as 64 bits. */
  uleb(value: number): this {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) this.bytes.push(Number(rest & 0x7fn) | 0x80);
    return this.u8(Number(rest));
  }

  sleb(value: number): this {
    for (; value < -64 || value > 63; value >>= 7) this.bytes.push((value & 0x7f) | 0x80);
    return this.u8(value & 0x7f);
  }

  /** With the byte 0 that ends it. */
  text(value: string): this {
    return this.u8(...new TextEncoder().encode(value), 0);
  }

  done(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }

  #number(value: bigint, bytes: number): this {
    for (let i = 0; i < bytes; i++) {
      const shift = BigInt(8 * (this.form.isLittle ? i : bytes - 1 - i));
      this.bytes.push(Number((value >> shift) & 0xffn));
    }
    return this;
  }
}

/** One segment is loaded, which begins at `firstPage`. */
export function writeElf(form: WrittenForm, firstPage: bigint, given: readonly WrittenSection[]): Uint8Array {
  const sizes = form.is64
    ? { header: 64, section: 64, segment: 56 }
    : { header: 52, section: 40, segment: 32 };
  const names = new FieldWriter(form).u8(0);
  const nameAt = (name: string) => {
    const at = names.bytes.length;
    names.text(name);
    return at;
  };
  const nul: WrittenSection = { name: '', type: 0, bytes: new Uint8Array(0) };
  const sections = [nul, ...given].map((section) => ({ ...section, nameAt: nameAt(section.name) }));
  const stringsAt = nameAt('.shstrtab');
  sections.push({ name: '.shstrtab', type: 3, bytes: names.done(), nameAt: stringsAt });
  let sectionsAt = sizes.header + sizes.segment;
  const offsets = sections.map(({ bytes }) => {
    const at = sectionsAt;
    sectionsAt += bytes.length;
    return at;
  });
  const head = new FieldWriter(form)
    .u8(0x7f, 0x45, 0x4c, 0x46, form.is64 ? 2 : 1, form.isLittle ? 1 : 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    .u16(3)
    .u16(62)
    .u32(1)
    .word(0)
    .word(sizes.header)
    .word(sectionsAt)
    .u32(0)
    .u16(sizes.header)
    .u16(sizes.segment)
    .u16(1)
    .u16(sizes.section)
    .u16(sections.length)
    .u16(sections.length - 1);
  const size = BigInt(sectionsAt);
  head.u32(1);
  if (form.is64) head.u32(5);
  head.word(0).word(firstPage).word(firstPage).word(size).word(size);
  if (!form.is64) head.u32(5);
  head.word(0x1000);
  const headers = new FieldWriter(form);
  sections.forEach(({ nameAt: at, type, flags = 0, address = 0n, bytes, link, entryBytes = 0 }, i) => {
    headers.u32(at).u32(type).word(flags).word(address).word(offsets[i]).word(bytes.length);
    headers.u32(link === undefined ? 0 : sections.findIndex(({ name }) => name === link)).u32(0);
    headers.word(1).word(entryBytes);
  });
  return joinBytes([head.bytes, ...sections.map(({ bytes }) => bytes), headers.bytes]);
}

/** A symbol table and its names. */
export function symbolSections(
  form: WrittenForm,
  symbols: readonly WrittenSymbol[],
  [table, strings]: readonly [string, string] = ['.symtab', '.strtab'],
): WrittenSection[] {
  const names = new FieldWriter(form).u8(0);
  const entries = new FieldWriter(form);
  for (const { name, value, size, binding = 1, type = 2, section = 1 } of symbols) {
    entries.u32(names.bytes.length);
    names.text(name);
    const info = binding * 16 + type;
    if (form.is64) entries.u8(info, 0).u16(section).word(value).word(size);
    else entries.word(value).word(size).u8(info, 0).u16(section);
  }
  return [
    {
      name: table,
      type: table === '.dynsym' ? 11 : 2,
      bytes: entries.done(),
      link: strings,
      entryBytes: form.is64 ? 24 : 16,
    },
    { name: strings, type: 3, bytes: names.done() },
  ];
}

/** Code of so many bytes. */
export function codeSection(address: bigint, size: number): WrittenSection {
  return { name: '.text', type: 1, flags: 6, address, bytes: new Uint8Array(size) };
}

/** @param id in hexadecimal digits */
export function buildIdSection(form: WrittenForm, id: string): WrittenSection {
  const bytes = Uint8Array.from(id.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const note = new FieldWriter(form)
    .u32(4)
    .u32(bytes.length)
    .u32(3)
    .text('GNU')
    .u8(...bytes);
  return { name: '.note.gnu.build-id', type: 7, bytes: note.done() };
}

/** @param kind `ELFCOMPRESS_…`: zlib 1, zstd 2 */
export function packedSection(form: WrittenForm, section: WrittenSection, kind = 1): WrittenSection {
  const head = new FieldWriter(form).u32(kind);
  if (form.is64) head.u32(0);
  head.word(section.bytes.length).word(1);
  const bytes = Uint8Array.from([...head.bytes, ...zlibSync(section.bytes)]);
  return { ...section, flags: (section.flags ?? 0) | SHF_COMPRESSED, bytes };
}
