/**
 * Runs line programs (DWARF 5, section 6.2.5): each makes rows of an address, a file and a line, in sequences of ascending
 * addresses. No rows are kept: a row is for the places that were asked for between it and the next one.
 */
import { lowerBound } from '../base/lower-bound.ts';
import type { IsCode } from './elf-file.ts';
import { DwarfFields } from './dwarf-fields.ts';
import type { AddressBase, ElfForm } from './elf-fields.ts';
import type { LineHeader } from './line-files.ts';

/** Places whose lines are asked for, and what is known of them so far. */
export interface LinesWanted {
  /** Bytes from the first page, ascending. */
  readonly places: Float64Array;
  /** Number of each place's file in its unit. */
  readonly file: Float64Array;
  /** Line of each place; 0: not known. */
  readonly line: Float64Array;
  /** Places that became known in this unit. */
  readonly fresh: number[];
  /** How often places may still be found: damaged files could say the same lines again and again. */
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
/** Where a sequence is that says no address: far from all code. */
const NOWHERE = -(2 ** 52);

/** The row that is being made, and what the sequence would make known: it counts when its end comes, and it was sound. */
class LineState {
  place = NOWHERE;
  file = 1;
  line = 1;
  readonly #wanted: LinesWanted;
  readonly #isCode: IsCode;
  /** Place of the row before; NaN: there is none. */
  #lastPlace = NaN;
  #lastFile = 0;
  #lastLine = 0;
  /** The first place that is not before the last row. */
  #next = 0;
  #isAscending = true;
  readonly #hits: { readonly index: number; readonly file: number; readonly line: number }[] = [];

  constructor(wanted: LinesWanted, isCode: IsCode) {
    this.#wanted = wanted;
    this.#isCode = isCode;
  }

  /** False: something was read that no program has, or that lies behind its end. */
  get isSound(): boolean {
    const { place, file, line } = this;
    const isRow = Number.isSafeInteger(place) && line >= 0 && line < MOST_LINES && file >= 0;
    return isRow && this.#wanted.finds >= 0;
  }

  row(): void {
    if (!this.isSound) return;
    const { places } = this.#wanted;
    const { place } = this;
    if (Number.isNaN(this.#lastPlace))
      this.#next = this.#isCode(place) ? lowerBound(places, place) : places.length;
    else if (place < this.#lastPlace) this.#isAscending = false;
    const first = this.#next;
    for (; this.#next < places.length && places[this.#next] < place; this.#next++)
      this.#hits.push({ index: this.#next, file: this.#lastFile, line: this.#lastLine });
    this.#wanted.finds -= this.#next - first;
    this.#lastPlace = place;
    this.#lastFile = this.file;
    this.#lastLine = this.line;
  }

  end(): void {
    if (!Number.isNaN(this.#lastPlace)) this.row();
    const { line, file, fresh } = this.#wanted;
    for (const hit of this.#isAscending ? this.#hits : []) {
      // Line 0 is code that no line is to blame for.
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

/** How a program is written, and where its code is. */
export interface LineProgram {
  readonly form: ElfForm;
  readonly header: LineHeader;
  /** Address that places are counted from. */
  readonly base: AddressBase;
  readonly isCode: IsCode;
}

/**
 * Ends where the program is damaged; what is known then stays so.
 * @param unit from behind its length on
 */
export function runLineProgram(unit: Uint8Array, program: LineProgram, wanted: LinesWanted): void {
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
