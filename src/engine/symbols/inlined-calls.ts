/** Functions that the compiler inlined at code addresses of an ELF file, from its `.debug_info`. */
import type { Fault } from '../base/fault.ts';
import { lowerBound } from '../base/lower-bound.ts';
import { readLineUnit } from './debug-lines.ts';
import { DwarfSections } from './dwarf-sections.ts';
import { codeOf, type ElfFile, type IsCode } from './elf-file.ts';
import { EntryNames, referenceOf } from './entry-names.ts';
import { type Ranges, rangesOf } from './entry-ranges.ts';
import * as entries from './entry-reader.ts';
import { type LineFiles, pathOf, readLineFiles } from './line-files.ts';
import type { InlinedCall } from './symbols.ts';

export interface FoundInlined {
  /** Inlined calls at each place, innermost first; empty: nothing is inlined there, or it is not known. */
  readonly calls: readonly (readonly InlinedCall[])[];
  /** Reason why some may be missing. */
  readonly fault?: Fault;
}

const MOST_UNITS = 2 ** 20;
const NO_FILES: LineFiles = { directories: [], files: [] };

export function hasEntries({ sections }: ElfFile): boolean {
  return sections.some(({ name, size }) => name === entries.DEBUG_INFO && size > 0);
}

/**
 * Reads the first entries of all units, and all entries of units that contain a place.
 * @param places bytes from the first page, ascending
 */
export async function inlinedAt(elf: ElfFile, places: Float64Array): Promise<FoundInlined> {
  const calls = new Array<readonly InlinedCall[]>(places.length).fill([]);
  if (!hasEntries(elf) || places.length === 0) return { calls };
  const sections = new DwarfSections(elf);
  const of = { sections, isCode: codeOf(elf) };
  const abbreviations = new entries.Abbreviations(sections);
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
    const { found, fault: damage } = await inlinedIn(unit, table.value, of, places, known);
    faults.push(damage);
    for (const place of found.keys()) known.add(place);
    const fresh = [...found].filter(([, inlined]) => inlined.length > 0);
    const files = fresh.length > 0 ? await filesOf(unit, sections) : NO_FILES;
    for (const [place, inlined] of fresh) calls[place] = await callsOf(inlined, names, files, sections);
  }
  return { calls, fault: faults.find((each) => each !== undefined) ?? sections.fault };
}

/** Readable units, and those among them that contain a place. */
async function unitsOf(
  { sections, isCode }: UnitSource,
  abbreviations: entries.Abbreviations,
  places: Float64Array,
) {
  const units: entries.EntryUnit[] = [];
  const holding: entries.EntryUnit[] = [];
  let fault: Fault | undefined;
  const size = await sections.sizeOf(entries.DEBUG_INFO);
  if (!size.ok) return { units, holding, fault: size.fault };
  for (let at = 0; at < size.value && units.length < MOST_UNITS;) {
    const read = await entries.readEntryUnit(sections, abbreviations, at);
    if (!read.ok) return { units, holding, fault: read.fault };
    const { unit, end } = read.value;
    at = end;
    if (unit === undefined) continue;
    units.push(unit);
    const own = await rangesOf(sections, unit.root, unit);
    const held = own.ok ? placesIn(places, own.value, isCode).length : 0;
    if (!own.ok) fault ??= own.fault;
    else if (held > 0) holding.push(unit);
    // If all units contained all places, each would be processed place by place.
    if (!sections.spend(held)) return { units, holding: [], fault: sections.tooMuch(entries.DEBUG_INFO) };
  }
  return { units, holding, fault };
}

/** Files of the unit's line program. */
async function filesOf({ root, form }: entries.EntryUnit, sections: DwarfSections): Promise<LineFiles> {
  if (root.forms[entries.LINES] === 0) return NO_FILES;
  const unit = await readLineUnit(sections, root.values[entries.LINES]);
  if (!unit.ok || unit.value.header === undefined) return NO_FILES;
  return readLineFiles(unit.value.bytes, form, unit.value.header);
}

/** Calls at a place; none if one is unnamed, as another one would seem to have made its calls. */
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

/** A function inlined at a place, and the place of its call. */
interface InlinedEntry {
  /** Offset of its entry in `.debug_info`; undefined: it is in another file. */
  readonly origin: number | undefined;
  /** Number of the calling file in the unit's line program; NaN: not stated. */
  readonly callFile: number;
  readonly callLine: number;
}

const DW_TAG_INLINED_SUBROUTINE = 0x1d;
const DW_TAG_SUBPROGRAM = 0x2e;
const SLICE_BYTES = 256 * 1024;
/** Most functions inlined into each other at a place. */
const MOST_INLINED = 256;

