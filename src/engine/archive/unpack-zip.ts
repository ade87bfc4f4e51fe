/** The files of a zip archive: stored ones are read in place, deflated ones unpacked into one temporary file. */
import { append } from '../base/append.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource, SourceRef } from '../io/byte-source.ts';
import { isElf, isFunctionList } from '../io/program-files.ts';
import type { TempFile } from '../io/temp-file.ts';
import { partsOfTraces } from '../trace/find-traces.ts';
import { isCalledArchive } from './archive-kind.ts';
import { inflatedHead, inflateToTempFile } from './inflate.ts';
import { memberPath } from './types.ts';
import type { Unpacked, Unpacking } from './types.ts';
import { listZip } from './zip-listing.ts';
import { ENCRYPTED, HAS_DESCRIPTOR, LIMIT32, LOCAL_BYTES, localBytes, readLocal } from './zip-records.ts';
import type { ZipEntry } from './zip-records.ts';

const STORED = 0;
const DEFLATED = 8;
const METHODS: Readonly<Record<number, string>> = {
  9: 'Deflate64',
  12: 'bzip2',
  14: 'LZMA',
  93: 'Zstandard',
  95: 'XZ',
};

/** Unpacks only files of traces, archives, and files with names of addresses. */
export async function unpackZip(
  file: SourceRef,
  source: ByteSource,
  unpacking: Unpacking,
): Promise<Unpacked> {
  const listing = await listZip(source, unpacking);
  if (!listing.ok) return { files: [], faults: [listing.fault] };
  const { members, faults } = listing.value;
  const names = [...members.keys()];
  const parts = partsOfTraces(names);
  const wanted = names.filter((name) => parts.has(name) || isCalledArchive(name));
  if (wanted.length === 0) return { files: [], faults: [...faults, noTrace(file.path, names)] };
  const overlapping = overlaps([...members.values()]);
  for (const name of names) {
    const entry = members.get(name);
    if (entry === undefined || overlapping.has(entry) || parts.has(name) || isCalledArchive(name)) continue;
    if (unpacking.signal?.aborted !== true && (await givesNames(source, name, entry))) wanted.push(name);
  }
  const unpacker = new ZipUnpacker(file, source, unpacking, [...faults]);
  for (const name of wanted) {
    const entry = members.get(name);
    if (entry === undefined) continue;
    if (overlapping.has(entry)) {
      const found = 'bytes that belong to another file too';
      unpacker.faults.push(damaged(memberPath(file.path, name), 'bytes of its own', found));
    } else if (!(await unpacker.unpack(name, entry))) break;
  }
  return unpacker.finish();
}

/** Packed bytes that contain the first bytes of a file: a stored block has up to 64 KiB. */
const HEAD_BYTES = 65 * 1024;

/** Whether a member is a program, a library, or a list of functions. */
async function givesNames(source: ByteSource, name: string, entry: ZipEntry): Promise<boolean> {
  if (isFunctionList(name)) return true;
  const packed = await locate(source, entry, name);
  if (!packed.ok) return false;
  const { offset, length } = packed.value;
  const head = await source.read(offset, Math.min(length, HEAD_BYTES));
  return head.ok && isElf(entry.method === DEFLATED ? inflatedHead(head.value, 'deflate') : head.value);
}

/** Place of a member's packed bytes. */
interface Packed {
  readonly path: string;
  readonly entry: ZipEntry;
  readonly offset: number;
  /** Less than the entry says where the archive ends before. */
  readonly length: number;
  /**
   * Size in bytes by the member's header or its packed bytes, if it differs from the entry's; undefined: it does not.
   */
  readonly actualSize?: number;
}

/** Bytes of a member within the archive or the temporary file, which becomes a source when it is finished. */
type Placed = Omit<Packed, 'entry' | 'actualSize'>;

class ZipUnpacker {
  readonly #stored: Placed[] = [];
  readonly #deflated: Placed[] = [];
  #tempFile: TempFile | undefined;

  constructor(
    private readonly file: SourceRef,
    private readonly source: ByteSource,
    private readonly unpacking: Unpacking,
    readonly faults: Fault[],
  ) {}

  /** @returns whether further members can be unpacked */
  async unpack(name: string, entry: ZipEntry): Promise<boolean> {
    const path = memberPath(this.file.path, name);
    const packed = await locate(this.source, entry, path);
    if (!packed.ok) {
      this.faults.push(packed.fault);
      return true;
    }
    if (packed.value.length < entry.packedSize) this.faults.push(cut(packed.value));
    else if (packed.value.actualSize !== undefined)
      this.faults.push(wrongSize(path, entry.size, packed.value.actualSize));
    if (entry.method === DEFLATED) return this.#inflate(packed.value);
    this.#stored.push(packed.value);
    return true;
  }

