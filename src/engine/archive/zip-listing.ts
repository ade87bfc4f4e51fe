/**
 * Files in a zip archive and their places: by the directory at its end; where that is cut off or damaged, by the
 * headers before the members, from the first on. Where a header has no sizes, a descriptor follows the member (APPNOTE
 * 4.3.9), and is found by the size in it, which must match.
 */
import { viewOf } from '../base/byte-arrays.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WINDOW_BYTES, WindowReader } from '../io/window-reader.ts';
import { type Listing, type Allowance, cleanName, tooMany } from './types.ts';
import {
  DESCRIPTOR_SIGNATURE,
  END64_BYTES,
  END_BYTES,
  ENTRY_BYTES,
  entryBytes,
  findEnd,
  HAS_DESCRIPTOR,
  LOCAL_BYTES,
  localBytes,
  LOCATOR64_BYTES,
  readEnd,
  readEnd64,
  readEntry,
  readLocal,
  readLocator64,
  uint64,
  type ZipEnd,
  type ZipEntry,
} from './zip-records.ts';

/** Longest comment after the end record, bytes. */
const COMMENT_BYTES = 0xffff;

/** Whether a file that does not begin as a zip ends as one: with a directory at the place that its end record gives. */
export async function endsAsZip(source: ByteSource): Promise<boolean> {
  const end = await locateDirectory(source);
  if (!end.ok || end.value === undefined || end.value.entries === 0) return false;
  const head = await readAt(source, end.value.directoryOffset, ENTRY_BYTES);
  return head.ok && head.value !== undefined && entryBytes(head.value) !== undefined;
}

/** Lists the files. Faults: `file-unreadable`, and those of entries that cannot be used. */
export async function listZip(source: ByteSource, allowance: Allowance): Promise<Result<Listing<ZipEntry>>> {
  const end = await locateDirectory(source);
  if (!end.ok) return end;
  if (end.value === undefined) {
    const cut: Fault = {
      code: 'archive-truncated',
      place: { file: source.name, byte: source.size },
      expected: 'a directory at the end of the zip archive',
      found: 'none',
    };
    return scanInstead(source, allowance, cut);
  }
  if (end.value.disks > 1) {
    const found = 'a zip archive in several parts';
    return fail({ code: 'archive-unsupported', place: { file: source.name }, found });
  }
  const { entries, fault } = await readDirectory(source, end.value, allowance);
  if (fault?.code === 'archive-damaged') return scanInstead(source, allowance, fault, end.value.moved);
  const faults = fault === undefined ? [] : [fault];
  if (end.value.directoryOffset + end.value.directoryBytes > source.size) {
    const expected = `a directory of at most ${source.size} bytes`;
    const found = `one of ${end.value.directoryBytes} bytes`;
    faults.push({ code: 'archive-damaged', place: { file: source.name }, expected, found });
  }
  return ok({ members: filesOf(entries), faults });
}

/**
 * Lists by headers, where there is no directory.
 * @param begin where the archive may begin if not at the file's begin
 */
async function scanInstead(
  source: ByteSource,
  allowance: Allowance,
  why: Fault,
  begin = 0,
): Promise<Result<Listing<ZipEntry>>> {
  let scanned = await scanZip(source, allowance, 0);
  if (scanned.ok && scanned.value.length === 0 && begin > 0)
    scanned = await scanZip(source, allowance, begin);
  if (!scanned.ok) return scanned;
  return ok({ members: filesOf(scanned.value), faults: [why] });
}

function filesOf(entries: readonly ZipEntry[]): Map<string, ZipEntry> {
  const files = new Map<string, ZipEntry>();
  for (const entry of entries) {
    const path = cleanName(entry.name);
    const isFolder = /[/\\]$/.test(entry.name);
    if (path !== undefined && !isFolder && !entry.isLink) files.set(path, entry);
  }
  return files;
}

/** The end record; undefined: there is no directory. */
async function locateDirectory(source: ByteSource): Promise<Result<ZipEnd | undefined>> {
  const tailBytes = Math.min(source.size, END_BYTES + COMMENT_BYTES);
  const tail = await source.read(source.size - tailBytes, tailBytes);
  if (!tail.ok) return tail;
  const at = findEnd(tail.value);
  if (at < 0) return ok(undefined);
  const end = readEnd(tail.value.subarray(at));
  const offset = source.size - tailBytes + at;
  if (!end.needs64) return ok(movedBy(end, offset));
  const located = await readAt(source, offset - LOCATOR64_BYTES, LOCATOR64_BYTES);
  if (!located.ok) return located;
  const locator = located.value && readLocator64(located.value);
  if (locator === undefined) return ok(movedBy(end, offset));
  // The offset is too small when something was prepended to the archive; usually the record is directly before the
  // locator.
  for (const end64At of [locator, offset - LOCATOR64_BYTES - END64_BYTES]) {
    const record = await readAt(source, end64At, END64_BYTES);
    if (!record.ok) return record;
    const end64 = record.value && readEnd64(record.value);
    if (end64 !== undefined) return ok(movedBy(end64, end64At));
  }
  return ok(undefined);
}

