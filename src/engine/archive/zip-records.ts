/**
 * The records of a zip file (PKWARE APPNOTE 6.3): header before each member (4.3.7), directory entry (4.3.12), end of
 * the directory (4.3.16) and its 64-bit form (4.3.14, 4.3.15), the extra field with 64-bit sizes (4.5.3).
 */
import { viewOf } from '../base/byte-arrays.ts';

const LOCAL_SIGNATURE = 0x04034b50;
export const DESCRIPTOR_SIGNATURE = 0x08074b50;
const ENTRY_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const END64_SIGNATURE = 0x06064b50;
const LOCATOR64_SIGNATURE = 0x07064b50;

/** Fixed bytes of the records, before the parts of variable length. */
export const LOCAL_BYTES = 30;
export const ENTRY_BYTES = 46;
export const END_BYTES = 22;
export const END64_BYTES = 56;
export const LOCATOR64_BYTES = 20;

/** Bit of `flags`. */
export const ENCRYPTED = 1 << 0;
export const HAS_DESCRIPTOR = 1 << 3;
const UTF8_NAME = 1 << 11;

const LIMIT16 = 0xffff;
/** A 32-bit size or offset that says that the real one is in the extra field. */
export const LIMIT32 = 0xffffffff;

export interface ZipEntry {
  readonly name: string;
  readonly flags: number;
  /** Method of packing: 0 none, 8 deflate. */
  readonly method: number;
  /** CRC-32 of the unpacked bytes; undefined: not known. */
  readonly crc: number | undefined;
  readonly packedSize: number;
  readonly size: number;
  /** Offset of the header before the member, from the archive's begin. */
  readonly offset: number;
  readonly isLink: boolean;
}

/** End of the directory; fields that do not fit in it are in its 64-bit form. */
export interface ZipEnd {
  readonly entries: number;
  readonly directoryBytes: number;
  readonly directoryOffset: number;
  readonly disks: number;
  readonly needs64: boolean;
  /** Bytes prepended to the archive, by which its offsets are too small; default 0. */
  readonly moved?: number;
}

/** A 64-bit number; those beyond exact doubles lie beyond the end of any file. */
export function uint64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

/** Offset of the end record in the last bytes of a file; -1: none. A comment of up to 64 KiB follows it. */
export function findEnd(tail: Uint8Array): number {
  const view = viewOf(tail);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) <= tail.length) return at;
  }
  return -1;
}

export function readEnd(bytes: Uint8Array): ZipEnd {
  const view = viewOf(bytes);
  const entries = view.getUint16(10, true);
  const directoryBytes = view.getUint32(12, true);
  const directoryOffset = view.getUint32(16, true);
  const needs64 = entries === LIMIT16 || directoryBytes === LIMIT32 || directoryOffset === LIMIT32;
  return { entries, directoryBytes, directoryOffset, disks: view.getUint16(4, true) + 1, needs64 };
}

/** Offset of the 64-bit end record, from its locator; undefined: none. */
export function readLocator64(bytes: Uint8Array): number | undefined {
  const view = viewOf(bytes);
  return view.getUint32(0, true) === LOCATOR64_SIGNATURE ? uint64(view, 8) : undefined;
}

export function readEnd64(bytes: Uint8Array): ZipEnd | undefined {
  const view = viewOf(bytes);
  if (view.getUint32(0, true) !== END64_SIGNATURE) return undefined;
  return {
    entries: uint64(view, 32),
    directoryBytes: uint64(view, 40),
    directoryOffset: uint64(view, 48),
    disks: view.getUint32(16, true) + 1,
    needs64: false,
  };
}

/** Bytes of a directory entry with its name, extra field and comment; undefined: not an entry. */
export function entryBytes(head: Uint8Array): number | undefined {
  const view = viewOf(head);
  if (view.getUint32(0, true) !== ENTRY_SIGNATURE) return undefined;
  return ENTRY_BYTES + view.getUint16(28, true) + view.getUint16(30, true) + view.getUint16(32, true);
}

/** @param bytes whole entry, as many bytes as `entryBytes` returns */
export function readEntry(bytes: Uint8Array): ZipEntry {
  const view = viewOf(bytes);
  const [common, [offset]] = readCommon(bytes, 8, ENTRY_BYTES, [view.getUint32(42, true)]);
  const isUnix = view.getUint8(5) === 3;
  return { ...common, offset, isLink: isUnix && (view.getUint16(40, true) & 0xf000) === 0xa000 };
}

/** Bytes of a member's header with its name and extra field; undefined: not a header. */
export function localBytes(head: Uint8Array): number | undefined {
  const view = viewOf(head);
  if (view.getUint32(0, true) !== LOCAL_SIGNATURE) return undefined;
  return LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
}

/**
 * The header before a member, without sizes where a descriptor follows.
 * @param bytes as many as `localBytes` returns
 */
export function readLocal(bytes: Uint8Array, offset: number): ZipEntry {
  const [common] = readCommon(bytes, 6, LOCAL_BYTES, []);
  return { ...common, offset, isLink: false };
}

/**
 * Reads what entries and headers share: from the flags, at `at`, to the length of the extra field.
 * @param sizes further values that may be in the extra field, after the member's sizes; returned beside it
 */
function readCommon(bytes: Uint8Array, at: number, nameAt: number, sizes: readonly number[]) {
  const view = viewOf(bytes);
  const flags = view.getUint16(at, true);
  const nameEnd = nameAt + view.getUint16(at + 20, true);
  const extra = bytes.subarray(nameEnd, nameEnd + view.getUint16(at + 22, true));
  const own = [view.getUint32(at + 16, true), view.getUint32(at + 12, true)];
  const [size, packedSize, ...more] = sizes64(extra, [...own, ...sizes]);
  const name = nameOf(bytes.subarray(nameAt, nameEnd), flags);
  const method = view.getUint16(at + 2, true);
  const crc = view.getUint32(at + 8, true);
  return [{ name, flags, method, crc, size, packedSize }, more] as const;
}

/** Values of those fields that are too large for 32 bits, in this order, from extra field 1. */
function sizes64(extra: Uint8Array, fields: readonly number[]): readonly number[] {
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (view.getUint16(at, true) === 1) {
      let next = at + 4;
      return fields.map((field) => {
        if (field !== LIMIT32 || next + 8 > Math.min(end, extra.length)) return field;
        next += 8;
        return uint64(view, next - 8);
      });
    }
    at = end;
  }
  return fields;
}

/** Name in UTF-8: a flag says so, and without the flag it nearly always holds too. */
function nameOf(bytes: Uint8Array, flags: number): string {
  if ((flags & UTF8_NAME) !== 0) return new TextDecoder().decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}
