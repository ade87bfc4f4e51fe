/**
 * Headers of an ELF file: its sections, and where it is loaded (System V ABI, "Object Files" and "Program Loading").
 * All sizes and counts are checked against the file.
 */
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { isElf } from '../io/program-files.ts';
import { addressBase, type AddressBase, ElfFields, type ElfForm, textIn } from './elf-fields.ts';
import type { LoadedSegment } from './symbols.ts';
import { firstWhere } from '../base/lower-bound.ts';

export interface ElfSection {
  readonly name: string;
  /** `SHT_…` */
  readonly type: number;
  readonly isCompressed: boolean;
  /** Whether it is packed in the old form: named `.zdebug_…` in the file, and beginning with `ZLIB`. */
  readonly isOldPacked: boolean;
  readonly isCode: boolean;
  /** Whether it is data that the program may write, shared by its threads. */
  readonly isWritable: boolean;
  /** Begin in memory, bytes from the first page. */
  readonly from: number;
  readonly to: number;
  /** Bytes in the file, within it. */
  readonly offset: number;
  readonly size: number;
  /** Index of a related section. */
  readonly link: number;
  /** Size of a table's entry, bytes. */
  readonly entryBytes: number;
}

export interface ElfFile {
  readonly source: ByteSource;
  readonly form: ElfForm;
  readonly sections: readonly ElfSection[];
  /** Virtual address of the first loaded segment's page, from which other addresses count. */
  readonly firstPage: bigint;
  readonly base: AddressBase;
  /** `EM_…` */
  readonly machine: number;
  /** Loaded segments, in order of their addresses. */
  readonly loads: readonly LoadedSegment[];
  /** Segments of notes, within the file: offset and size in bytes. */
  readonly notes: readonly { readonly offset: number; readonly size: number; readonly align: number }[];
}

export const SHT_SYMTAB = 2;
export const SHT_NOTE = 7;
const SHT_NOBITS = 8;
export const SHT_DYNSYM = 11;
const SHF_WRITE = 1;
const SHF_ALLOC = 2;
const SHF_EXECINSTR = 4;
const SHF_TLS = 0x400;
const SHF_COMPRESSED = 0x800;
const PT_LOAD = 1;
const PT_NOTE = 4;
const PAGE_MASK = ~0xfffn;

/** Bytes of the header, of a section's and of a segment's. */
const SIZES = {
  elf32: { header: 52, section: 40, segment: 32 },
  elf64: { header: 64, section: 64, segment: 56 },
};
/** Limits beyond any program: sections, segments and bytes of names. */
const MOST_SECTIONS = 65_536;
const MOST_SEGMENTS = 4096;
const LONGEST_NAMES = 4 * 1024 * 1024;

/** Faults: `symbols-unreadable`, and those of reading. */
export async function readElf(source: ByteSource): Promise<Result<ElfFile>> {
  const ident = await source.read(0, Math.min(SIZES.elf64.header, source.size));
  if (!ident.ok) return ident;
  const bytes = ident.value;
  if (!isElf(bytes)) return fail(unreadable(source, 'an ELF file', 'another format', 0));
  if (bytes[4] < 1 || bytes[4] > 2 || bytes[5] < 1 || bytes[5] > 2)
    return fail(unreadable(source, '32 or 64 bits, in one of two orders', `${bytes[4]}, ${bytes[5]}`, 4));
  const form = { is64: bytes[4] === 2, isLittle: bytes[5] === 1 };
  const sizes = form.is64 ? SIZES.elf64 : SIZES.elf32;
  if (bytes.length < sizes.header)
    return fail(unreadable(source, `${sizes.header} bytes`, `${bytes.length}`, bytes.length));
  const header = readHeader(new ElfFields(bytes, form));
  const segments = await readSegments(source, form, header, sizes.segment);
  if (!segments.ok) return segments;
  const firstPage = firstPageOf(segments.value);
  if (firstPage === undefined) return fail(await noProgram(source, form, header, sizes.section));
  const base = addressBase(firstPage);
  const sections = await readSections(source, form, header, sizes.section, base);
  if (!sections.ok) return sections;
  const notes = segments.value.filter(
    ({ type, offset, size }) => type === PT_NOTE && offset + size <= source.size,
  );
  const loads = segments.value
    .filter(({ type }) => type === PT_LOAD)
    .map(({ address, offset, memory }) => {
      const from = Number(address - firstPage);
      return { from, to: from + memory, offset };
    })
    .sort((a, b) => a.from - b.from);
  const { machine } = header;
  return ok({ source, form, firstPage, base, machine, loads, notes, sections: sections.value });
}

