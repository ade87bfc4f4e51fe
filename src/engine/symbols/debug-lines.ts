/** Files and lines of places in the code of an ELF file, by the line programs in its `.debug_line`. */
import type { Fault } from '../base/fault.ts';
import { firstWhere } from '../base/lower-bound.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { memorySource } from '../io/memory-source.ts';
import { WindowReader } from '../io/window-reader.ts';
import { ElfFields } from './elf-fields.ts';
import { type ElfFile, unreadable } from './elf-file.ts';
import { readLineHeader } from './line-header.ts';
import { type FileText, type LineFiles, readLineFiles } from './line-files.ts';
import { type IsCode, type LinesWanted, runLineProgram } from './line-program.ts';
import { openSection } from './section-source.ts';
import { textIn } from './text-in.ts';

const DEBUG_LINE = '.debug_line';
/** Bytes of one unit: fifty times the largest that compilers make. */
const LARGEST_UNIT = 256 * 1024 * 1024;
/** Begins the length of a unit with offsets of 64 bits. */
const OFFSETS_OF_64_BITS = 0xffff_ffff;
const SMALLEST_UNIT = 16;
const PIECE_BYTES = 1024 * 1024;
const LONGEST_PATH = 4096;
/** Texts that are read at once: each file of each unit has one. */
const WHOLE_TEXTS = 8 * 1024 * 1024;
/** How often a place is found: copies of a function that the linker left out may still be there. */
const FINDS_EACH = 1000;

export interface SourceLine {
  /** As in the file: a path below the compiler's folder, or from the root on. */
  readonly file: string;
  readonly line: number;
}

export interface FoundLines {
  /** By place; undefined: it has none. */
  readonly lines: readonly (SourceLine | undefined)[];
  /** Why some may be missing. */
  readonly fault?: Fault;
}

export function hasLines({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === DEBUG_LINE && size > 0);
}

/**
 * Reads unit by unit until all are known; the memory that it takes is that of the largest unit.
 * @param places bytes from the first page, ascending
 */
export async function linesAt(elf: ElfFile, places: Float64Array): Promise<FoundLines> {
  const lines = new Array<SourceLine | undefined>(places.length).fill(undefined);
  const section = elf.sections.find(({ name }) => name === DEBUG_LINE);
  if (section === undefined || places.length === 0) return { lines };
  const opened = await openSection(elf, section);
  if (!opened.ok) return { lines, fault: opened.fault };
  const wanted: LinesWanted = {
    places,
    file: new Float64Array(places.length),
    line: new Float64Array(places.length),
    fresh: [],
    finds: FINDS_EACH * places.length,
  };
  const isCode = codeOf(elf);
  const texts = new DebugTexts(elf);
  const reader = new UnitReader(opened.value, elf);
  let left = places.length;
  while (left > 0) {
    const unit = await reader.next();
    if (!unit.ok) return { lines, fault: unit.fault };
    if (unit.value === undefined) break;
    const { bytes, offsetBytes } = unit.value;
    const header = readLineHeader(bytes, elf.form, offsetBytes);
    if (header === undefined) continue;
    runLineProgram(bytes, { form: elf.form, header, base: elf.base, isCode }, wanted);
    if (wanted.finds < 0)
      return { lines, fault: unreadable(elf.source, 'lines', 'the same ones again and again') };
    if (wanted.fresh.length === 0) continue;
    left -= wanted.fresh.length;
    await nameFiles(wanted, readLineFiles(bytes, elf.form, header), texts, lines);
  }
  return { lines, fault: texts.fault };
}

/** Gives the places that became known in a unit their files. */
async function nameFiles(
  { file, line, fresh }: LinesWanted,
  files: LineFiles,
  texts: DebugTexts,
  lines: (SourceLine | undefined)[],
): Promise<void> {
  const paths = new Map<number, string | undefined>();
  for (const i of fresh) {
    if (!paths.has(file[i])) paths.set(file[i], await pathOf(files, file[i], texts));
    const path = paths.get(file[i]);
    if (path !== undefined) lines[i] = { file: path, line: line[i] };
  }
  fresh.length = 0;
}

