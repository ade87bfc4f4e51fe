/** Files and lines of places in the code of an ELF file, by the line programs in its `.debug_line`. */
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { codeOf, type ElfFile, unreadable } from './elf-file.ts';
import { DwarfSections, unitAt } from './dwarf-sections.ts';
import { type LineHeader, readLineHeader, type LineFiles, pathOf, readLineFiles } from './line-files.ts';
import { type LinesWanted, runLineProgram } from './line-program.ts';

const DEBUG_LINE = '.debug_line';
/** Bytes of one unit: fifty times the largest that compilers make. */
const LARGEST_UNIT = 256 * 1024 * 1024;
const SMALLEST_UNIT = 16;
/** Bytes of a unit that are a step. */
const STEP_BYTES = 8;
/** How often a place is found: copies of a function that the linker left out may still be there. */
const FINDS_EACH = 1000;

interface SourceLine {
  /** Path as in the file: below the compiler's folder, or from the root on. */
  readonly file: string;
  readonly line: number;
}

export interface FoundLines {
  /** Source line of each place; undefined: it has none. */
  readonly lines: readonly (SourceLine | undefined)[];
  /** Why some may be missing. */
  readonly fault?: Fault;
}

export function hasLines({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === DEBUG_LINE && size > 0);
}

interface LineUnit {
  /** Bytes of the unit, from behind its length on. */
  readonly bytes: Uint8Array;
  /** undefined: it is damaged, or of another sort. */
  readonly header: LineHeader | undefined;
  /** Where the next one begins. */
  readonly to: number;
}

/**
 * Reads unit by unit until all are known; the memory that it takes is that of the largest unit.
 * @param places bytes from the first page, ascending
 */
export async function linesAt(elf: ElfFile, places: Float64Array): Promise<FoundLines> {
  const lines = new Array<SourceLine | undefined>(places.length).fill(undefined);
  if (!hasLines(elf) || places.length === 0) return { lines };
  const sections = new DwarfSections(elf);
  const size = await sections.sizeOf(DEBUG_LINE);
  if (!size.ok) return { lines, fault: size.fault };
  const wanted: LinesWanted = {
    places,
    file: new Float64Array(places.length),
    line: new Float64Array(places.length),
    fresh: [],
    finds: FINDS_EACH * places.length,
  };
  const isCode = codeOf(elf);
  let left = places.length;
  for (let at = 0; left > 0 && at < size.value;) {
    const unit = await readLineUnit(sections, at);
    if (!unit.ok) return { lines, fault: unit.fault };
    const { bytes, header } = unit.value;
    at = unit.value.to;
    if (header === undefined) continue;
    runLineProgram(bytes, { form: elf.form, header, base: elf.base, isCode }, wanted);
    if (wanted.finds < 0)
      return { lines, fault: unreadable(elf.source, 'lines', 'the same ones again and again') };
    if (wanted.fresh.length === 0) continue;
    left -= wanted.fresh.length;
    await nameFiles(wanted, readLineFiles(bytes, elf.form, header), sections, lines);
  }
  return { lines, fault: sections.fault };
}

/** Gives the places that became known in a unit their files. */
async function nameFiles(
  { file, line, fresh }: LinesWanted,
  files: LineFiles,
  sections: DwarfSections,
  lines: (SourceLine | undefined)[],
): Promise<void> {
  const paths = new Map<number, string | undefined>();
  for (const i of fresh) {
    if (!paths.has(file[i])) paths.set(file[i], await pathOf(files, file[i], sections));
    const path = paths.get(file[i]);
    if (path !== undefined) lines[i] = { file: path, line: line[i] };
  }
  fresh.length = 0;
}

/** The line program that begins at an offset of `.debug_line`. Faults: `symbols-unreadable`, and those of reading. */
export async function readLineUnit(sections: DwarfSections, at: number): Promise<Result<LineUnit>> {
  const extent = await unitAt(sections, DEBUG_LINE, at, SMALLEST_UNIT);
  if (!extent.ok) return extent;
  const { from, to, offsetBytes } = extent.value;
  if (to - from > LARGEST_UNIT)
    return fail(sections.broken(`line programs of ${LARGEST_UNIT} bytes`, `${to - from}`));
  const bytes = await sections.read(DEBUG_LINE, from, to - from);
  if (!bytes.ok) return bytes;
  // Units of entries may all name this one.
  sections.spend((to - from) / STEP_BYTES);
  const header = readLineHeader(bytes.value, sections.elf.form, offsetBytes);
  return ok({ bytes: bytes.value, header, to });
}
