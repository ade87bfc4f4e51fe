/** How entries of `.debug_info` are written: the tables of `.debug_abbrev` (DWARF 5, section 7.5.3). */
import { fail, ok, type Result } from '../base/fault.ts';
import { DwarfFields } from './dwarf-fields.ts';
import type { DwarfSections } from './dwarf-sections.ts';

interface Abbreviation {
  /** `DW_TAG_…` */
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Numbers of each attribute: `DW_AT_…`, `DW_FORM_…`, and its value if the form is `DW_FORM_implicit_const`. */
  readonly attributes: Float64Array;
}

export const DW_FORM_IMPLICIT_CONST = 0x21;
/** Numbers of an attribute in `Abbreviation.attributes`. */
export const ATTRIBUTE_WORDS = 3;

const DEBUG_ABBREV = '.debug_abbrev';
const SHORT_TABLE = 4096;
/** Bytes of a table: twenty times those of the largest units. */
const LONGEST_TABLE = 2 * 1024 * 1024;
/** Bytes of a table that are a step. */
const STEP_BYTES = 8;
/** Tables that are kept. */
const MOST_TABLES = 256;

export type AbbreviationTable = ReadonlyMap<number, Abbreviation>;

export class Abbreviations {
  readonly #sections: DwarfSections;
  readonly #tables = new Map<number, AbbreviationTable>();

  constructor(sections: DwarfSections) {
    this.#sections = sections;
  }

  /**
   * The table at an offset. Faults: `symbols-unreadable`, and those of reading.
   * @param until the only code that is wanted: those behind it may be missing
   */
  async table(at: number, until?: number): Promise<Result<AbbreviationTable>> {
    const known = this.#tables.get(at);
    if (known !== undefined) return ok(known);
    for (const most of [SHORT_TABLE, LONGEST_TABLE]) {
      const bytes = await this.#sections.readUpTo(DEBUG_ABBREV, at, most);
      if (!bytes.ok) return bytes;
      const fields = new DwarfFields(bytes.value, this.#sections.elf.form);
      const table = tableIn(fields, until);
      if (!this.#sections.spend(fields.at / STEP_BYTES)) return fail(this.#sections.tooMuch(DEBUG_ABBREV));
      if (table === undefined) continue;
      if (until !== undefined) return ok(table);
      if (this.#tables.size >= MOST_TABLES) this.#tables.clear();
      this.#tables.set(at, table);
      return ok(table);
    }
    return fail(this.#sections.broken(`a table of ${DEBUG_ABBREV}`, `other bytes at ${at}`));
  }
}

/** undefined: it does not end within the bytes, or is damaged. */
function tableIn(fields: DwarfFields, until: number | undefined): AbbreviationTable | undefined {
  const table = new Map<number, Abbreviation>();
  for (;;) {
    const code = fields.uleb();
    if (code === 0) return table;
    const tag = fields.uleb();
    const hasChildren = fields.u8() === 1;
    const attributes: number[] = [];
    for (;;) {
      const attribute = fields.uleb();
      const form = fields.uleb();
      const value = form === DW_FORM_IMPLICIT_CONST ? fields.sleb() : 0;
      // NaN: the bytes have ended.
      if (Number.isNaN(form) || Number.isNaN(value)) return undefined;
      if (attribute === 0 && form === 0) break;
      attributes.push(attribute, form, value);
    }
    // The first of several counts.
    if (!table.has(code)) table.set(code, { tag, hasChildren, attributes: Float64Array.from(attributes) });
    if (code === until) return table;
  }
}
