/** Files of a line program (DWARF 5, section 6.2.4; versions 2 to 5). */
import { DwarfFields, type ElfForm } from './elf-fields.ts';
import type { DwarfSections, TextPlace } from './dwarf-sections.ts';

/** A text in the unit, or in another section. */
type FileText = string | TextPlace;

interface LineFile {
  readonly name: FileText;
  /** Index in `LineFiles.directories`. */
  readonly directory: number;
}

export interface LineFiles {
  /** Directories, first the compiler's working directory; undefined: not named. */
  readonly directories: readonly (FileText | undefined)[];
  /** Files by their numbers in the program. */
  readonly files: readonly (LineFile | undefined)[];
}

/** Limit on the entries of a unit: fifty times those of the largest ones. */
const MOST_ENTRIES = 2 ** 18;

const NONE: LineFiles = { directories: [], files: [] };

/** Content types of a file entry. */
const DW_LNCT_PATH = 1;
const DW_LNCT_DIRECTORY_INDEX = 2;

/**
 * Reads the files; none if the tables are damaged.
 * @param unit bytes after its length
 */
export function readLineFiles(unit: Uint8Array, form: ElfForm, header: LineHeader): LineFiles {
  const fields = new DwarfFields(unit.subarray(0, header.programAt), form);
  fields.at = header.filesAt;
  return header.version >= 5 ? files5(fields, header) : files2(fields);
}

/** Path of a file by its number in the program; undefined: not known. */
export async function pathOf(
  files: LineFiles,
  index: number,
  sections: DwarfSections,
): Promise<string | undefined> {
  const textOf = (text: FileText) => (typeof text === 'string' ? text : sections.text(text));
  const entry = files.files.at(index);
  const name = entry && (await textOf(entry.name));
  if (name === undefined || entry === undefined || name.startsWith('/')) return name;
  const parts = [name];
  // A directory may be relative to the compiler's working directory, the first one.
  for (const directory of new Set([entry.directory, 0])) {
    const text = files.directories.at(directory);
    const path = text && (await textOf(text));
    if (path === undefined) continue;
    parts.unshift(path);
    if (path.startsWith('/')) break;
  }
  return parts.join('/');
}

/** Null-terminated texts up to an empty one. Directory 0 and file 0 are not in them. */
function files2(fields: DwarfFields): LineFiles {
  const directories: (string | undefined)[] = [undefined];
  for (let name = fields.text(); name !== ''; name = fields.text()) {
    if (name === undefined || directories.length > MOST_ENTRIES) return NONE;
    directories.push(name);
  }
  const files: (LineFile | undefined)[] = [undefined];
  for (let name = fields.text(); name !== ''; name = fields.text()) {
    if (name === undefined || files.length > MOST_ENTRIES) return NONE;
    files.push({ name, directory: fields.uleb() });
    // Time of modification, and size.
    fields.uleb();
    fields.uleb();
  }
  return { directories, files };
}

interface Entry {
  path: FileText | undefined;
  directory: number;
}

function files5(fields: DwarfFields, { offsetBytes }: LineHeader): LineFiles {
  const directories = entries5(fields, offsetBytes);
  const files = directories && entries5(fields, offsetBytes);
  if (files === undefined) return NONE;
  return {
    directories: directories?.map(({ path }) => path) ?? [],
    files: files.map(({ path, directory }) => (path === undefined ? undefined : { name: path, directory })),
  };
}

/** Undefined: they are damaged, or in an invalid form. */
function entries5(fields: DwarfFields, offsetBytes: number): Entry[] | undefined {
  const formats = Array.from({ length: fields.u8() }, () => ({
    content: fields.uleb(),
    form: fields.uleb(),
  }));
  const count = fields.uleb();
  // Each takes at least a byte.
  if (!(count <= Math.min(fields.left, MOST_ENTRIES)) || (count > 0 && formats.length === 0))
    return undefined;
  const entries: Entry[] = [];
  for (let i = 0; i < count; i++) {
    const entry: Entry = { path: undefined, directory: 0 };
    for (const { content, form } of formats) {
      const value = valueOf(fields, form, offsetBytes);
      if (value === undefined) return undefined;
      if (content === DW_LNCT_PATH && typeof value !== 'number') entry.path = value;
      if (content === DW_LNCT_DIRECTORY_INDEX && typeof value === 'number') entry.directory = value;
    }
    entries.push(entry);
  }
  return fields.left < 0 ? undefined : entries;
}

/** Value of a form allowed in entries (DWARF 5, section 6.2.4.1); undefined: another form. */
function valueOf(fields: DwarfFields, form: number, offsetBytes: number): FileText | number | undefined {
  switch (form) {
    case 0x08: // DW_FORM_string
      return fields.text();
    case 0x0e: // DW_FORM_strp
      return { section: '.debug_str', at: fields.offset(offsetBytes) };
    case 0x1f: // DW_FORM_line_strp
      return { section: '.debug_line_str', at: fields.offset(offsetBytes) };
    case 0x0b: // DW_FORM_data1
      return fields.u8();
    case 0x05: // DW_FORM_data2
      return fields.u16();
    case 0x06: // DW_FORM_data4
      return fields.u32();
    case 0x07: // DW_FORM_data8
      return fields.u64();
    case 0x0f: // DW_FORM_udata
      return fields.uleb();
    case 0x1e: // DW_FORM_data16
      fields.skip(16);
      return 0;
    case 0x09: // DW_FORM_block
      fields.skip(fields.uleb());
      return 0;
    default:
      return undefined;
  }
}

/** Header of a line program, which describes its encoding (DWARF 5, section 6.2.4; versions 2 to 5). */
export interface LineHeader {
  readonly version: number;
  /** Bytes of an offset into another section: 4 or 8. */
  readonly offsetBytes: number;
  readonly filesAt: number;
  readonly programAt: number;
  readonly shortestInstruction: number;
  /** Least number that a special instruction adds to the line. */
  readonly lineBase: number;
  readonly lineRange: number;
  readonly firstSpecial: number;
  /** Number of operands of standard instructions, from 1 on. */
  readonly operands: Uint8Array;
}

/**
 * @param unit bytes after its length
 * @returns undefined: it is damaged, of another version, or of a machine with several operations an instruction
 */
export function readLineHeader(unit: Uint8Array, form: ElfForm, offsetBytes: number): LineHeader | undefined {
  const fields = new DwarfFields(unit, form);
  const version = fields.u16();
  if (!(version >= 2 && version <= 5)) return undefined;
  // Sizes of addresses and of segment selectors.
  if (version >= 5) fields.skip(2);
  const length = fields.offset(offsetBytes);
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