async function pathOf(files: LineFiles, index: number, texts: DebugTexts): Promise<string | undefined> {
  const entry = files.files.at(index);
  const name = entry && (await texts.text(entry.name));
  if (name === undefined || entry === undefined || name.startsWith('/')) return name;
  const parts = [name];
  // A directory may lie in the one that the compiler ran in, which is the first one.
  for (const directory of new Set([entry.directory, 0])) {
    const text = files.directories.at(directory);
    const path = text && (await texts.text(text));
    if (path === undefined) continue;
    parts.unshift(path);
    if (path.startsWith('/')) break;
  }
  return parts.join('/');
}

function codeOf({ sections }: ElfFile): IsCode {
  const code = sections.filter(({ isCode }) => isCode).sort((a, b) => a.from - b.from);
  const begins = code.map(({ from }) => from);
  // Sections do not overlap: the last one that begins there or before.
  return (place) => {
    const last = code.at(firstWhere(0, code.length, (i) => begins[i] > place) - 1);
    return last !== undefined && last.from <= place && place < last.to;
  };
}

interface Unit {
  /** From behind its length on. */
  readonly bytes: Uint8Array;
  /** Of offsets into other sections. */
  readonly offsetBytes: number;
}

/** The units of `.debug_line`, one behind the other. */
class UnitReader {
  readonly #section: ByteSource;
  readonly #elf: ElfFile;
  readonly #reader: WindowReader;
  #at = 0;

  constructor(section: ByteSource, elf: ElfFile) {
    this.#section = section;
    this.#elf = elf;
    this.#reader = new WindowReader(section, PIECE_BYTES);
  }

  /** undefined: there is no other one. */
  async next(): Promise<Result<Unit | undefined>> {
    const { size } = this.#section;
    if (this.#at >= size) return ok(undefined);
    const head = await this.#reader.read(this.#at, Math.min(12, size - this.#at));
    if (!head.ok) return head;
    const fields = new ElfFields(head.value, this.#elf.form);
    const first = fields.u32();
    const isLong = first === OFFSETS_OF_64_BITS;
    const length = isLong ? fields.u64() : first;
    const from = this.#at + fields.at;
    if (!(length >= SMALLEST_UNIT && length <= LARGEST_UNIT && from + length <= size))
      return fail(
        unreadable(this.#elf.source, `line programs within ${size} bytes`, `one of ${length} bytes`),
      );
    this.#at = from + length;
    const bytes = await this.#reader.read(from, length);
    return bytes.ok ? ok({ bytes: bytes.value, offsetBytes: isLong ? 8 : 4 }) : bytes;
  }
}

/** Texts of line programs that lie in sections of their own. */
class DebugTexts {
  readonly #elf: ElfFile;
  readonly #opened = new Map<string, Promise<Result<ByteSource> | undefined>>();
  fault: Fault | undefined;

  constructor(elf: ElfFile) {
    this.#elf = elf;
  }

  /** undefined: it cannot be read. */
  async text(text: FileText): Promise<string | undefined> {
    if (typeof text === 'string') return text;
    const { section, at } = text;
    if (!this.#opened.has(section)) this.#opened.set(section, this.#open(section));
    const opened = await this.#opened.get(section);
    if (opened === undefined) return undefined;
    if (!opened.ok) {
      this.fault = opened.fault;
      return undefined;
    }
    const length = Math.min(LONGEST_PATH, opened.value.size - at);
    const bytes = length > 0 ? await opened.value.read(at, length) : undefined;
    return bytes?.ok ? textIn(bytes.value, 0) : undefined;
  }

  async #open(section: string): Promise<Result<ByteSource> | undefined> {
    const found = this.#elf.sections.find(({ name }) => name === section);
    if (found === undefined) return undefined;
    const opened = await openSection(this.#elf, found);
    if (!opened.ok || found.size > WHOLE_TEXTS) return opened;
    const bytes = await opened.value.read(0, opened.value.size);
    return bytes.ok ? ok(memorySource(opened.value.name, bytes.value)) : bytes;
  }
}
