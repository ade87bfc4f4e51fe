/** Source files and lines of code addresses in an ELF file, from the line programs in its `.debug_line`. */
import { lowerBound } from '../base/lower-bound.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { DwarfSections, unitAt } from './dwarf-sections.ts';
import { type AddressBase, DwarfFields, type ElfForm } from './elf-fields.ts';
import { codeOf, type ElfFile, type IsCode, unreadable } from './elf-file.ts';
import { type LineFiles, type LineHeader, pathOf, readLineFiles, readLineHeader } from './line-files.ts';

const DEBUG_LINE = '.debug_line';
/** Most bytes of a unit: fifty times the largest that compilers make. */
const LARGEST_UNIT = 256 * 1024 * 1024;
const SMALLEST_UNIT = 16;
/** Bytes of a unit that count as a step. */
const STEP_BYTES = 8;
/** Finds per place at most: copies of a function that the linker dropped may still be there. */
const FINDS_EACH = 1000;

interface SourceLine {
  /** Path as in the file: relative to the compiler's folder, or absolute. */
  readonly file: string;
  readonly line: number;
}

export interface FoundLines {
  /** Source line of each place; undefined: it has none. */
  readonly lines: readonly (SourceLine | undefined)[];
  /** Reason why some may be missing. */
  readonly fault?: Fault;
}

export function hasLines({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === DEBUG_LINE && size > 0);
}

interface LineUnit {
  /** Bytes of the unit after its length. */
  readonly bytes: Uint8Array;
  /** Undefined: it is damaged, or of another kind. */
  readonly header: LineHeader | undefined;
  readonly to: number;
}

/**
 * Reads unit by unit until all are found; takes as much memory as the largest unit.
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

/** Sets the files of the places found in a unit. */
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

/** Reads the line program at an offset of `.debug_line`. Faults: `symbols-unreadable`, and those of reading. */
export async function readLineUnit(sections: DwarfSections, at: number): Promise<Result<LineUnit>> {
  const extent = await unitAt(sections, DEBUG_LINE, at, SMALLEST_UNIT);
  if (!extent.ok) return extent;
  const { from, to, offsetBytes } = extent.value;
  if (to - from > LARGEST_UNIT)
    return fail(sections.broken(`line programs of ${LARGEST_UNIT} bytes`, `${to - from}`));
  const bytes = await sections.read(DEBUG_LINE, from, to - from);
  if (!bytes.ok) return bytes;
  // Units of entries may all refer to this one.
  sections.spend((to - from) / STEP_BYTES);
  const header = readLineHeader(bytes.value, sections.elf.form, offsetBytes);
  return ok({ bytes: bytes.value, header, to });
}

/**
 * Places whose lines are wanted, and results so far. Line programs (DWARF 5, section 6.2.5) make rows of an address,
 * a file and a line, in sequences of ascending addresses. Rows are not kept: each serves the wanted places between it
 * and the next row.
 */
interface LinesWanted {
  /** Bytes from the first page, ascending. */
  readonly places: Float64Array;
  /** Number of each place's file in its unit. */
  readonly file: Float64Array;
  /** Line of each place; 0: not known. */
  readonly line: Float64Array;
  /** Places found in this unit. */
  readonly fresh: number[];
  /** Finds left: damaged files could repeat the same lines again and again. */
  finds: number;
}

const DW_LNS_COPY = 1;
const DW_LNS_ADVANCE_PC = 2;
const DW_LNS_ADVANCE_LINE = 3;
const DW_LNS_SET_FILE = 4;
const DW_LNS_CONST_ADD_PC = 8;
const DW_LNS_FIXED_ADVANCE_PC = 9;
const DW_LNE_END_SEQUENCE = 1;
const DW_LNE_SET_ADDRESS = 2;

const MOST_LINES = 2 ** 31;
/** Place of a sequence without address: far from all code. */
const NOWHERE = -(2 ** 52);

/** The present row, and what its sequence would find, which counts once the sequence ends without damage. */
class LineState {
  place = NOWHERE;
  file = 1;
  line = 1;
  /** Place of the previous row; NaN: there is none. */
  #lastPlace = NaN;
  #lastFile = 0;
  #lastLine = 0;
  /** First wanted place not before the last row. */
  #next = 0;
  #isAscending = true;
  readonly #hits: { readonly index: number; readonly file: number; readonly line: number }[] = [];

