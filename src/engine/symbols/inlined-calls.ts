/** The functions that the compiler inlined at places in the code of an ELF file, by its `.debug_info`. */
import type { Fault } from '../base/fault.ts';
import { Abbreviations } from './abbreviations.ts';
import { codeOf, type ElfFile } from './elf-file.ts';
import { readLineUnit } from './debug-lines.ts';
import { DwarfSections } from './dwarf-sections.ts';
import { EntryNames } from './entry-names.ts';
import { EntryRanges } from './entry-ranges.ts';
import { LINES } from './entry-reader.ts';
import { DEBUG_INFO, type EntryUnit, readEntryUnit } from './entry-units.ts';
import { type InlinedEntry, InlinedPlaces, placesIn, type UnitSource } from './inlined-places.ts';
import { type LineFiles, pathOf, readLineFiles } from './line-files.ts';
import type { InlinedCall } from './symbols.ts';

export interface FoundInlined {
  /** Inlined calls at each place, the innermost first; none: nothing is inlined there, or it is not known. */
  readonly calls: readonly (readonly InlinedCall[])[];
  /** Why some may be missing. */
  readonly fault?: Fault;
}

const MOST_UNITS = 2 ** 20;
const NO_FILES: LineFiles = { directories: [], files: [] };

export function hasEntries({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === DEBUG_INFO && size > 0);
}

/**
 * Reads the first entries of all units, and all of those that hold a place.
 * @param places bytes from the first page, ascending
 */
export async function inlinedAt(elf: ElfFile, places: Float64Array): Promise<FoundInlined> {
  const calls = new Array<readonly InlinedCall[]>(places.length).fill([]);
  if (!hasEntries(elf) || places.length === 0) return { calls };
  const sections = new DwarfSections(elf);
  const of = { sections, isCode: codeOf(elf), ranges: new EntryRanges(sections) };
  const abbreviations = new Abbreviations(sections);
  const { units, holding, fault } = await unitsOf(of, abbreviations, places);
  const faults = [fault];
  const names = new EntryNames(sections, abbreviations, units);
  const known = new Set<number>();
  for (const unit of holding) {
    const table = await abbreviations.table(unit.abbreviationsAt);
    if (!table.ok) {
      faults.push(table.fault);
      continue;
    }
    const inlinedPlaces = new InlinedPlaces(of, unit, places, known);
    const read = await inlinedPlaces.read(table.value);
    if (!read.ok) faults.push(read.fault);
    for (const place of inlinedPlaces.found.keys()) known.add(place);
    const fresh = [...inlinedPlaces.found].filter(([, inlined]) => inlined.length > 0);
    const files = fresh.length > 0 ? await filesOf(unit, sections) : NO_FILES;
    for (const [place, inlined] of fresh) calls[place] = await callsOf(inlined, names, files, sections);
  }
  return { calls, fault: faults.find((each) => each !== undefined) ?? sections.fault };
}

/** Units that can be read, and among them those that hold a place. */
async function unitsOf(
  { sections, ranges, isCode }: UnitSource,
  abbreviations: Abbreviations,
  places: Float64Array,
) {
  const units: EntryUnit[] = [];
  const holding: EntryUnit[] = [];
  let fault: Fault | undefined;
  const size = await sections.sizeOf(DEBUG_INFO);
  if (!size.ok) return { units, holding, fault: size.fault };
  for (let at = 0; at < size.value && units.length < MOST_UNITS;) {
    const read = await readEntryUnit(sections, abbreviations, at);
    if (!read.ok) return { units, holding, fault: read.fault };
    const { unit, end } = read.value;
    at = end;
    if (unit === undefined) continue;
    units.push(unit);
    const own = await ranges.of(unit.root, unit);
    const held = own.ok ? placesIn(places, own.value, isCode).length : 0;
    if (!own.ok) fault ??= own.fault;
    else if (held > 0) holding.push(unit);
    // Units that all hold all places would be gone through place by place.
    if (!sections.spend(held)) return { units, holding: [], fault: sections.tooMuch(DEBUG_INFO) };
  }
  return { units, holding, fault };
}

/** The files that the unit's line program is about. */
async function filesOf({ root, form }: EntryUnit, sections: DwarfSections): Promise<LineFiles> {
  if (root.forms[LINES] === 0) return NO_FILES;
  const unit = await readLineUnit(sections, root.values[LINES]);
  if (!unit.ok || unit.value.header === undefined) return NO_FILES;
  return readLineFiles(unit.value.bytes, form, unit.value.header);
}

/** None where one of them has no name: it would look as if another one had called what it called. */
async function callsOf(
  inlined: readonly InlinedEntry[],
  names: EntryNames,
  files: LineFiles,
  sections: DwarfSections,
): Promise<readonly InlinedCall[]> {
  const calls: InlinedCall[] = [];
  for (const { origin, callFile, callLine } of inlined) {
    const name = origin === undefined ? undefined : await names.name(origin);
    if (name === undefined) return [];
    const file = callFile >= 0 ? await pathOf(files, callFile, sections) : undefined;
    const isKnown = file !== undefined && Number.isSafeInteger(callLine) && callLine > 0;
    calls.unshift({ function: name, file: isKnown ? file : undefined, line: isKnown ? callLine : undefined });
  }
  return calls;
}
