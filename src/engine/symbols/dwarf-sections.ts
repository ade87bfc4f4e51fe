/** The sections with the debug information of an ELF file: bytes and texts of them, each section opened when it is needed. */
import type { Fault } from '../base/fault.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { memorySource } from '../io/memory-source.ts';
import { WindowReader } from '../io/window-reader.ts';
import { type ElfFile, unreadable } from './elf-file.ts';
import { openSection } from './section-source.ts';
import { textIn } from './text-in.ts';

/** A text that lies in another section, by its first byte. */
export interface TextPlace {
  readonly section: string;
  readonly at: number;
}

const LONGEST_TEXT = 4096;
/**
 * Steps of a look-up: those that any file may take, and how many more for each byte of its sections. What compilers write
 * is read once or twice, but sections may name each other's parts again and again.
 */
const FREE_STEPS = 2 ** 20;
const STEPS_EACH = 4;
/** Bytes that are read in a step. */
const STEP_BYTES = 256;
/** Bytes that are read at once of what is read from begin to end. */
const AHEAD: Readonly<Record<string, number | undefined>> = { '.debug_line': 1024 * 1024 };
/** Sections of texts that are read at once: what is wanted lies anywhere in them. */
const WHOLE_BYTES = 8 * 1024 * 1024;

export class DwarfSections {
  readonly elf: ElfFile;
  readonly #opened = new Map<string, Promise<Result<ByteSource>>>();
  readonly #readers = new Map<string, WindowReader>();
  /** Why a text is missing. */
  fault: Fault | undefined;
  /** Steps that are left; less than 0: what is read from now on is a fault. */
  #left = FREE_STEPS;

  constructor(elf: ElfFile) {
    this.elf = elf;
  }

  /** Bytes of a section, unpacked. Faults: `symbols-unreadable`, and those of reading. */
  async sizeOf(name: string): Promise<Result<number>> {
    const opened = await this.#open(name);
    return opened.ok ? ok(opened.value.size) : opened;
  }

  /** Takes steps. False: there were not so many, and reading comes to its end. */
  spend(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }

  /** The fault where no steps are left. */
  tooMuch(name: string): Fault {
    return this.broken(`${name} that is read once`, 'parts that are named again and again');
  }

  /** The bytes [at, at + length), for reading only. Faults: `symbols-unreadable`, and those of reading. */
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

  /** The same of as many bytes as there are, up to `most`. */
  async readUpTo(name: string, at: number, most: number): Promise<Result<Uint8Array>> {
    const size = await this.sizeOf(name);
    return size.ok ? this.read(name, at, Math.max(0, Math.min(most, size.value - at))) : size;
  }

  /** undefined: it cannot be read, or is longer than any name. */
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
