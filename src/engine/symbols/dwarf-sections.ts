/** Sections with the debug information of an ELF file: their bytes and texts, each section opened on demand. */
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { memorySource } from '../io/memory-source.ts';
import { WindowReader } from '../io/window-reader.ts';
import { type ElfFile, unreadable, type ElfSection } from './elf-file.ts';
import { textIn, ElfFields } from './elf-fields.ts';
import { unzlibSync } from 'fflate';

/** A text in another section, by its first byte. */
export interface TextPlace {
  readonly section: string;
  readonly at: number;
}

const LONGEST_TEXT = 4096;
/**
 * Steps of a look-up that any file may take, and further steps per byte of its sections. Compilers' output is read
 * once or twice, but sections may refer to each other's parts again and again.
 */
const FREE_STEPS = 2 ** 20;
const STEPS_EACH = 4;
/** Bytes read in a step. */
const STEP_BYTES = 256;
/** Bytes read at once of sections that are read sequentially. */
const AHEAD: Readonly<Record<string, number | undefined>> = { '.debug_line': 1024 * 1024 };
/** Sections of texts up to this size are read at once, as the wanted texts are anywhere in them. */
const WHOLE_BYTES = 8 * 1024 * 1024;

export class DwarfSections {
  readonly #opened = new Map<string, Promise<Result<ByteSource>>>();
  readonly #readers = new Map<string, WindowReader>();
  /** Reason why a text is missing. */
  fault: Fault | undefined;
  /** Steps left; below 0 every further read is a fault. */
  #left = FREE_STEPS;

  constructor(readonly elf: ElfFile) {}

  /** Size of a section, unpacked, bytes. Faults: `symbols-unreadable`, and those of reading. */
  async sizeOf(name: string): Promise<Result<number>> {
    const opened = await this.#open(name);
    return opened.ok ? ok(opened.value.size) : opened;
  }

  /** Takes steps. False: there are too few, and reading ends. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** The fault if no steps are left. */
  tooMuch(name: string): Fault {
    return this.broken(`${name} that is read once`, 'parts that are named again and again');
  }

  /** Reads the bytes [at, at + length), which must not be changed. Faults: `symbols-unreadable`, and those of reading. */
  async read(name: string, at: number, length: number): Promise<Result<Uint8Array>> {
    if (!this.spend(1 + length / STEP_BYTES)) return fail(this.tooMuch(name));
    const opened = await this.#open(name);
    if (!opened.ok) return opened;
    if (!(at >= 0 && at + length <= opened.value.size))
      return fail(this.broken(`offsets within ${opened.value.size} bytes of ${name}`, `${at}`));
    const reader = this.#readers.get(name) ?? new WindowReader(opened.value, AHEAD[name]);
    this.#readers.set(name, reader);
    return reader.read(at, length);
  }

  /** Reads as many bytes as there are, up to `most`. */
  async readUpTo(name: string, at: number, most: number): Promise<Result<Uint8Array>> {
    const size = await this.sizeOf(name);
    return size.ok ? this.read(name, at, Math.max(0, Math.min(most, size.value - at))) : size;
  }

  /** Undefined: it cannot be read, or is longer than any name. */
  async text({ section, at }: TextPlace): Promise<string | undefined> {
    const bytes = await this.readUpTo(section, at, LONGEST_TEXT);
    if (bytes.ok) return textIn(bytes.value, 0);
    if (this.elf.sections.some(({ name }) => name === section)) this.fault ??= bytes.fault;
    return undefined;
  }

  broken(expected: string, found: string): Fault {
    return unreadable(this.elf.source, expected, found);
  }

  #open(name: string): Promise<Result<ByteSource>> {
    const known = this.#opened.get(name) ?? this.#openNow(name);
    this.#opened.set(name, known);
    return known;
  }

  async #openNow(name: string): Promise<Result<ByteSource>> {
    const found = this.elf.sections.find((section) => section.name === name);
    if (found === undefined) return fail(this.broken(`a section ${name}`, 'none'));
    const opened = await openSection(this.elf, found);
    if (opened.ok) this.#left += opened.value.size * STEPS_EACH;
    if (!opened.ok || !name.endsWith('str') || found.isCompressed || found.size > WHOLE_BYTES) return opened;
    const bytes = await opened.value.read(0, opened.value.size);
    return bytes.ok ? ok(memorySource(opened.value.name, bytes.value)) : bytes;
  }
}

