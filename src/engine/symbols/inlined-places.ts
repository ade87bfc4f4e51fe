/**
 * Finds in the entries of one unit which functions were inlined at some places: a tree of functions, each with its ranges
 * (DWARF 5, section 3.3.8). What is found of a place counts when all entries of its function have been read.
 */
import { lowerBound } from '../base/lower-bound.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import type { AbbreviationTable } from './abbreviations.ts';
import type { IsCode } from './elf-file.ts';
import type { DwarfSections } from './dwarf-sections.ts';
import { referenceOf } from './entry-names.ts';
import type { EntryRanges, Ranges } from './entry-ranges.ts';
import * as entries from './entry-reader.ts';
import { DEBUG_INFO, type EntryUnit } from './entry-units.ts';

/** A function that is inlined at a place, and where it is called. */
export interface InlinedEntry {
  /** Its entry: offset in `.debug_info`; undefined: it is in another file. */
  readonly origin: number | undefined;
  /** Number of the calling file in the unit's line program; NaN: not said. */
  readonly callFile: number;
  readonly callLine: number;
}

const DW_TAG_INLINED_SUBROUTINE = 0x1d;
const DW_TAG_SUBPROGRAM = 0x2e;
const SLICE_BYTES = 256 * 1024;
/** Functions inlined into each other at a place. */
const MOST_INLINED = 256;

/** Sections, ranges and the test for code that units are read with. */
export interface UnitSource {
  readonly sections: DwarfSections;
  readonly ranges: EntryRanges;
  readonly isCode: IsCode;
}

/** A place in the functions that are being read. */
interface OpenPlace {
  /** Index in the places. */
  readonly place: number;
  /** The level of the function, and of what is inlined innermost. */
  readonly level: number;
  innermost: number;
  /** The outermost first. */
  readonly inlined: InlinedEntry[];
}

/** Indices of the places in ranges of code. */
export function placesIn(places: Float64Array, ranges: Ranges, isCode: IsCode): number[] {
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

export class InlinedPlaces {
  readonly #sections: DwarfSections;
  readonly #ranges: EntryRanges;
  readonly #places: Float64Array;
  readonly #isCode: IsCode;
  readonly #unit: EntryUnit;
  readonly #open = new Map<number, OpenPlace>();
  /** The same by level, which ascend. */
  readonly #levels: OpenPlace[][] = [];
  readonly #known: ReadonlySet<number>;
  /** Inlined functions by index of the place, the outermost first. */
  readonly found = new Map<number, readonly InlinedEntry[]>();
  #level = 0;

  /** @param known indices of places that other units were found to hold */
  constructor(of: UnitSource, unit: EntryUnit, places: Float64Array, known: ReadonlySet<number>) {
    this.#sections = of.sections;
    this.#ranges = of.ranges;
    this.#isCode = of.isCode;
    this.#unit = unit;
    this.#places = places;
    this.#known = known;
  }

  /** Faults: `symbols-unreadable`, and those of reading. */
  async read(table: AbbreviationTable): Promise<Result<undefined>> {
    const unit = this.#unit;
    const reader = new entries.EntryReader(unit);
    reader.goOn(new Uint8Array(0), unit.entriesAt);
    while (reader.at < unit.end) {
      const { at } = reader;
      if (reader.left < entries.LARGEST_ENTRY && at + reader.left < unit.end) {
        const bytes = await this.#sections.read(DEBUG_INFO, at, Math.min(SLICE_BYTES, unit.end - at));
        if (!bytes.ok) return bytes;
        reader.goOn(bytes.value, at);
      }
      if (!reader.next(table) || reader.at > unit.end)
        return fail(this.#sections.broken(`entries of ${DEBUG_INFO}`, `other bytes at ${at}`));
      if (reader.tag === DW_TAG_SUBPROGRAM || reader.tag === DW_TAG_INLINED_SUBROUTINE) {
        const ranges = await this.#ranges.of(reader, unit);
        if (!ranges.ok) return ranges;
        const places = placesIn(this.#places, ranges.value, this.#isCode);
        this.#enter(reader, places);
        if (!this.#sections.spend(places.length)) return fail(this.#sections.tooMuch(DEBUG_INFO));
      }
      if (reader.hasChildren) this.#level++;
      else if (reader.tag === 0) this.#leave();
      else this.#close(this.#level);
      if (this.#level <= 0) break;
    }
    this.#close(0);
    return ok(undefined);
  }

  #enter(reader: entries.EntryReader, places: readonly number[]): void {
    const level = this.#level;
    const { forms, values, tag } = reader;
    for (const place of places) {
      const open = this.#open.get(place);
      if (open === undefined) {
        // What is inlined into a function without ranges of its own is inlined into nothing that holds the place.
        if (tag !== DW_TAG_SUBPROGRAM || this.#isFound(place)) continue;
        this.#add({ place, level, innermost: level, inlined: [] });
      } else if (tag === DW_TAG_INLINED_SUBROUTINE && level > open.innermost) {
        if (open.inlined.length >= MOST_INLINED) continue;
        open.innermost = level;
        open.inlined.push({
          origin: referenceOf(reader, entries.ORIGIN, this.#unit),
          callFile: forms[entries.CALL_FILE] === 0 ? NaN : values[entries.CALL_FILE],
          callLine: forms[entries.CALL_LINE] === 0 ? NaN : values[entries.CALL_LINE],
        });
      }
    }
  }

  #isFound(place: number): boolean {
    return this.#known.has(place) || this.found.has(place);
  }

  #add(open: OpenPlace): void {
    this.#open.set(open.place, open);
    if (this.#levels.at(-1)?.[0].level === open.level) this.#levels.at(-1)?.push(open);
    else this.#levels.push([open]);
  }

  /** The entries below one have ended. */
  #leave(): void {
    this.#level--;
    this.#close(this.#level);
  }

  /** A function whose entries have been read is known. */
  #close(level: number): void {
    for (let last = this.#levels.at(-1); last !== undefined && last[0].level >= level;) {
      for (const { place, inlined } of last) {
        this.found.set(place, inlined);
        this.#open.delete(place);
      }
      this.#levels.pop();
      last = this.#levels.at(-1);
    }
  }
}