  async #inflate(packed: Packed): Promise<boolean> {
    const begun = this.#tempFile === undefined ? await this.unpacking.tempFiles.begin() : ok(this.#tempFile);
    if (!begun.ok) {
      this.faults.push(begun.fault);
      return false;
    }
    const tempFile = (this.#tempFile = begun.value);
    const { path, entry, offset, length } = packed;
    const begin = tempFile.size;
    const { budget, signal, onBytes } = this.unpacking;
    const { size, crc, fault } = await inflateToTempFile({
      format: 'deflate',
      source: this.source,
      offset,
      length,
      tempFile,
      path,
      budget,
      signal,
      onProgress: (bytes) => onBytes?.(offset + bytes),
    });
    this.#deflated.push({ path, offset: begin, length: size });
    // For a member that is cut off no second fault is reported.
    const wrong = fault ?? checkUnpacked(packed, size, crc);
    if (wrong !== undefined && (length === entry.packedSize || wrong.code === 'cancelled'))
      this.faults.push(wrong);
    return fault === undefined || !ENDING.has(fault.code);
  }

  async finish(): Promise<Unpacked> {
    const files = this.#stored.map((placed) => partOf(this.file, placed));
    const unpacked = await this.#tempFile?.finish(this.file.path);
    if (unpacked?.ok === true)
      append(
        files,
        this.#deflated.map((placed) => partOf(unpacked.value, placed)),
      );
    if (unpacked?.ok === false) this.faults.push(unpacked.fault);
    return { files, faults: this.faults };
  }
}

/** Faults that end unpacking. */
const ENDING: ReadonlySet<Fault['code']> = new Set(['spill-full', 'archive-too-large', 'cancelled']);

function partOf(of: SourceRef, { path, offset, length }: Placed): SourceRef {
  return { kind: 'part', path, size: length, of, offset };
}

async function locate(source: ByteSource, entry: ZipEntry, path: string): Promise<Result<Packed>> {
  if ((entry.flags & ENCRYPTED) !== 0) return fail(unsupported(path, 'an encrypted file'));
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    return fail(unsupported(path, `a file packed by ${METHODS[entry.method] ?? `method ${entry.method}`}`));
  }
  if (entry.offset < 0 || entry.offset + LOCAL_BYTES > source.size) return fail(headerMissing(path, entry));
  const head = await source.read(entry.offset, LOCAL_BYTES);
  if (!head.ok) return head;
  const offset = entry.offset + (localBytes(head.value) ?? Infinity);
  if (offset > source.size) return fail(headerMissing(path, entry));
  const header = await source.read(entry.offset, offset - entry.offset);
  if (!header.ok) return header;
  const length = Math.min(entry.packedSize, source.size - offset);
  return ok({
    path,
    entry,
    offset,
    length,
    actualSize: differingSize(entry, readLocal(header.value, entry.offset)),
  });
}

/**
 * Size by the header before the member, or for a stored member by its packed bytes, if it differs from the entry's,
 * which is used. Headers may leave the size out.
 */
function differingSize({ method, size, packedSize }: ZipEntry, local: ZipEntry): number | undefined {
  if (method === STORED && size !== packedSize) return packedSize;
  const hasSize = (local.flags & HAS_DESCRIPTOR) === 0 && local.size !== 0 && local.size !== LIMIT32;
  return hasSize && local.size !== size ? local.size : undefined;
}

/** Members that overlap the next one: few bytes could thus unpack to very many. */
function overlaps(entries: readonly ZipEntry[]): ReadonlySet<ZipEntry> {
  const inOrder = [...entries].sort((a, b) => a.offset - b.offset);
  return new Set(
    inOrder.filter((entry, i) => {
      const next = inOrder[i + 1];
      return next !== undefined && entry.offset + LOCAL_BYTES + entry.packedSize > next.offset;
    }),
  );
}

function noTrace(file: string, names: readonly string[]): Fault {
  const found =
    names.length === 0 ? 'an empty zip archive' : `a zip archive with ${names.slice(0, 3).join(', ')}`;
  return { code: 'not-a-trace', place: { file }, expected: 'a folder with a file "metadata" (CTF)', found };
}

function damaged(file: string, expected: string, found?: string, byte?: number): Fault {
  return { code: 'archive-damaged', place: { file, byte }, expected, found };
}

function headerMissing(file: string, { offset }: ZipEntry): Fault {
  // If the begin of the archive is cut off, the header lies before the file.
  const byte = offset < 0 ? undefined : offset;
  return damaged(file, 'the header of this file in the zip archive', undefined, byte);
}

function unsupported(file: string, found: string): Fault {
  return { code: 'archive-unsupported', place: { file }, found };
}

function cut({ path, entry, length }: Packed): Fault {
  const expected = `${entry.packedSize} packed bytes`;
  return { code: 'archive-truncated', place: { file: path }, expected, found: `${length} bytes` };
}

function checkUnpacked({ path, entry }: Packed, size: number, crc: number): Fault | undefined {
  if (entry.crc === undefined || (entry.crc === crc && entry.size === size)) return undefined;
  if (entry.size !== size) return wrongSize(path, entry.size, size);
  return damaged(path, 'the checksum of what was packed', 'another one');
}

function wrongSize(file: string, expected: number, found: number): Fault {
  return damaged(file, `${expected} bytes`, `${found} bytes`);
}
