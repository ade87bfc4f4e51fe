/** Units of sections with debug information: one behind the other, each with its length (DWARF 5, section 7.5.1). */
import { fail, ok, type Result } from '../base/result.ts';
import type { DwarfSections } from './dwarf-sections.ts';
import { ElfFields } from './elf-fields.ts';

/** Offsets in the section. */
export interface UnitExtent {
  /** Behind its length. */
  readonly from: number;
  readonly to: number;
  /** Size of offsets into other sections: 4 or 8 bytes. */
  readonly offsetBytes: number;
}

/** Begins the length of a unit with offsets of 64 bits. */
const OFFSETS_OF_64_BITS = 0xffff_ffff;

/**
 * The unit that begins at an offset. Faults: `symbols-unreadable`, and those of reading.
 * @param least bytes that each has behind its length
 */
export async function unitAt(
  sections: DwarfSections,
  section: string,
  at: number,
  least: number,
): Promise<Result<UnitExtent>> {
  const size = await sections.sizeOf(section);
  if (!size.ok) return size;
  const head = await sections.readUpTo(section, at, 12);
  if (!head.ok) return head;
  const fields = new ElfFields(head.value, sections.elf.form);
  const first = fields.u32();
  const isLong = first === OFFSETS_OF_64_BITS;
  const length = isLong ? fields.u64() : first;
  const from = at + fields.at;
  if (!(length >= least && from + length <= size.value))
    return fail(sections.broken(`units within ${size.value} bytes of ${section}`, `one of ${length} bytes`));
  return ok({ from, to: from + length, offsetBytes: isLong ? 8 : 4 });
}