/** Reports a file with only debug information as such (DWARF 5, section 7.3.2). */
async function noProgram(
  source: ByteSource,
  form: ElfForm,
  header: ElfHeader,
  least: number,
): Promise<Fault> {
  const sections = await readSections(source, form, header, least, addressBase(0n));
  const isSplit = sections.ok && sections.value.some(({ name }) => name.endsWith('.dwo'));
  const fault = unreadable(source, 'a program or a library', 'no segment that is loaded');
  return isSplit ? { ...fault, code: 'symbols-split', found: 'split debug information' } : fault;
}

interface ElfHeader {
  readonly machine: number;
  readonly segmentsAt: number;
  readonly sectionsAt: number;
  readonly segmentBytes: number;
  readonly segments: number;
  readonly sectionBytes: number;
  readonly sections: number;
  /** Index of the section with the names of sections. */
  readonly names: number;
}

function readHeader(fields: ElfFields): ElfHeader {
  // Skips identification and type; then version and entry.
  fields.at = 18;
  const machine = fields.u16();
  fields.at = fields.form.is64 ? 32 : 28;
  const segmentsAt = fields.word();
  const sectionsAt = fields.word();
  fields.skip(6);
  return {
    machine,
    segmentsAt,
    sectionsAt,
    segmentBytes: fields.u16(),
    segments: fields.u16(),
    sectionBytes: fields.u16(),
    sections: fields.u16(),
    names: fields.u16(),
  };
}

interface Segment {
  readonly type: number;
  readonly address: bigint;
  readonly offset: number;
  readonly size: number;
  /** Bytes in memory. */
  readonly memory: number;
  readonly align: number;
}

async function readSegments(
  source: ByteSource,
  form: ElfForm,
  { segmentsAt, segmentBytes, segments: count }: ElfHeader,
  least: number,
): Promise<Result<readonly Segment[]>> {
  if (count > MOST_SEGMENTS || (count > 0 && segmentBytes < least))
    return fail(unreadable(source, `at most ${MOST_SEGMENTS} segments`, `${count} of ${segmentBytes} bytes`));
  const bytes = await readTable(source, segmentsAt, count * segmentBytes);
  if (!bytes.ok) return bytes;
  const fields = new ElfFields(bytes.value, form);
  const segments: Segment[] = [];
  for (let i = 0; i < count; i++) {
    fields.at = i * segmentBytes;
    const type = fields.u32();
    if (form.is64) fields.skip(4);
    const offset = fields.word();
    const address = fields.address();
    fields.address();
    const size = fields.word();
    const memory = fields.word();
    if (!form.is64) fields.skip(4);
    segments.push({ type, offset, address, size, memory, align: fields.word() });
  }
  return ok(segments);
}

function firstPageOf(segments: readonly Segment[]): bigint | undefined {
  let least: bigint | undefined;
  for (const { type, address } of segments)
    if (type === PT_LOAD && (least === undefined || address < least)) least = address;
  return least === undefined ? undefined : least & PAGE_MASK;
}

