/** Reads entries of `.debug_info` one behind the other, and of each the attributes that say what is inlined where. */
import { ATTRIBUTE_WORDS, type AbbreviationTable, DW_FORM_IMPLICIT_CONST } from './abbreviations.ts';
import { DwarfFields } from './dwarf-fields.ts';
import type { AddressBase, ElfForm } from './elf-fields.ts';

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

const KEPT: ReadonlyMap<number, number> = new Map([
  ...([
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
  ] as const),
]);
const KEPT_ATTRIBUTES = 14;
/** Bytes of an entry. */
export const LARGEST_ENTRY = 16 * 1024;

/** Forms whose values mean something by themselves (`DW_FORM_…`). */
export const FORM_ADDRESS = 0x01;
export const FORM_TEXT = 0x08;
export const FORM_TEXT_OFFSET = 0x0e;
export const FORM_REFERENCE_OUTSIDE = 0x10;
export const FORM_LINE_TEXT_OFFSET = 0x1f;
const REFERENCES_INSIDE: ReadonlySet<number> = new Set([0x11, 0x12, 0x13, 0x14, 0x15]);
const TEXT_INDICES: ReadonlySet<number> = new Set([0x1a, 0x25, 0x26, 0x27, 0x28]);
const ADDRESS_INDICES: ReadonlySet<number> = new Set([0x1b, 0x29, 0x2a, 0x2b, 0x2c]);
const FORM_RANGES_INDEX = 0x23;

export const isReferenceInside = (form: number) => REFERENCES_INSIDE.has(form);
export const isTextIndex = (form: number) => TEXT_INDICES.has(form);
export const isAddressIndex = (form: number) => ADDRESS_INDICES.has(form);
export const isRangesIndex = (form: number) => form === FORM_RANGES_INDEX;

/** How the values of a unit are written. */
export interface EntryForm {
  readonly form: ElfForm;
  readonly version: number;
  /** Size of offsets into other sections: 4 or 8 bytes. */
  readonly offsetBytes: number;
  /** Address that places are counted from. */
  readonly base: AddressBase;
}

/** Reader of entries, which holds the one that was read last. */
export class EntryReader {
  readonly #unit: EntryForm;
  #fields: DwarfFields;
  /** Offset of the bytes in the section. */
  #begin = 0;
  /** `DW_TAG_…`; 0: the entries below one have ended. */
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

  /** Where the next entry begins, in the section. */
  get at(): number {
    return this.#begin + this.#fields.at;
  }

  /** Bytes behind that are there. */
  get left(): number {
    return this.#fields.left;
  }

  /** @param begin their offset in the section */
  goOn(bytes: Uint8Array, begin: number): void {
    this.#fields = new DwarfFields(bytes, this.#unit.form);
    this.#begin = begin;
  }

  /** False: it is damaged, or written in a form that nobody knows. Its end may lie behind the bytes. */
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

  /** The value in a form (DWARF 5, section 7.5.6), 0 for what is skipped; NaN: it is damaged, or nobody knows the form. */
  #value(form: number): number {
    const fields = this.#fields;
    const { version, offsetBytes, form: elfForm, base } = this.#unit;
    switch (form) {
      case FORM_ADDRESS:
        return fields.addressFrom(base);
      case FORM_REFERENCE_OUTSIDE:
        return version <= 2 ? (elfForm.is64 ? fields.u64() : fields.u32()) : this.#offset(offsetBytes);
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
        return this.#offset(offsetBytes);
      case 0x19: // flag_present
        return 1;
      default:
        // `DW_FORM_indirect` too, which no compiler uses.
        return NaN;
    }
  }

  #offset(bytes: number): number {
    return bytes === 8 ? this.#fields.u64() : this.#fields.u32();
  }

  #skip(bytes: number): number {
    this.#fields.skip(bytes);
    return Number.isNaN(bytes) ? NaN : 0;
  }
}