/** Offsets in the section. */
interface UnitExtent {
  /** Offset after its length. */
  readonly from: number;
  readonly to: number;
  /** Size of offsets into other sections: 4 or 8 bytes. */
  readonly offsetBytes: number;
}

/** Marks the length of a unit with 64-bit offsets. */
const OFFSETS_OF_64_BITS = 0xffff_ffff;

/**
 * The unit at an offset. Faults: `symbols-unreadable`, and those of reading.
 * @param least bytes that each has after its length
 */
export async function unitAt(
  sections: DwarfSections,
  section: string,
  at: number,
  least: number,
): Promise<Result<UnitExtent>> {
  const size = await sections.sizeOf(section);
  if (!size.ok) return size;
  const head = await sections.readUpTo(section, at, 12);
  if (!head.ok) return head;
  const fields = new ElfFields(head.value, sections.elf.form);
  const first = fields.u32();
  const isLong = first === OFFSETS_OF_64_BITS;
  const length = isLong ? fields.u64() : first;
  const from = at + fields.at;
  if (!(length >= least && from + length <= size.value))
    return fail(sections.broken(`units within ${size.value} bytes of ${section}`, `one of ${length} bytes`));
  return ok({ from, to: from + length, offsetBytes: isLong ? 8 : 4 });
}

/** `ZLIB` */
const OLD_MARK = 0x5a4c4942;
const ELFCOMPRESS_ZLIB = 1;
const ELFCOMPRESS_ZSTD = 2;

/**
 * Bytes that a packed byte may expand to, besides those that any section may have: compilers' output shrinks to a
 * tenth at most, but deflate could expand a byte to a thousand.
 */
const MOST_RATIO = 32;
const FREE_BYTES = 1024 * 1024;
const MOST_UNPACKED = 256 * 1024 * 1024;

/** Opens a section, whose byte 0 is the source's byte 0. Faults: `symbols-unreadable`, and those of reading. */
async function openSection(elf: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  if (section.isOldPacked) return oldUnpacked(elf, section);
  return section.isCompressed ? unpacked(elf, section) : ok(within(elf.source, section));
}

/** Unpacks `ZLIB`, the size in 8 bytes, most significant first, and zlib data; a section without these is returned unchanged. */
async function oldUnpacked({ source }: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  const packed = await source.read(section.offset, section.size);
  if (!packed.ok) return packed;
  const fields = new ElfFields(packed.value, { is64: true, isLittle: false });
  if (fields.u32() !== OLD_MARK) return ok(within(source, section));
  const length = fields.u64();
  return inflated(source, section, packed.value.subarray(fields.at), length);
}

function within(source: ByteSource, { offset, size }: ElfSection): ByteSource {
  return { name: source.name, size, read: (from, length) => source.read(offset + from, length) };
}

async function unpacked({ source, form }: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  const { name, offset, size } = section;
  const packed = await source.read(offset, size);
  if (!packed.ok) return packed;
  const fields = new ElfFields(packed.value, form);
  const kind = fields.u32();
  if (form.is64) fields.skip(4);
  const length = fields.word();
  fields.word();
  const damaged = (expected: string, found: string) => fail(unreadable(source, expected, found, offset));
  if (kind !== ELFCOMPRESS_ZLIB)
    return damaged(`${name} packed by zlib`, kind === ELFCOMPRESS_ZSTD ? 'by zstd' : `method ${kind}`);
  return inflated(source, section, packed.value.subarray(fields.at), length);
}

function inflated(
  source: ByteSource,
  { name, offset, size }: ElfSection,
  packed: Uint8Array,
  length: number,
): Result<ByteSource> {
  const damaged = (expected: string, found: string) => fail(unreadable(source, expected, found, offset));
  if (!(length <= Math.min(MOST_UNPACKED, FREE_BYTES + size * MOST_RATIO)))
    return damaged(`${name} of at most ${MOST_UNPACKED} bytes`, `${length} bytes out of ${size}`);
  try {
    const out = unzlibSync(packed, { out: new Uint8Array(length) });
    if (out.length === length) return ok(memorySource(source.name, out));
    return damaged(`${length} bytes of ${name}`, `${out.length}`);
  } catch (error) {
    return damaged(`${name} packed by zlib`, (error as Error).message);
  }
}
