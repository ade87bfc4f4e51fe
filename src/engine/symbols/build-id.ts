/** Identity of an ELF file's build: its build id, and the name and checksum of the file with its debug information. */
import { Crc32 } from '../base/crc32.ts';
import { hexText } from '../base/byte-arrays.ts';
import { ElfFields, textIn } from './elf-fields.ts';
import { type ElfFile, SHT_NOTE } from './elf-file.ts';

const NT_GNU_BUILD_ID = 3;
/** `GNU` with a null, in either byte order. */
const GNU = [0x47, 0x4e, 0x55, 0];
/** Ids are 16 or 20 bytes. */
const LONGEST_ID = 64;
const LONGEST_NOTES = 64 * 1024;
const LONGEST_LINK = 4096;

/** Build id of an ELF file in hexadecimal digits; undefined: the file has none. */
export async function buildIdOf({ source, form, sections, notes }: ElfFile): Promise<string | undefined> {
  const places = [
    ...sections
      .filter(({ type, isCompressed }) => type === SHT_NOTE && !isCompressed)
      .map(({ offset, size }) => ({ offset, size, align: 4 })),
    ...notes,
  ];
  for (const { offset, size, align } of places) {
    const bytes = await source.read(offset, Math.min(size, LONGEST_NOTES));
    const id = bytes.ok
      ? idIn(new ElfFields(bytes.value, form), bytes.value, align === 8 ? 8 : 4)
      : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Finds the build id among notes, each with the size of its name and contents, a kind, and both, padded to `align` bytes. */
function idIn(fields: ElfFields, bytes: Uint8Array, align: number): string | undefined {
  const filled = (length: number) => Math.ceil(length / align) * align;
  for (let at = 0; at + 12 <= bytes.length;) {
    fields.at = at;
    const nameBytes = fields.u32();
    const idBytes = fields.u32();
    const kind = fields.u32();
    const idAt = at + filled(12 + nameBytes);
    const isId =
      kind === NT_GNU_BUILD_ID && nameBytes === 4 && GNU.every((byte, i) => bytes[at + 12 + i] === byte);
    if (isId && idBytes > 0 && idBytes <= LONGEST_ID && idAt + idBytes <= bytes.length)
      return hexText(bytes.subarray(idAt, idAt + idBytes));
    at = idAt + filled(idBytes);
  }
  return undefined;
}

/** File with the debug information of a program, as the program names it. */
export interface DebugLink {
  readonly name: string;
  /** CRC-32 of all its bytes. */
  readonly crc: number;
}

/** Undefined: the file names none. */
export async function debugLinkOf({ source, form, sections }: ElfFile): Promise<DebugLink | undefined> {
  const section = sections.find(({ name, size }) => name === '.gnu_debuglink' && size > 4);
  if (section === undefined) return undefined;
  const bytes = await source.read(section.offset, Math.min(section.size, LONGEST_LINK));
  const name = bytes.ok ? textIn(bytes.value, 0) : undefined;
  if (!bytes.ok || name === undefined) return undefined;
  const fields = new ElfFields(bytes.value, form);
  fields.at = bytes.value.length - 4;
  return { name, crc: fields.u32() };
}

const PIECE_BYTES = 1024 * 1024;

/** CRC-32 of all bytes of a file; undefined: it cannot be read. */
export async function crcOf({ source }: ElfFile): Promise<number | undefined> {
  const crc = new Crc32();
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const bytes = await source.read(at, Math.min(PIECE_BYTES, source.size - at));
    if (!bytes.ok) return undefined;
    crc.update(bytes.value);
  }
  return crc.value;
}
