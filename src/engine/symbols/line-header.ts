/** The header of a line program: how it is written (DWARF 5, section 6.2.4; versions 2 to 5). */
import { DwarfFields } from './dwarf-fields.ts';
import type { ElfForm } from './elf-fields.ts';

export interface LineHeader {
  readonly version: number;
  /** Bytes of an offset into another section: 4 or 8. */
  readonly offsetBytes: number;
  /** Where the tables of directories and files begin. */
  readonly filesAt: number;
  /** Where the program begins. */
  readonly programAt: number;
  readonly shortestInstruction: number;
  /** Smallest number that a special instruction adds to the line. */
  readonly lineBase: number;
  readonly lineRange: number;
  readonly firstSpecial: number;
  /** How many operands standard instructions have, from 1 on. */
  readonly operands: Uint8Array;
}

/**
 * @param unit from behind its length on
 * @returns undefined: it is damaged, of another version, or of a machine with several operations an instruction
 */
export function readLineHeader(unit: Uint8Array, form: ElfForm, offsetBytes: number): LineHeader | undefined {
  const fields = new DwarfFields(unit, form);
  const version = fields.u16();
  if (!(version >= 2 && version <= 5)) return undefined;
  // Sizes of addresses and of segment selectors.
  if (version >= 5) fields.skip(2);
  const length = offsetBytes === 8 ? fields.u64() : fields.u32();
  const programAt = fields.at + length;
  const shortestInstruction = fields.u8();
  const operations = version >= 4 ? fields.u8() : 1;
  // Whether rows begin statements.
  fields.skip(1);
  const lineBase = (fields.u8() << 24) >> 24;
  const lineRange = fields.u8();
  const firstSpecial = fields.u8();
  const count = firstSpecial - 1;
  if (!(operations === 1 && lineRange > 0 && count >= 0 && fields.at + count <= programAt)) return undefined;
  if (!(programAt <= unit.length)) return undefined;
  const operands = unit.subarray(fields.at, fields.at + count);
  const filesAt = fields.at + count;
  return {
    ...{ version, offsetBytes, filesAt, programAt, shortestInstruction },
    ...{ lineBase, lineRange, firstSpecial, operands },
  };
}
