/** The functions in the symbol table of an ELF file: `.symtab`, or `.dynsym` where that has none. */
import { ok, type Result } from '../base/result.ts';
import { ElfFields } from './elf-fields.ts';
import { type ElfFile, type ElfSection, SHT_DYNSYM, SHT_SYMTAB } from './elf-file.ts';
import { FunctionList, functionTable } from './function-table.ts';
import { namesAt, NamesInFile } from './names-in-file.ts';

const STT_FUNC = 2;
const STT_GNU_IFUNC = 10;
/** By binding: global, weak, local, others. */
const RANKS: Readonly<Record<number, number>> = { 1: 0, 2: 1, 0: 2 };
const OTHER_RANK = 3;
const PIECE_BYTES = 1024 * 1024;
/** Symbols of a table: ten times those of the largest programs. */
const MOST_SYMBOLS = 2 ** 25;

/** What functions of a file are called. */
export interface SymbolTable {
  /** Whether it is the one of dynamic symbols: these are only what other files may call. */
  readonly isDynamic: boolean;
  /** The names of the functions at some bytes from the first page; undefined: it is in none. */
  namesAt(places: Float64Array): Promise<(string | undefined)[]>;
}

/** undefined: it has no symbols of functions. Faults: those of reading. */
export async function readSymbolTable(elf: ElfFile): Promise<Result<SymbolTable | undefined>> {
  for (const type of [SHT_SYMTAB, SHT_DYNSYM]) {
    for (const section of elf.sections.filter((other) => other.type === type)) {
      const names = elf.sections.at(section.link);
      if (names === undefined || section.isCompressed) continue;
      const found = await readFunctions(elf, section);
      if (!found.ok) return found;
      if (found.value.length === 0) continue;
      const functions = functionTable(found.value, (from) => endOfSection(elf, from));
      const isDynamic = type === SHT_DYNSYM;
      const texts = new NamesInFile(elf.source, names.offset, names.size, 0);
      return ok({ isDynamic, namesAt: (places) => namesAt(functions, texts, places) });
    }
  }
  return ok(undefined);
}

/** Where the code ends that a byte is in, both in bytes from the first page; the byte itself where it is in none. */
function endOfSection({ sections }: ElfFile, at: number): number {
  return sections.find(({ isCode, from, to }) => isCode && from <= at && at < to)?.to ?? at;
}

/** Functions that are defined in the file. */
async function readFunctions(elf: ElfFile, section: ElfSection): Promise<Result<FunctionList>> {
  const { source, form } = elf;
  const least = form.is64 ? 24 : 16;
  const stride = section.entryBytes === 0 ? least : section.entryBytes;
  const count = stride < least ? 0 : Math.min(MOST_SYMBOLS, Math.floor(section.size / stride));
  const perPiece = Math.max(1, Math.floor(PIECE_BYTES / stride));
  const found = new FunctionList(count);
  for (let i = 0; i < count; i += perPiece) {
    const entries = Math.min(perPiece, count - i);
    const bytes = await source.read(section.offset + i * stride, entries * stride);
    if (!bytes.ok) return bytes;
    addFunctions(found, new ElfFields(bytes.value, form), entries, stride, elf);
  }
  return ok(found);
}

function addFunctions(
  found: FunctionList,
  fields: ElfFields,
  entries: number,
  stride: number,
  { base, form }: ElfFile,
): void {
  for (let i = 0; i < entries; i++) {
    fields.at = i * stride + (form.is64 ? 4 : 12);
    const info = fields.u8();
    fields.skip(1);
    const section = fields.u16();
    const type = info & 15;
    if (section === 0 || (type !== STT_FUNC && type !== STT_GNU_IFUNC)) continue;
    fields.at = i * stride;
    const name = fields.u32();
    if (form.is64) fields.skip(4);
    const from = fields.addressFrom(base);
    const size = fields.word();
    // What lies beyond is in no memory of the program.
    if (name !== 0 && Number.isSafeInteger(from) && Number.isSafeInteger(from + size))
      found.add(from, size, name, RANKS[info >> 4] ?? OTHER_RANK);
  }
}
