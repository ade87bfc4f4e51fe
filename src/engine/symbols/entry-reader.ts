/** Reads consecutive entries of `.debug_info`, with the attributes that tell what is inlined where. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type DwarfSections, unitAt } from './dwarf-sections.ts';
import { type AddressBase, DwarfFields, type ElfForm } from './elf-fields.ts';

export const DEBUG_INFO = '.debug_info';

/** Attributes that are kept (`DW_AT_…`), by their place in `EntryReader.values`. */
export const NAME = 1;
export const LINES = 2;
export const LOW = 3;
export const HIGH = 4;
export const ORIGIN = 5;
export const SPECIFICATION = 6;
export const RANGES = 7;
export const CALL_FILE = 8;
export const CALL_LINE = 9;
export const LINKAGE_NAME = 10;
export const TEXT_OFFSETS_BASE = 11;
export const ADDRESSES_BASE = 12;
export const RANGES_BASE = 13;

const KEPT: ReadonlyMap<number, number> = new Map<number, number>([
  [0x03, NAME],
  [0x10, LINES],
  [0x11, LOW],
  [0x12, HIGH],
  [0x31, ORIGIN],
  [0x47, SPECIFICATION],
  [0x55, RANGES],
  [0x58, CALL_FILE],
  [0x59, CALL_LINE],
  [0x6e, LINKAGE_NAME],
  [0x2007, LINKAGE_NAME],
  [0x72, TEXT_OFFSETS_BASE],
  [0x73, ADDRESSES_BASE],
  [0x74, RANGES_BASE],
]);
const KEPT_ATTRIBUTES = 14;
/** Most bytes of an entry. */
export const LARGEST_ENTRY = 16 * 1024;

/** Forms with a meaning of their own (`DW_FORM_…`). */
export const FORM_ADDRESS = 0x01;
export const FORM_TEXT = 0x08;
export const FORM_TEXT_OFFSET = 0x0e;
export const FORM_REFERENCE_OUTSIDE = 0x10;
export const FORM_LINE_TEXT_OFFSET = 0x1f;
export const FORM_RANGES_INDEX = 0x23;
export const REFERENCES_INSIDE: ReadonlySet<number> = new Set([0x11, 0x12, 0x13, 0x14, 0x15]);
export const TEXT_INDICES: ReadonlySet<number> = new Set([0x1a, 0x25, 0x26, 0x27, 0x28]);
export const ADDRESS_INDICES: ReadonlySet<number> = new Set([0x1b, 0x29, 0x2a, 0x2b, 0x2c]);

/** Form of a unit's values. */
export interface EntryForm {
  readonly form: ElfForm;
  readonly version: number;
  /** Size of offsets into other sections: 4 or 8 bytes. */
  readonly offsetBytes: number;
  /** Address from which places count. */
  readonly base: AddressBase;
}

/** Reader of entries, which holds the one that was read last. */
export class EntryReader {
  readonly #unit: EntryForm;
  #fields: DwarfFields;
  /** Offset of the bytes in the section. */
  #begin = 0;
  /** `DW_TAG_…`; 0: end of the entries below one. */
  tag = 0;
  hasChildren = false;
  /** Form of each kept attribute, `DW_FORM_…`; 0: the entry has none. */
  readonly forms = new Uint16Array(KEPT_ATTRIBUTES);
  /** Values by kept attribute: numbers, addresses as bytes from the first page, offsets of texts in their section. */
  readonly values = new Float64Array(KEPT_ATTRIBUTES);

  constructor(unit: EntryForm) {
    this.#unit = unit;
    this.#fields = new DwarfFields(new Uint8Array(0), unit.form);
  }

  /** Offset of the next entry in the section. */
  get at(): number {
    return this.#begin + this.#fields.at;
  }

  /** Bytes left. */
  get left(): number {
    return this.#fields.left;
  }

  /** @param begin their offset in the section */
  goOn(bytes: Uint8Array, begin: number): void {
    this.#fields = new DwarfFields(bytes, this.#unit.form);
    this.#begin = begin;
  }

