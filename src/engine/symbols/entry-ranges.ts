/**
 * Code ranges of entries: between two addresses, or in lists of `.debug_ranges` (DWARF 4, section 2.17.3) or
 * `.debug_rnglists` (DWARF 5, section 2.17.3).
 */
import { fail, ok, type Result } from '../base/fault.ts';
import { DwarfFields } from './elf-fields.ts';
import type { DwarfSections } from './dwarf-sections.ts';
import * as entries from './entry-reader.ts';

const SLICE_BYTES = 4096;
/** Bytes of the longest entry of a list. */
const LONGEST_ENTRY = 32;

/** Ranges as pairs: begin and end, in bytes from the first page. */
export type Ranges = readonly number[];

/** Ranges of the entry read last; empty: it has no code. Faults: `symbols-unreadable`, and those of reading. */
export async function rangesOf(
  sections: DwarfSections,
  { forms, values }: entries.EntryReader,
  unit: entries.EntryUnit,
): Promise<Result<Ranges>> {
  const form = forms[entries.RANGES];
  if (form !== 0) return listedRanges(sections, form, values[entries.RANGES], unit);
  if (forms[entries.LOW] === 0 || forms[entries.HIGH] === 0) return ok([]);
  const from = await addressOf(sections, forms[entries.LOW], values[entries.LOW], unit);
  if (!from.ok) return from;
  const isAddress =
    forms[entries.HIGH] === entries.FORM_ADDRESS || entries.ADDRESS_INDICES.has(forms[entries.HIGH]);
  if (!isAddress) return ok([from.value, from.value + values[entries.HIGH]]);
  const to = await addressOf(sections, forms[entries.HIGH], values[entries.HIGH], unit);
  return to.ok ? ok([from.value, to.value]) : to;
}

/** Base of a unit's ranges: the begin of its code, if stated, else address 0. */
async function baseOf(sections: DwarfSections, unit: entries.EntryUnit): Promise<Result<number>> {
  const { root } = unit;
  const form = root.forms[entries.LOW];
  const { high, low } = unit.base;
  // A page is exact as a double.
  return form === 0 ? ok(-(high * 2 ** 32 + low)) : addressOf(sections, form, root.values[entries.LOW], unit);
}

async function addressOf(
  sections: DwarfSections,
  form: number,
  value: number,
  { root }: entries.EntryUnit,
): Promise<Result<number>> {
  if (!entries.ADDRESS_INDICES.has(form)) return ok(value);
  const { form: elfForm, base } = sections.elf;
  const bytes = elfForm.is64 ? 8 : 4;
  const at = valueOf(root, entries.ADDRESSES_BASE) + value * bytes;
  const found = await sections.read('.debug_addr', at, bytes);
  return found.ok ? ok(new DwarfFields(found.value, elfForm).addressFrom(base)) : found;
}

async function listedRanges(
  sections: DwarfSections,
  form: number,
  value: number,
  unit: entries.EntryUnit,
): Promise<Result<Ranges>> {
  const base = await baseOf(sections, unit);
  if (!base.ok) return base;
  if (unit.version < 5) return readList(sections, '.debug_ranges', value, unit, base.value, pair4);
  let at = value;
  if (form === entries.FORM_RANGES_INDEX) {
    const lists = valueOf(unit.root, entries.RANGES_BASE);
    const { offsetBytes } = unit;
    const found = await sections.read('.debug_rnglists', lists + value * offsetBytes, offsetBytes);
    if (!found.ok) return found;
    at = lists + new DwarfFields(found.value, unit.form).offset(offsetBytes);
  }
  return readList(sections, '.debug_rnglists', at, unit, base.value, entry5);
}

async function readList(
  sections: DwarfSections,
  section: string,
  at: number,
  unit: entries.EntryUnit,
  base: number,
  next: (fields: DwarfFields, unit: entries.EntryUnit, base: number) => ListEntry,
): Promise<Result<Ranges>> {
  const ranges: number[] = [];
  let fields = new DwarfFields(new Uint8Array(0), unit.form);
  for (let from = at, begin = base; ;) {
    if (fields.left < LONGEST_ENTRY) {
      from += fields.at;
      const bytes = await sections.readUpTo(section, from, SLICE_BYTES);
      if (!bytes.ok) return bytes;
      fields = new DwarfFields(bytes.value, unit.form);
    }
    const { kind, first, last, form } = next(fields, unit, begin);
    if (kind === 'end') return ok(ranges);
    if (!sections.spend(1)) return fail(sections.tooMuch(section));
    if (kind === 'damaged' || Number.isNaN(first + last))
      return fail(sections.broken(`a list of ${section}`, `other bytes at ${from + fields.at}`));
    const low = await addressOf(sections, form, first, unit);
    if (!low.ok) return low;
    if (kind === 'base') begin = low.value;
    else if (kind === 'length') ranges.push(low.value, low.value + last);
    else {
      const high = await addressOf(sections, form, last, unit);
      if (!high.ok) return high;
      ranges.push(low.value, high.value);
    }
  }
}

/** Form that stands for any form of an address index. */
const INDEX = 0x1b;

/** Two addresses, one and a length, or a base address. */
interface ListEntry {
  readonly kind: 'end' | 'base' | 'both' | 'length' | 'damaged';
  readonly first: number;
  readonly last: number;
  /** Form of its addresses. */
  readonly form: number;
}

const entry = (kind: ListEntry['kind'], first = 0, last = 0, form = entries.FORM_ADDRESS): ListEntry => {
  return { kind, first, last, form };
};

function pair4(fields: DwarfFields, unit: entries.EntryUnit, base: number): ListEntry {
  const at = fields.at;
  const size = unit.form.is64 ? 8 : 4;
  const [first, last] = [fields.addressFrom(ZERO), fields.addressFrom(ZERO)];
  if (first === 0 && last === 0) return entry('end');
  if (fields.bytes.subarray(at, at + size).every((byte) => byte === 0xff)) {
    fields.at = at + size;
    return entry('base', fields.addressFrom(unit.base));
  }
  // Upper and lower halves separately, so that the sum of large addresses is exact.
  const high = Math.floor(base / 2 ** 32);
  const origin = { high: -high, low: -(base - high * 2 ** 32) };
  fields.at = at;
  return entry('both', fields.addressFrom(origin), fields.addressFrom(origin));
}

const ZERO = { high: 0, low: 0 };

/** `DW_RLE_…` (DWARF 5, section 7.25). */
function entry5(fields: DwarfFields, unit: entries.EntryUnit, base: number): ListEntry {
  switch (fields.u8()) {
    case 0: // end_of_list
      return entry('end');
    case 1: // base_addressx
      return entry('base', fields.uleb(), 0, INDEX);
    case 2: // startx_endx
      return entry('both', fields.uleb(), fields.uleb(), INDEX);
    case 3: // startx_length
      return entry('length', fields.uleb(), fields.uleb(), INDEX);
    case 4: // offset_pair
      return entry('both', base + fields.uleb(), base + fields.uleb());
    case 5: // base_address
      return entry('base', fields.addressFrom(unit.base));
    case 6: // start_end
      return entry('both', fields.addressFrom(unit.base), fields.addressFrom(unit.base));
    case 7: // start_length
      return entry('length', fields.addressFrom(unit.base), fields.uleb());
    default:
      return entry('damaged');
  }
}

/** NaN: the unit does not state it. */
function valueOf({ forms, values }: entries.EntryReader, attribute: number): number {
  return forms[attribute] === 0 ? NaN : values[attribute];
}
