/** Files in a tar archive and their places: they are stored unpacked. */
import { type Fault, ok, type Result } from '../base/fault.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { WindowReader } from '../io/window-reader.ts';
import { BLOCK_BYTES, isZero, mapGoesOn, readPax, readTarHeader, textAt } from './tar-header.ts';
import type { TarHeader } from './tar-header.ts';
import type { Listing, Allowance } from './types.ts';
import { cleanName, tooMany } from './types.ts';

export interface TarMember {
  readonly offset: number;
  readonly size: number;
}

/** Longest extended header of a member, bytes; a longer one is damage. */
const LONGEST_EXTENSION = 1024 * 1024;

/** Values from extended headers for the next member. */
interface Extension {
  readonly name?: string;
  readonly link?: string;
  readonly size?: number;
  readonly isSparse?: boolean;
}

/** Lists everything before the first damage. Faults as results: `file-unreadable`. */
export async function listTar(source: ByteSource, allowance: Allowance): Promise<Result<Listing<TarMember>>> {
  const reader = new WindowReader(source);
  const members = new Map<string, TarMember>();
  const faults: Fault[] = [];
  const endedBy = (fault: Fault) => ok({ members, faults: [...faults, fault] });
  let extension: Extension = {};
  for (let at = 0; at < source.size;) {
    const begin = at + BLOCK_BYTES;
    if (begin > source.size) return endedBy(cut(source, at));
    const block = await reader.read(at, BLOCK_BYTES);
    if (!block.ok) return block;
    if (isZero(block.value)) return ok({ members, faults });
    const header = readTarHeader(block.value);
    if (header === undefined) return endedBy(damaged(source, at, members.size));
    if (isExtension(header)) {
      if (header.size > LONGEST_EXTENSION) return endedBy(damaged(source, at, members.size));
      if (begin + header.size > source.size) return endedBy(cut(source, at));
      const bytes = await reader.read(begin, header.size);
      if (!bytes.ok) return bytes;
      extension = { ...extension, ...readExtension(header, bytes.value) };
      at = begin + padded(header.size);
      continue;
    }
    const name = extension.name ?? header.name;
    const size = hasBytes(header) ? (extension.size ?? header.size) : 0;
    const content = await contentOf(header, begin, reader, source);
    if (!content.ok) return content;
    const path = name.endsWith('/') ? undefined : cleanName(name);
    const here = { offset: content.value, size: Math.min(size, source.size - content.value) };
    const member = header.type === '0' ? here : linked(header, extension, members);
    if (header.type === 'S' || extension.isSparse === true) faults.push(sparse(source, name));
    else if (path !== undefined && member !== undefined) {
      if (members.size === allowance.members) return endedBy(tooMany(source.name, allowance.limits));
      members.set(path, member);
    }
    if (content.value + size > source.size) return endedBy(cut(source, source.size, name));
    extension = {};
    at = content.value + padded(size);
  }
  return endedBy(cut(source, source.size));
}

/** Begin of a file's bytes whose header ends at `begin`: after the remaining blocks of its map, if it is sparse. */
async function contentOf(
  header: TarHeader,
  begin: number,
  reader: WindowReader,
  { size }: ByteSource,
): Promise<Result<number>> {
  let at = begin;
  for (let goesOn = header.mapGoesOn; goesOn && at + BLOCK_BYTES <= size; at += BLOCK_BYTES) {
    const block = await reader.read(at, BLOCK_BYTES);
    if (!block.ok) return block;
    goesOn = mapGoesOn(block.value);
  }
  return ok(at);
}

/** The earlier file that a hard link names. */
function linked(
  { type, link }: TarHeader,
  extension: Extension,
  members: ReadonlyMap<string, TarMember>,
): TarMember | undefined {
  const path = type === '1' ? cleanName(extension.link ?? link) : undefined;
  return path === undefined ? undefined : members.get(path);
}

function isExtension({ type }: TarHeader): boolean {
  return type === 'x' || type === 'L' || type === 'g' || type === 'K';
}

/** Whether an entry has content; links, devices and folders have none, whatever their header says. */
function hasBytes({ type }: TarHeader): boolean {
  return !/[1-6]/.test(type);
}

function readExtension({ type }: TarHeader, bytes: Uint8Array): Extension {
  if (type === 'L') return { name: textAt(bytes, 0, bytes.length) };
  if (type === 'K') return { link: textAt(bytes, 0, bytes.length) };
  if (type !== 'x') return {};
  const records = readPax(bytes);
  const size = Number(records.get('size'));
  return {
    ...(records.has('path') && { name: records.get('path') }),
    ...(records.has('linkpath') && { link: records.get('linkpath') }),
    ...(records.has('size') && Number.isSafeInteger(size) && size >= 0 && { size }),
    isSparse: [...records.keys()].some((key) => key.startsWith('GNU.sparse')),
  };
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

function cut({ name, size }: ByteSource, byte: number, member?: string): Fault {
  const expected =
    member === undefined ? 'blocks of zeros at the end of the tar archive' : `the rest of ${member}`;
  return { code: 'archive-truncated', place: { file: name, byte }, expected, found: `${size} bytes` };
}

function damaged({ name }: ByteSource, byte: number, files: number): Fault {
  return {
    code: 'archive-damaged',
    place: { file: name, byte },
    expected: 'the header of a file in the tar archive',
    readSoFar: `${files} files`,
  };
}

function sparse({ name }: ByteSource, member: string): Fault {
  const found = `a sparse file (tar --sparse): ${member}`;
  return { code: 'archive-unsupported', place: { file: name }, found };
}
