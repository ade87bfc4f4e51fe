/** The functions, or the objects of data, in the symbol table of an ELF file: `.symtab`, or `.dynsym` where that has none. */
import { ok, type Result } from '../base/fault.ts';
import { ElfFields } from './elf-fields.ts';
import { type ElfFile, type ElfSection, SHT_DYNSYM, SHT_SYMTAB } from './elf-file.ts';
import {
  addFunction,
  type FunctionList,
  functionList,
  functionTable,
  type NamedSymbol,
  symbolsAt,
} from './function-table.ts';

const STT_OBJECT = 1;
const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
const EM_ARM = 40;
/** Ranks by binding: global, weak, local, others. */
const RANKS: Readonly<Record<number, number>> = { 1: 0, 2: 1, 0: 2 };
const OTHER_RANK = 3;
const PIECE_BYTES = 1024 * 1024;
/** Tables of a kind: programs have one. */
const MOST_TABLES = 4;
/** Symbols of a table: ten times those of the largest programs. */
const MOST_SYMBOLS = 2 ** 25;

/** Functions, or objects of a size in data that the program may write. */
export type SymbolSort = 'functions' | 'objects';

export interface SymbolTable {
  /** Whether it is the one of dynamic symbols: these are only what other files may use. */
  readonly isDynamic: boolean;
  /** The symbols at some bytes from the first page; undefined: it is in none. */
  symbolsAt(places: Float64Array): Promise<(NamedSymbol | undefined)[]>;
}

/** undefined: it has no symbols of the sort. Faults: those of reading. */
export async function readSymbolTable(
  elf: ElfFile,
  sort: SymbolSort,
): Promise<Result<SymbolTable | undefined>> {
  for (const type of [SHT_SYMTAB, SHT_DYNSYM]) {
    for (const section of elf.sections.filter((other) => other.type === type).slice(0, MOST_TABLES)) {
      const names = elf.sections.at(section.link);
      if (names === undefined || section.isCompressed) continue;
      const found = await readSymbols(elf, section, sort);
      if (!found.ok) return found;
      if (found.value.length === 0) continue;
      const symbols = functionTable(found.value, (from) => endOfSection(elf, from));
      const isDynamic = type === SHT_DYNSYM;
      const texts = { source: elf.source, offset: names.offset, size: names.size, endsWith: 0 };
      return ok({ isDynamic, symbolsAt: (places) => symbolsAt(symbols, texts, places) });
    }
  }
  return ok(undefined);
}

/** The places of code that addresses mean: on ARM bit 0 says in which of two ways the code is written (Thumb). */
export function codePlaces({ machine }: ElfFile, places: Float64Array): Float64Array {
  return machine === EM_ARM ? places.map(withoutBit0) : places;
}

const withoutBit0 = (place: number) => 2 * Math.floor(place / 2);

/** Where the code ends that a byte is in, both in bytes from the first page; the byte itself where it is in none. */
function endOfSection({ sections }: ElfFile, at: number): number {
  return sections.find(({ isCode, from, to }) => isCode && from <= at && at < to)?.to ?? at;
}

async function readSymbols(
  elf: ElfFile,
  section: ElfSection,
  sort: SymbolSort,
): Promise<Result<FunctionList>> {
  const { source, form } = elf;
  const least = form.is64 ? 24 : 16;
  const stride = section.entryBytes === 0 ? least : section.entryBytes;
  const count = stride < least ? 0 : Math.min(MOST_SYMBOLS, Math.floor(section.size / stride));
  const perPiece = Math.max(1, Math.floor(PIECE_BYTES / stride));
  const found = functionList(count);
  for (let i = 0; i < count; i += perPiece) {
    const entries = Math.min(perPiece, count - i);
    const bytes = await source.read(section.offset + i * stride, entries * stride);
    if (!bytes.ok) return bytes;
    addSymbols(found, new ElfFields(bytes.value, form), entries, stride, elf, sort);
  }
  return ok(found);
}

function addSymbols(
  found: FunctionList,
  fields: ElfFields,
  entries: number,
  stride: number,
  elf: ElfFile,
  sort: SymbolSort,
): void {
  const { base, form } = elf;
  for (let i = 0; i < entries; i++) {
    fields.at = i * stride + (form.is64 ? 4 : 12);
    const info = fields.u8();
    fields.skip(1);
    const section = fields.u16();
    const type = info & 15;
    const isFunction = type === STT_FUNC || type === STT_GNU_IFUNC;
    if (section === 0 || !(sort === 'functions' ? isFunction : type === STT_OBJECT)) continue;
    fields.at = i * stride;
    const name = fields.u32();
    if (form.is64) fields.skip(4);
    const value = fields.addressFrom(base);
    const from = elf.machine === EM_ARM && type === STT_FUNC ? withoutBit0(value) : value;
    const size = fields.word();
    // What lies beyond is in no memory of the program.
    if (name === 0 || !Number.isSafeInteger(from) || !Number.isSafeInteger(from + size)) continue;
    if (sort === 'functions' || isWritable(elf, section, from, size))
      addFunction(found, from, size, name, RANKS[info >> 4] ?? OTHER_RANK);
  }
}

/** Whether an object has a size and lies in its section, which the program may write. */
function isWritable({ sections }: ElfFile, section: number, from: number, size: number): boolean {
  const its = section < sections.length ? sections[section] : undefined;
  return its?.isWritable === true && size > 0 && its.from <= from && from + size <= its.to;
}