/** Sections, and the test for code, used to read units. */
interface UnitSource {
  readonly sections: DwarfSections;
  readonly isCode: IsCode;
}

/** A place in the functions being read. */
interface OpenPlace {
  readonly place: number;
  /** Level of the function, and of the innermost inlined one. */
  readonly level: number;
  innermost: number;
  /** Outermost first. */
  readonly inlined: InlinedEntry[];
}

function placesIn(places: Float64Array, ranges: Ranges, isCode: IsCode): number[] {
  const found: number[] = [];
  for (let i = 0; i < ranges.length; i += 2) {
    const [from, to] = [ranges[i], ranges[i + 1]];
    if (!(from < to)) continue;
    const first = lowerBound(places, from);
    if (first >= places.length || places[first] >= to || !isCode(from)) continue;
    for (let at = first; at < places.length && places[at] < to; at++) found.push(at);
  }
  return found;
}

/**
 * Finds in the entries of one unit which functions were inlined at some places: a tree of functions, each with its
 * ranges (DWARF 5, section 3.3.8). Results for a place count once all entries of its function have been read.
 * @param known indices of places found in other units
 * @returns inlined functions by index of the place, outermost first; reason why some may be missing
 */
async function inlinedIn(
  unit: entries.EntryUnit,
  table: entries.AbbreviationTable,
  { sections, isCode }: UnitSource,
  places: Float64Array,
  known: ReadonlySet<number>,
): Promise<{ readonly found: ReadonlyMap<number, readonly InlinedEntry[]>; readonly fault?: Fault }> {
  const found = new Map<number, readonly InlinedEntry[]>();
  const opened = new Map<number, OpenPlace>();
  /** Open places by level, ascending. */
  const levels: OpenPlace[][] = [];
  let level = 0;

  const enter = (reader: entries.EntryReader, held: readonly number[]): void => {
    const { forms, values, tag } = reader;
    for (const place of held) {
      const open = opened.get(place);
      if (open === undefined) {
        // Calls inlined into a function without ranges do not contain the place.
        if (tag !== DW_TAG_SUBPROGRAM || known.has(place) || found.has(place)) continue;
        const begun: OpenPlace = { place, level, innermost: level, inlined: [] };
        opened.set(place, begun);
        if (levels.at(-1)?.[0].level === level) levels.at(-1)?.push(begun);
        else levels.push([begun]);
      } else if (tag === DW_TAG_INLINED_SUBROUTINE && level > open.innermost) {
        if (open.inlined.length >= MOST_INLINED) continue;
        open.innermost = level;
        open.inlined.push({
          origin: referenceOf(reader, entries.ORIGIN, unit),
          callFile: forms[entries.CALL_FILE] === 0 ? NaN : values[entries.CALL_FILE],
          callLine: forms[entries.CALL_LINE] === 0 ? NaN : values[entries.CALL_LINE],
        });
      }
    }
  };
  /** Makes results final for functions from a level on, whose entries have been read. */
  const close = (least: number): void => {
    for (let last = levels.at(-1); last !== undefined && last[0].level >= least; last = levels.at(-1)) {
      for (const { place, inlined } of last) {
        found.set(place, inlined);
        opened.delete(place);
      }
      levels.pop();
    }
  };

  const reader = new entries.EntryReader(unit);
  reader.goOn(new Uint8Array(0), unit.entriesAt);
  while (reader.at < unit.end) {
    const { at } = reader;
    if (reader.left < entries.LARGEST_ENTRY && at + reader.left < unit.end) {
      const bytes = await sections.read(entries.DEBUG_INFO, at, Math.min(SLICE_BYTES, unit.end - at));
      if (!bytes.ok) return { found, fault: bytes.fault };
      reader.goOn(bytes.value, at);
    }
    if (!reader.next(table) || reader.at > unit.end)
      return { found, fault: sections.broken(`entries of ${entries.DEBUG_INFO}`, `other bytes at ${at}`) };
    if (reader.tag === DW_TAG_SUBPROGRAM || reader.tag === DW_TAG_INLINED_SUBROUTINE) {
      const ranges = await rangesOf(sections, reader, unit);
      if (!ranges.ok) return { found, fault: ranges.fault };
      const held = placesIn(places, ranges.value, isCode);
      enter(reader, held);
      if (!sections.spend(held.length)) return { found, fault: sections.tooMuch(entries.DEBUG_INFO) };
    }
    if (reader.hasChildren) level++;
    // The entries below one have ended.
    else if (reader.tag === 0) close(--level);
    else close(level);
    if (level <= 0) break;
  }
  close(0);
  return { found };
}
