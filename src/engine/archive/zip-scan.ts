/**
 * The members of a zip archive by the headers before them, for archives without a usable directory. Where a header
 * has no sizes, a descriptor follows the member (APPNOTE 4.3.9), and is found by what it says: how long the member is.
 */
import { ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WINDOW_BYTES, WindowReader } from '../io/window-reader.ts';
import type { Allowance } from './types.ts';
import {
  DESCRIPTOR_SIGNATURE,
  HAS_DESCRIPTOR,
  LOCAL_BYTES,
  localBytes,
  readLocal,
  uint64,
  viewOf,
  type ZipEntry,
} from './zip-records.ts';

/** Signature, checksum and two sizes, of 4 bytes or, where the member is large, of 8. */
const SHORT_DESCRIPTOR = 16;
const LONG_DESCRIPTOR = 24;
/** "PK", with which every record begins. */
const RECORD_MARK = 0x4b50;

/** Entries from byte `begin` to the archive's end, the first thing that is no member, or the limit. */
export async function scanZip(
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
    entries.push({ ...entry, ...described.value.told });
    at = described.value.end;
  }
  return ok(entries);
}

interface Described {
  readonly told: Pick<ZipEntry, 'crc' | 'packedSize' | 'size'>;
  /** Byte after the descriptor. */
  readonly end: number;
}

/** The descriptor of a member that begins at `begin`; without one it goes on to the end. */
async function findDescriptor(
  source: ByteSource,
  begin: number,
  { signal }: Allowance,
): Promise<Result<Described>> {
  // Pieces overlap: in one that is not the last, a descriptor is looked for where even a long one would be whole.
  const step = WINDOW_BYTES - LONG_DESCRIPTOR + 1;
  for (let from = begin; from + SHORT_DESCRIPTOR <= source.size; from += step) {
    if (signal?.aborted === true) break;
    const bytes = await source.read(from, Math.min(WINDOW_BYTES, source.size - from));
    if (!bytes.ok) return bytes;
    const least = from + WINDOW_BYTES < source.size ? LONG_DESCRIPTOR : SHORT_DESCRIPTOR;
    const found = searchDescriptor(viewOf(bytes.value), from - begin, least);
    if (found !== undefined) return ok({ told: found.told, end: from + found.end });
  }
  const rest = source.size - begin;
  return ok({ told: { crc: undefined, packedSize: rest, size: rest }, end: source.size });
}

/**
 * @param before bytes of the member before this piece of it
 * @param least bytes of the piece from where a descriptor may begin
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
    return { told: { crc, packedSize, size }, end: at + (isLong ? LONG_DESCRIPTOR : SHORT_DESCRIPTOR) };
  }
  return undefined;
}
