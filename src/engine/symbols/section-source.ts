/** The bytes of a section of an ELF file, unpacked where they are compressed (System V ABI, "Section Compression"). */
import { unzlibSync } from 'fflate';
import { fail, ok, type Result } from '../base/result.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { memorySource } from '../io/memory-source.ts';
import { ElfFields } from './elf-fields.ts';
import { type ElfFile, type ElfSection, unreadable } from './elf-file.ts';

/** `ZLIB` */
const OLD_MARK = 0x5a4c4942;
const ELFCOMPRESS_ZLIB = 1;
const ELFCOMPRESS_ZSTD = 2;
/**
 * Bytes that a byte may stand for, beside those that any section may have: compilers' output shrinks to a tenth at most,
 * and deflate could make a thousand of one.
 */
const MOST_RATIO = 32;
const FREE_BYTES = 1024 * 1024;
const MOST_UNPACKED = 256 * 1024 * 1024;

/** Faults: `symbols-unreadable`, and those of reading. Its byte 0 is that of the section. */
export async function openSection(elf: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  if (section.isOldPacked) return oldUnpacked(elf, section);
  return section.isCompressed ? unpacked(elf, section) : ok(within(elf.source, section));
}

/** `ZLIB`, its size in 8 bytes, the most significant first, and what zlib makes of it; without these it is as it is. */
async function oldUnpacked({ source }: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  const packed = await source.read(section.offset, section.size);
  if (!packed.ok) return packed;
  const fields = new ElfFields(packed.value, { is64: true, isLittle: false });
  if (fields.u32() !== OLD_MARK) return ok(within(source, section));
  const length = fields.u64();
  return inflated(source, section, packed.value.subarray(fields.at), length);
}

function within(source: ByteSource, { offset, size }: ElfSection): ByteSource {
  return { name: source.name, size, read: (from, length) => source.read(offset + from, length) };
}

async function unpacked({ source, form }: ElfFile, section: ElfSection): Promise<Result<ByteSource>> {
  const { name, offset, size } = section;
  const packed = await source.read(offset, size);
  if (!packed.ok) return packed;
  const fields = new ElfFields(packed.value, form);
  const kind = fields.u32();
  if (form.is64) fields.skip(4);
  const length = fields.word();
  fields.word();
  const damaged = (expected: string, found: string) => fail(unreadable(source, expected, found, offset));
  if (kind !== ELFCOMPRESS_ZLIB)
    return damaged(`${name} packed by zlib`, kind === ELFCOMPRESS_ZSTD ? 'by zstd' : `method ${kind}`);
  return inflated(source, section, packed.value.subarray(fields.at), length);
}

function inflated(
  source: ByteSource,
  { name, offset, size }: ElfSection,
  packed: Uint8Array,
  length: number,
): Result<ByteSource> {
  const damaged = (expected: string, found: string) => fail(unreadable(source, expected, found, offset));
  if (!(length <= Math.min(MOST_UNPACKED, FREE_BYTES + size * MOST_RATIO)))
    return damaged(`${name} of at most ${MOST_UNPACKED} bytes`, `${length} bytes out of ${size}`);
  try {
    const out = unzlibSync(packed, { out: new Uint8Array(length) });
    if (out.length === length) return ok(memorySource(source.name, out));
    return damaged(`${length} bytes of ${name}`, `${out.length}`);
  } catch (error) {
    return damaged(`${name} packed by zlib`, (error as Error).message);
  }
}