  constructor(
    private readonly wanted: LinesWanted,
    private readonly isCode: IsCode,
  ) {}

  /** Whether only valid values within the program were read so far. */
  get isSound(): boolean {
    const { place, file, line } = this;
    const isRow = Number.isSafeInteger(place) && line >= 0 && line < MOST_LINES && file >= 0;
    return isRow && this.wanted.finds >= 0;
  }

  row(): void {
    if (!this.isSound) return;
    const { places } = this.wanted;
    const { place } = this;
    if (Number.isNaN(this.#lastPlace))
      this.#next = this.isCode(place) ? lowerBound(places, place) : places.length;
    else if (place < this.#lastPlace) this.#isAscending = false;
    const first = this.#next;
    for (; this.#next < places.length && places[this.#next] < place; this.#next++)
      this.#hits.push({ index: this.#next, file: this.#lastFile, line: this.#lastLine });
    this.wanted.finds -= this.#next - first;
    this.#lastPlace = place;
    this.#lastFile = this.file;
    this.#lastLine = this.line;
  }

  end(): void {
    if (!Number.isNaN(this.#lastPlace)) this.row();
    const { line, file, fresh } = this.wanted;
    for (const hit of this.#isAscending ? this.#hits : []) {
      // Line 0 is code without a source line.
      if (line[hit.index] !== 0 || hit.line === 0) continue;
      line[hit.index] = hit.line;
      file[hit.index] = hit.file;
      fresh.push(hit.index);
    }
    this.#hits.length = 0;
    this.#isAscending = true;
    this.#lastPlace = NaN;
    this.place = NOWHERE;
    this.file = this.line = 1;
  }
}

interface LineProgram {
  readonly form: ElfForm;
  readonly header: LineHeader;
  /** Address from which places count. */
  readonly base: AddressBase;
  readonly isCode: IsCode;
}

/**
 * Runs a line program; it ends at damage, with the results so far kept.
 * @param unit bytes after its length
 */
function runLineProgram(unit: Uint8Array, program: LineProgram, wanted: LinesWanted): void {
  const { header } = program;
  const { lineBase, lineRange, firstSpecial, shortestInstruction } = header;
  const fields = new DwarfFields(unit, program.form);
  fields.at = header.programAt;
  const state = new LineState(wanted, program.isCode);
  while (fields.left > 0 && state.isSound) {
    const code = fields.u8();
    if (code >= firstSpecial) {
      const special = code - firstSpecial;
      state.place += Math.floor(special / lineRange) * shortestInstruction;
      state.line += lineBase + (special % lineRange);
      state.row();
    } else if (code === 0) {
      if (!runExtended(fields, program, state)) break;
    } else runStandard(fields, code, header, state);
  }
}

/** False: it is damaged. */
function runExtended(fields: DwarfFields, { form, base }: LineProgram, state: LineState): boolean {
  const length = fields.uleb();
  const end = fields.at + length;
  if (!(length > 0 && length <= fields.left)) return false;
  const kind = fields.u8();
  if (kind === DW_LNE_END_SEQUENCE) state.end();
  else if (kind === DW_LNE_SET_ADDRESS) {
    if (length - 1 !== (form.is64 ? 8 : 4)) return false;
    state.place = fields.addressFrom(base);
  }
  fields.at = end;
  return true;
}

function runStandard(fields: DwarfFields, code: number, header: LineHeader, state: LineState): void {
  const { lineRange, firstSpecial, shortestInstruction, operands } = header;
  switch (code) {
    case DW_LNS_COPY:
      state.row();
      break;
    case DW_LNS_ADVANCE_PC:
      state.place += fields.uleb() * shortestInstruction;
      break;
    case DW_LNS_ADVANCE_LINE:
      state.line += fields.sleb();
      break;
    case DW_LNS_SET_FILE:
      state.file = fields.uleb();
      break;
    case DW_LNS_CONST_ADD_PC:
      state.place += Math.floor((255 - firstSpecial) / lineRange) * shortestInstruction;
      break;
    case DW_LNS_FIXED_ADVANCE_PC:
      state.place += fields.u16();
      break;
    default:
      for (let i = operands[code - 1]; i > 0; i--) fields.uleb();
  }
}