  /** Reads the next entry. False: it is damaged, or has an unknown form. Its end may be beyond the bytes. */
  next(table: AbbreviationTable): boolean {
    this.forms.fill(0);
    const code = this.#fields.uleb();
    this.tag = 0;
    this.hasChildren = false;
    if (code === 0) return true;
    const abbreviation = table.get(code);
    if (abbreviation === undefined) return false;
    const { tag, hasChildren, attributes } = abbreviation;
    this.tag = tag;
    this.hasChildren = hasChildren;
    for (let i = 0; i < attributes.length; i += ATTRIBUTE_WORDS) {
      const form = attributes[i + 1];
      const isConstant = form === DW_FORM_IMPLICIT_CONST;
      const value = isConstant ? attributes[i + 2] : this.#value(form);
      if (Number.isNaN(value)) return false;
      const kept = KEPT.get(attributes[i]);
      if (kept === undefined || this.forms[kept] !== 0) continue;
      this.forms[kept] = form;
      this.values[kept] = value;
    }
    return true;
  }

  /** Value of a form (DWARF 5, section 7.5.6), 0 if skipped; NaN: damaged, or an unknown form. */
  #value(form: number): number {
    const fields = this.#fields;
    const { version, offsetBytes, base } = this.#unit;
    switch (form) {
      case FORM_ADDRESS:
        return fields.addressFrom(base);
      case FORM_REFERENCE_OUTSIDE:
        return version <= 2 ? fields.word() : fields.offset(offsetBytes);
      case FORM_TEXT: {
        const at = this.at;
        return fields.skipText() ? at : NaN;
      }
      case 0x03: // block2
        return this.#skip(fields.u16());
      case 0x04: // block4
        return this.#skip(fields.u32());
      case 0x0a: // block1
        return this.#skip(fields.u8());
      case 0x09: // block
      case 0x18: // exprloc
        return this.#skip(fields.uleb());
      case 0x0b: // data1
      case 0x0c: // flag
      case 0x11: // ref1
      case 0x25: // strx1
      case 0x29: // addrx1
        return fields.u8();
      case 0x05: // data2
      case 0x12: // ref2
      case 0x26: // strx2
      case 0x2a: // addrx2
        return fields.u16();
      case 0x27: // strx3
      case 0x2b: // addrx3
        return fields.u24();
      case 0x06: // data4
      case 0x13: // ref4
      case 0x1c: // ref_sup4
      case 0x28: // strx4
      case 0x2c: // addrx4
        return fields.u32();
      case 0x07: // data8
      case 0x14: // ref8
      case 0x20: // ref_sig8
      case 0x24: // ref_sup8
        return fields.u64();
      case 0x1e: // data16
        return this.#skip(16);
      case 0x0d: // sdata
        return fields.sleb();
      case 0x0f: // udata
      case 0x15: // ref_udata
      case 0x1a: // strx
      case 0x1b: // addrx
      case 0x22: // loclistx
      case FORM_RANGES_INDEX:
      case 0x1f01: // GNU_addr_index
      case 0x1f02: // GNU_str_index
        return fields.uleb();
      case FORM_TEXT_OFFSET:
      case 0x17: // sec_offset
      case 0x1d: // strp_sup
      case FORM_LINE_TEXT_OFFSET:
      case 0x1f20: // GNU_ref_alt
      case 0x1f21: // GNU_strp_alt
        return fields.offset(offsetBytes);
      case 0x19: // flag_present
        return 1;
      default:
        // Includes `DW_FORM_indirect`, which no compiler uses.
        return NaN;
    }
  }

  #skip(bytes: number): number {
    this.#fields.skip(bytes);
    return Number.isNaN(bytes) ? NaN : 0;
  }
}

/** How entries are written: an entry of a table of `.debug_abbrev` (DWARF 5, section 7.5.3). */
interface Abbreviation {
  /** `DW_TAG_…` */
  readonly tag: number;
  readonly hasChildren: boolean;
  /** Numbers of each attribute: `DW_AT_…`, `DW_FORM_…`, and its value if the form is `DW_FORM_implicit_const`. */
  readonly attributes: Float64Array;
}