async function readSections(
  source: ByteSource,
  form: ElfForm,
  header: ElfHeader,
  least: number,
  base: AddressBase,
): Promise<Result<readonly ElfSection[]>> {
  const { sectionsAt, sectionBytes } = header;
  if (sectionsAt === 0) return ok([]);
  if (!(sectionBytes >= least))
    return fail(unreadable(source, `section headers of ${least} bytes`, `${sectionBytes}`));
  // If the header cannot hold the number of sections, the first section does.
  const first = await readTable(source, sectionsAt, sectionBytes);
  if (!first.ok) return first;
  const [{ size: more, link }] = headersIn(new ElfFields(first.value, form), 1, sectionBytes, base);
  const count = header.sections === 0 ? more : header.sections;
  if (count > MOST_SECTIONS)
    return fail(unreadable(source, `at most ${MOST_SECTIONS} sections`, `${count}`, sectionsAt));
  const bytes = await readTable(source, sectionsAt, count * sectionBytes);
  if (!bytes.ok) return bytes;
  const headers = headersIn(new ElfFields(bytes.value, form), count, sectionBytes, base);
  const names = await readNames(source, headers.at(header.names === 0xffff ? link : header.names));
  return ok(
    headers.map(({ nameAt, flags, ...section }) => {
      const name = textIn(names, nameAt) ?? '';
      const has = (flag: number) => Math.floor(flags / flag) % 2 === 1;
      // Sections beyond the end of the file cannot be read; the others can.
      const isThere = section.type !== SHT_NOBITS && section.offset + section.size <= source.size;
      return {
        ...section,
        // `.zdebug_…` is `.debug_…`, packed in the old form.
        name: name.replace(/^\.zdebug_/, '.debug_'),
        isOldPacked: name.startsWith('.zdebug_'),
        size: isThere ? section.size : 0,
        isCompressed: has(SHF_COMPRESSED),
        isCode: has(SHF_EXECINSTR),
        isWritable: has(SHF_ALLOC) && has(SHF_WRITE) && !has(SHF_EXECINSTR) && !has(SHF_TLS),
      };
    }),
  );
}

type SectionHeader = Omit<ElfSection, 'name' | 'isCompressed' | 'isOldPacked' | 'isCode' | 'isWritable'> & {
  readonly nameAt: number;
  readonly flags: number;
};

function headersIn(fields: ElfFields, count: number, stride: number, base: AddressBase): SectionHeader[] {
  return Array.from({ length: count }, (_, i): SectionHeader => {
    fields.at = i * stride;
    const nameAt = fields.u32();
    const type = fields.u32();
    const flags = fields.word();
    const from = fields.addressFrom(base);
    const offset = fields.word();
    const size = fields.word();
    const link = fields.u32();
    fields.skip(4);
    fields.word();
    return { nameAt, type, flags, from, to: from + size, offset, size, link, entryBytes: fields.word() };
  });
}

async function readNames(source: ByteSource, section: SectionHeader | undefined): Promise<Uint8Array> {
  if (section === undefined || section.size > LONGEST_NAMES) return new Uint8Array(0);
  const bytes = await source.read(section.offset, section.size);
  return bytes.ok ? bytes.value : new Uint8Array(0);
}

async function readTable(source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> {
  if (!(offset + length <= source.size))
    return fail(unreadable(source, `headers within ${source.size} bytes`, `headers at ${offset}`, offset));
  return source.read(offset, length);
}

/** Why symbols of a file cannot be read. */
export function unreadable({ name }: ByteSource, expected: string, found: string, byte?: number): Fault {
  return { code: 'symbols-unreadable', place: { file: name, byte }, expected, found };
}

/** Whether a place, in bytes from the first page, is code: code dropped by the linker has other addresses. */
export type IsCode = (place: number) => boolean;

export function codeOf({ sections }: ElfFile): IsCode {
  const code = sections.filter(({ isCode }) => isCode).sort((a, b) => a.from - b.from);
  const begins = code.map(({ from }) => from);
  // Sections do not overlap: the last one that begins there or before.
  return (place) => {
    const last = code.at(firstWhere(0, code.length, (i) => begins[i] > place) - 1);
    return last !== undefined && last.from <= place && place < last.to;
  };
}
