/** The units of `.debug_info` (DWARF 5, section 7.5.1; versions 2 to 5): where their entries are, and what the first says. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type Abbreviations } from './abbreviations.ts';
import { DwarfFields } from './dwarf-fields.ts';
import { type DwarfSections, unitAt } from './dwarf-sections.ts';
import * as entries from './entry-reader.ts';

export const DEBUG_INFO = '.debug_info';

/** Offsets in `.debug_info`, if nothing else is said. */
export interface EntryUnit extends entries.EntryForm {
  readonly at: number;
  readonly entriesAt: number;
  readonly end: number;
  /** Offset in `.debug_abbrev`. */
  readonly abbreviationsAt: number;
  /** Its first entry. */
  readonly root: entries.EntryReader;
}

/** Kinds of units in version 5 that have code or entries that others name (`DW_UT_…`): compile, partial. */
const KINDS: readonly number[] = [1, 3];
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
  const offset = () => (offsetBytes === 8 ? fields.u64() : fields.u32());
  const version = fields.u16();
  if (!(version >= 2 && version <= 5)) return ok({ unit: undefined, end });
  const kind = version >= 5 ? fields.u8() : KINDS[0];
  const addressBytes = version >= 5 ? fields.u8() : 0;
  const abbreviationsAt = offset();
  if ((version >= 5 ? addressBytes : fields.u8()) !== (form.is64 ? 8 : 4) || !KINDS.includes(kind))
    return ok({ unit: undefined, end });
  const begin = fields.at;
  const code = fields.uleb();
  if (code === 0) return ok({ unit: undefined, end });
  const table = await abbreviations.table(abbreviationsAt, code);
  if (!table.ok) return table;
  const entryForm = { form, base, version, offsetBytes };
  const root = new entries.EntryReader(entryForm);
  root.goOn(bytes.value.subarray(begin), from + begin);
  if (!root.next(table.value) || root.left < 0)
    return fail(sections.broken(`a first entry of the unit at ${at}`, 'a damaged one'));
  // What it said is kept, its bytes are not.
  root.goOn(new Uint8Array(0), end);
  return ok({ unit: { ...entryForm, at, entriesAt: from + begin, end, abbreviationsAt, root }, end });
}
