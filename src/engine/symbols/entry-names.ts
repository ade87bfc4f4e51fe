/** Names of functions by their entries in `.debug_info`, which may be in other units (DWARF 5, section 2.13.2). */
import { firstWhere } from '../base/lower-bound.ts';
import { DwarfFields } from './elf-fields.ts';
import type { DwarfSections, TextPlace } from './dwarf-sections.ts';
import * as entries from './entry-reader.ts';

/** References followed from entry to entry at most. */
const MOST_STEPS = 16;

export class EntryNames {
  /** Names found so far, by offset of the entry. */
  readonly #known = new Map<number, Promise<string | undefined>>();

  /** @param units in order of their offsets */
  constructor(
    private readonly sections: DwarfSections,
    private readonly abbreviations: entries.Abbreviations,
    private readonly units: readonly entries.EntryUnit[],
  ) {}

  /**
   * Name of a function as in symbol tables, else as in the source; undefined: it cannot be read.
   * @param at offset of the entry in `.debug_info`
   */
  name(at: number): Promise<string | undefined> {
    const known = this.#known.get(at) ?? this.#find(at);
    this.#known.set(at, known);
    return known;
  }

  async #find(first: number): Promise<string | undefined> {
    let plain: string | undefined;
    let at: number | undefined = first;
    for (let step = 0; at !== undefined && step < MOST_STEPS; step++) {
      const unit: entries.EntryUnit | undefined = this.#unitOf(at);
      const read: entries.EntryReader | undefined = unit && (await this.#read(unit, at));
      if (unit === undefined || read === undefined) return undefined;
      const linkage = await this.#text(read, entries.LINKAGE_NAME, unit);
      if (linkage !== undefined) return linkage;
      plain ??= await this.#text(read, entries.NAME, unit);
      at = referenceOf(read, entries.ORIGIN, unit) ?? referenceOf(read, entries.SPECIFICATION, unit);
    }
    return plain;
  }

  #unitOf(at: number): entries.EntryUnit | undefined {
    const unit = this.units.at(firstWhere(0, this.units.length, (i) => this.units[i].at > at) - 1);
    return unit !== undefined && unit.entriesAt <= at && at < unit.end ? unit : undefined;
  }

  async #read(unit: entries.EntryUnit, at: number): Promise<entries.EntryReader | undefined> {
    const bytes = await this.sections.read(
      entries.DEBUG_INFO,
      at,
      Math.min(entries.LARGEST_ENTRY, unit.end - at),
    );
    if (!bytes.ok) return undefined;
    const table = await this.abbreviations.table(unit.abbreviationsAt);
    if (!table.ok) return undefined;
    const read = new entries.EntryReader(unit);
    read.goOn(bytes.value, at);
    return read.next(table.value) && read.tag !== 0 && read.left >= 0 ? read : undefined;
  }

  /** Undefined: it has none, it is empty, or in another file. */
  async #text(
    { forms, values }: entries.EntryReader,
    attribute: number,
    unit: entries.EntryUnit,
  ): Promise<string | undefined> {
    const place = await this.#placeOf(forms[attribute], values[attribute], unit);
    const text = place && (await this.sections.text(place));
    return text === '' ? undefined : text;
  }

  async #placeOf(form: number, value: number, unit: entries.EntryUnit): Promise<TextPlace | undefined> {
    if (form === entries.FORM_TEXT) return { section: entries.DEBUG_INFO, at: value };
    if (form === entries.FORM_TEXT_OFFSET) return { section: '.debug_str', at: value };
    if (form === entries.FORM_LINE_TEXT_OFFSET) return { section: '.debug_line_str', at: value };
    const { forms, values } = unit.root;
    if (!entries.TEXT_INDICES.has(form) || forms[entries.TEXT_OFFSETS_BASE] === 0) return undefined;
    const { offsetBytes } = unit;
    const at = values[entries.TEXT_OFFSETS_BASE] + value * offsetBytes;
    const bytes = await this.sections.read('.debug_str_offsets', at, offsetBytes);
    if (!bytes.ok) return undefined;
    return { section: '.debug_str', at: new DwarfFields(bytes.value, unit.form).offset(offsetBytes) };
  }
}

/** Offset in `.debug_info` of the entry that an attribute refers to; undefined: it has none, or refers to another file. */
export function referenceOf(
  { forms, values }: entries.EntryReader,
  attribute: number,
  unit: entries.EntryUnit,
): number | undefined {
  if (entries.REFERENCES_INSIDE.has(forms[attribute])) return unit.at + values[attribute];
  return forms[attribute] === entries.FORM_REFERENCE_OUTSIDE ? values[attribute] : undefined;
}
