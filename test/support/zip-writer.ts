/** Zip archives with whatever a test wants to be unusual or wrong in them (PKWARE APPNOTE 6.3, 4.3 and 4.5.3). */
import { deflateSync } from 'fflate';
import { Crc32 } from '../../src/engine/base/crc32.ts';
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';

export interface ZipMember {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Default 8, deflated. */
  readonly method?: number;
  /** Added to those that are needed. */
  readonly flags?: number;
  /** Sizes and checksum follow the member instead of standing before it. */
  readonly hasDescriptor?: boolean;
  /** All sizes and offsets in fields of 64 bits. */
  readonly is64?: boolean;
  /** Told instead of the true one. */
  readonly crc?: number;
  readonly size?: number;
  /** Shares the bytes of the member before. */
  readonly isAlias?: boolean;
}

const UTF8 = 1 << 11;
const DESCRIPTOR = 1 << 3;

export function writeZip(
  members: readonly ZipMember[],
  options: { readonly is64?: boolean } = {},
): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  let before = 0;
  const put = (bytes: Uint8Array): void => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const member of members) {
    const fields = fieldsOf(member);
    const offset = member.isAlias === true ? before : at;
    if (member.isAlias !== true) {
      before = at;
      put(localHeader(member, fields));
      put(fields.packed);
      if (member.hasDescriptor === true) put(descriptor(member, fields));
    }
    directory.push(directoryEntry(member, fields, offset));
  }
  const directoryAt = at;
  directory.forEach(put);
  for (const end of endRecords(members.length, at - directoryAt, directoryAt, options.is64 === true))
    put(end);
  return joinBytes(parts);
}

interface Fields {
  readonly name: Uint8Array;
  readonly packed: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly size: number;
}

function fieldsOf(member: ZipMember): Fields {
  const { method = 8, bytes } = member;
  const crc = new Crc32();
  crc.update(bytes);
  return {
    name: new TextEncoder().encode(member.name),
    packed: method === 8 ? deflateSync(bytes) : bytes,
    flags: UTF8 | (member.flags ?? 0) | (member.hasDescriptor === true ? DESCRIPTOR : 0),
    method,
    crc: member.crc ?? crc.value,
    size: member.size ?? bytes.length,
  };
}

function localHeader({ hasDescriptor, is64 }: ZipMember, fields: Fields): Uint8Array {
  const { name, flags, method } = fields;
  const known =
    hasDescriptor === true ? { crc: 0, size: 0, packed: 0 } : { ...fields, packed: fields.packed.length };
  const sizes = is64 === true ? [LIMIT32, LIMIT32] : [known.packed, known.size];
  const extra = is64 === true ? extra64([known.size, known.packed]) : new Uint8Array(0);
  const head = record([
    [4, 0x04034b50],
    [2, 20],
    [2, flags],
    [2, method],
    [4, 0],
    [4, known.crc],
    [4, sizes[0]],
    [4, sizes[1]],
    [2, name.length],
    [2, extra.length],
  ]);
  return joinBytes([head, name, extra]);
}

function descriptor({ is64 }: ZipMember, { crc, packed, size }: Fields): Uint8Array {
  const width = is64 === true ? 8 : 4;
  return record([
    [4, 0x08074b50],
    [4, crc],
    [width, packed.length],
    [width, size],
  ]);
}

function directoryEntry({ is64 }: ZipMember, fields: Fields, offset: number): Uint8Array {
  const { name, packed, flags, method, crc, size } = fields;
  const [packedSize, statedSize, at] =
    is64 === true ? [LIMIT32, LIMIT32, LIMIT32] : [packed.length, size, offset];
  const extra = is64 === true ? extra64([size, packed.length, offset]) : new Uint8Array(0);
  const head = record([
    [4, 0x02014b50],
    [2, 20],
    [2, 20],
    [2, flags],
    [2, method],
    [4, 0],
    [4, crc],
    [4, packedSize],
    [4, statedSize],
    [2, name.length],
    [2, extra.length],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, at],
  ]);
  return joinBytes([head, name, extra]);
}

function endRecords(entries: number, bytes: number, offset: number, is64: boolean): Uint8Array[] {
  if (!is64) return [end(entries, bytes, offset)];
  const end64 = record([
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, bytes],
    [8, offset],
  ]);
  const locator = record([
    [4, 0x07064b50],
    [4, 0],
    [8, offset + bytes],
    [4, 1],
  ]);
  return [end64, locator, end(0xffff, LIMIT32, LIMIT32)];
}

function end(entries: number, bytes: number, offset: number): Uint8Array {
  return record([
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, entries],
    [2, entries],
    [4, bytes],
    [4, offset],
    [2, 0],
  ]);
}

const LIMIT32 = 0xffffffff;

function extra64(values: readonly number[]): Uint8Array {
  return record([[2, 1], [2, 8 * values.length], ...values.map((value): [number, number] => [8, value])]);
}

/** Little-endian numbers of 2, 4 or 8 bytes. */
function record(fields: readonly (readonly [width: number, value: number])[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return bytes;
}