/** Bytes prepended to the archive: the directory ends where its end record begins, but its offset gives less. */
function movedBy(end: ZipEnd, offset: number): ZipEnd {
  const directoryOffset = offset - end.directoryBytes;
  return directoryOffset < 0
    ? end
    : { ...end, directoryOffset, moved: directoryOffset - end.directoryOffset };
}

async function readAt(
  source: ByteSource,
  offset: number,
  length: number,
): Promise<Result<Uint8Array | undefined>> {
  return offset < 0 || offset + length > source.size ? ok(undefined) : source.read(offset, length);
}

/** The readable part of the directory, and the fault that ended it. */
async function readDirectory(
  source: ByteSource,
  end: ZipEnd,
  allowance: Allowance,
): Promise<{ readonly entries: readonly ZipEntry[]; readonly fault?: Fault }> {
  const reader = new WindowReader(source);
  const entries: ZipEntry[] = [];
  let at = end.directoryOffset;
  while (entries.length < end.entries) {
    if (entries.length === allowance.members)
      return { entries, fault: tooMany(source.name, allowance.limits) };
    const head = await reader.read(at, ENTRY_BYTES);
    const length = head.ok ? entryBytes(head.value) : undefined;
    const bytes = length === undefined ? undefined : await reader.read(at, length);
    if (length === undefined || bytes?.ok !== true)
      return { entries, fault: damagedDirectory(source.name, at) };
    const entry = readEntry(bytes.value);
    entries.push({ ...entry, offset: entry.offset + (end.moved ?? 0) });
    at += length;
  }
  return { entries };
}

function damagedDirectory(file: string, byte: number): Fault {
  return { code: 'archive-damaged', place: { file, byte }, expected: 'an entry of the directory' };
}

/** Descriptor of signature, checksum and two sizes, of 4 bytes each, or of 8 for a large member. */
const SHORT_DESCRIPTOR = 16;
const LONG_DESCRIPTOR = 24;
/** "PK", with which every record begins. */
const RECORD_MARK = 0x4b50;

/** Entries from byte `begin` to the archive's end, the first thing that is no member, or the limit. */
async function scanZip(
  source: ByteSource,
  allowance: Allowance,
  begin: number,
): Promise<Result<readonly ZipEntry[]>> {
  const reader = new WindowReader(source);
  const entries: ZipEntry[] = [];
  let at = begin;
  while (at + LOCAL_BYTES <= source.size && entries.length < allowance.members) {
    if (allowance.signal?.aborted === true) break;
    const head = await reader.read(at, LOCAL_BYTES);
    if (!head.ok) return head;
    const length = localBytes(head.value);
    if (length === undefined || at + length > source.size) break;
    const bytes = await reader.read(at, length);
    if (!bytes.ok) return bytes;
    const entry = readLocal(bytes.value, at);
    const packedAt = at + length;
    if ((entry.flags & HAS_DESCRIPTOR) === 0) {
      entries.push(entry);
      at = packedAt + entry.packedSize;
      continue;
    }
    const described = await findDescriptor(source, packedAt, allowance);
    if (!described.ok) return described;
    entries.push({ ...entry, ...described.value.values });
    at = described.value.end;
  }
  return ok(entries);
}

interface Described {
  readonly values: Pick<ZipEntry, 'crc' | 'packedSize' | 'size'>;
  /** Byte after the descriptor. */
  readonly end: number;
}

/** The descriptor of a member that begins at `begin`; without one the member extends to the end. */
async function findDescriptor(
  source: ByteSource,
  begin: number,
  { signal }: Allowance,
): Promise<Result<Described>> {
  // Pieces overlap: except in the last, descriptors are searched only where a long one would fit.
  const step = WINDOW_BYTES - LONG_DESCRIPTOR + 1;
  for (let from = begin; from + SHORT_DESCRIPTOR <= source.size; from += step) {
    if (signal?.aborted === true) break;
    const bytes = await source.read(from, Math.min(WINDOW_BYTES, source.size - from));
    if (!bytes.ok) return bytes;
    const least = from + WINDOW_BYTES < source.size ? LONG_DESCRIPTOR : SHORT_DESCRIPTOR;
    const found = searchDescriptor(viewOf(bytes.value), from - begin, least);
    if (found !== undefined) return ok({ values: found.values, end: from + found.end });
  }
  const rest = source.size - begin;
  return ok({ values: { crc: undefined, packedSize: rest, size: rest }, end: source.size });
}

/**
 * @param before bytes of the member before this piece
 * @param least byte of the piece at which a descriptor may begin
 */
function searchDescriptor(view: DataView, before: number, least: number): Described | undefined {
  for (let at = 0; at + least <= view.byteLength; at++) {
    if (view.getUint32(at, true) !== DESCRIPTOR_SIGNATURE) continue;
    const packedSize = before + at;
    if (view.getUint32(at + 8, true) !== packedSize % 2 ** 32) continue;
    const crc = view.getUint32(at + 4, true);
    const isLong =
      at + LONG_DESCRIPTOR <= view.byteLength && view.getUint16(at + SHORT_DESCRIPTOR, true) !== RECORD_MARK;
    const size = isLong ? uint64(view, at + 16) : view.getUint32(at + 12, true);
    return { values: { crc, packedSize, size }, end: at + (isLong ? LONG_DESCRIPTOR : SHORT_DESCRIPTOR) };
  }
  return undefined;
}