const DW_FORM_IMPLICIT_CONST = 0x21;
/** Numbers of an attribute in `Abbreviation.attributes`. */
const ATTRIBUTE_WORDS = 3;

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
  readonly #tables = new Map<number, AbbreviationTable>();

  constructor(private readonly sections: DwarfSections) {}

  /**
   * The table at an offset. Faults: `symbols-unreadable`, and those of reading.
   * @param until the only code that is wanted: those behind it may be missing
   */
  async table(at: number, until?: number): Promise<Result<AbbreviationTable>> {
    const known = this.#tables.get(at);
    if (known !== undefined) return ok(known);
    for (const most of [SHORT_TABLE, LONGEST_TABLE]) {
      const bytes = await this.sections.readUpTo(DEBUG_ABBREV, at, most);
      if (!bytes.ok) return bytes;
      const fields = new DwarfFields(bytes.value, this.sections.elf.form);
      const table = tableIn(fields, until);
      if (!this.sections.spend(fields.at / STEP_BYTES)) return fail(this.sections.tooMuch(DEBUG_ABBREV));
      if (table === undefined) continue;
      if (until !== undefined) return ok(table);
      if (this.#tables.size >= MOST_TABLES) this.#tables.clear();
      this.#tables.set(at, table);
      return ok(table);
    }
    return fail(this.sections.broken(`a table of ${DEBUG_ABBREV}`, `other bytes at ${at}`));
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

/**
 * A unit of `.debug_info` (DWARF 5, section 7.5.1; versions 2 to 5): where its entries are, and what the first says. Offsets
 * in `.debug_info`, if nothing else is said.
 */
export interface EntryUnit extends EntryForm {
  readonly at: number;
  readonly entriesAt: number;
  readonly end: number;
  /** Offset in `.debug_abbrev`. */
  readonly abbreviationsAt: number;
  readonly root: EntryReader;
}

/** Kinds of units in version 5 that have code or entries that others name (`DW_UT_…`): compile, partial. */
const UNIT_KINDS: readonly number[] = [1, 3];
const SMALLEST_UNIT = 7;
/** The first entry is about fifty bytes. */
const LARGEST_ROOT = 4096;

/**
 * The unit that begins at `at`, and where it ends; undefined: it is of another kind or version. Faults:
 * `symbols-unreadable`, and those of reading.
 */
export async function readEntryUnit(
  sections: DwarfSections,
  abbreviations: Abbreviations,
  at: number,
): Promise<Result<{ readonly unit: EntryUnit | undefined; readonly end: number }>> {
  const extent = await unitAt(sections, DEBUG_INFO, at, SMALLEST_UNIT);
  if (!extent.ok) return extent;
  const { from, to: end, offsetBytes } = extent.value;
  const bytes = await sections.read(DEBUG_INFO, from, Math.min(LARGEST_ROOT, end - from));
  if (!bytes.ok) return bytes;
  const { form, base } = sections.elf;
  const fields = new DwarfFields(bytes.value, form);
  const version = fields.u16();
  if (!(version >= 2 && version <= 5)) return ok({ unit: undefined, end });
  const kind = version >= 5 ? fields.u8() : UNIT_KINDS[0];
  const addressBytes = version >= 5 ? fields.u8() : 0;
  const abbreviationsAt = fields.offset(offsetBytes);
  if ((version >= 5 ? addressBytes : fields.u8()) !== (form.is64 ? 8 : 4) || !UNIT_KINDS.includes(kind))
    return ok({ unit: undefined, end });
  const begin = fields.at;
  const code = fields.uleb();
  if (code === 0) return ok({ unit: undefined, end });
  const table = await abbreviations.table(abbreviationsAt, code);
  if (!table.ok) return table;
  const entryForm = { form, base, version, offsetBytes };
  const root = new EntryReader(entryForm);
  root.goOn(bytes.value.subarray(begin), from + begin);
  if (!root.next(table.value) || root.left < 0)
    return fail(sections.broken(`a first entry of the unit at ${at}`, 'a damaged one'));
  // What it said is kept, its bytes are not.
  root.goOn(new Uint8Array(0), end);
  return ok({ unit: { ...entryForm, at, entriesAt: from + begin, end, abbreviationsAt, root }, end });
}
