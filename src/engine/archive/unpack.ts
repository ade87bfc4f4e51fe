/**
 * Replaces each archive among dropped files by the files in it, like a folder. Members stored unpacked (files of a tar,
 * stored ones of a zip) are read in place; packed ones are unpacked piece by piece into a temporary file. Archives in
 * archives are unpacked to a depth of two.
 */
import { append } from '../base/append.ts';
import type { Fault } from '../base/fault.ts';
import { laterCode } from '../base/later-code.ts';
import type { ByteSource, SourceRef } from '../io/byte-source.ts';
import { type ArchiveKind, findArchives } from './archive-kind.ts';
import { LIMITS, memberPath, tooMany } from './types.ts';
import type { Allowance, Unpacked, Unpacking, UnpackOptions } from './types.ts';

const memberReaders = laterCode(() => import('./member-readers.ts'));

/** Maximum depth of nested archives. */
const DEPTH = 2;

/** Replaces the archives; other files stay as they are. */
export async function unpackArchives(files: readonly SourceRef[], options: UnpackOptions): Promise<Unpacked> {
  const archives = await findArchives(files, options.open);
  if (archives.size === 0) return { files, faults: [] };
  const total = [...archives.keys()].reduce((sum, { size }) => sum + size, 0);
  const found: SourceRef[] = [];
  const faults: Fault[] = [];
  let done = 0;
  /** Number of files in the archives so far. */
  let held = 0;
  const { limits = LIMITS } = options;
  for (const file of files) {
    const kind = archives.get(file);
    if (kind === undefined) {
      found.push(file);
      continue;
    }
    const members = limits.members - held;
    if (members === 0) {
      faults.push(tooMany(file.path, limits));
      continue;
    }
    const budget = { left: Math.max(limits.freeBytes, limits.ratio * file.size) };
    const onBytes = (bytes: number): void => options.onProgress?.(done + bytes, total);
    onBytes(0);
    const unpacked = await unpackArchive(file, kind, DEPTH, { ...options, limits, members, budget, onBytes });
    append(found, unpacked.files);
    append(faults, unpacked.faults);
    held += unpacked.files.length;
    done += file.size;
  }
  return { files: found, faults };
}

async function unpackArchive(
  file: SourceRef,
  kind: ArchiveKind,
  depth: number,
  unpacking: Unpacking,
): Promise<Unpacked> {
  const source = await unpacking.open(file);
  if (!source.ok) return { files: [], faults: [source.fault] };
  const outer = await membersOf(file, kind, source.value, unpacking);
  await source.value.close?.();
  if (depth === 1) return outer;
  const files: SourceRef[] = [];
  const faults = [...outer.faults];
  const inner = await findArchives(outer.files, unpacking.open);
  for (const member of outer.files) {
    const members = unpacking.members - files.length;
    if (members === 0) {
      faults.push(tooMany(file.path, unpacking.limits));
      break;
    }
    const innerKind = inner.get(member);
    if (innerKind === undefined) {
      files.push(member);
      continue;
    }
    const unpacked = await unpackArchive(member, innerKind, depth - 1, {
      ...unpacking,
      members,
      onBytes: undefined,
    });
    append(files, unpacked.files);
    append(faults, unpacked.faults);
  }
  return { files, faults };
}

async function membersOf(
  file: SourceRef,
  kind: ArchiveKind,
  source: ByteSource,
  unpacking: Unpacking,
): Promise<Unpacked> {
  if (kind === 'tar') return tarMembers(file, source, unpacking);
  const { gunzip, unpackZip } = await memberReaders();
  if (kind === 'zip') return unpackZip(file, source, unpacking);
  const plain = await gunzip(file, source, unpacking);
  if (plain.file === undefined) return { files: [], faults: plain.faults };
  const opened = await unpacking.open(plain.file);
  if (!opened.ok) return { files: [], faults: [...plain.faults, opened.fault] };
  const { files, faults } = await tarMembers(plain.file, opened.value, unpacking);
  await opened.value.close?.();
  // If the gzip was cut off, the tar ends early for the same reason.
  return { files, faults: plain.faults.length > 0 ? plain.faults : faults };
}

async function tarMembers(file: SourceRef, source: ByteSource, allowance: Allowance): Promise<Unpacked> {
  const { listTar } = await memberReaders();
  const listing = await listTar(source, allowance);
  if (!listing.ok) return { files: [], faults: [listing.fault] };
  const { members, faults } = listing.value;
  const files = [...members].map(([name, { offset, size }]): SourceRef => {
    return { kind: 'part', path: memberPath(file.path, name), size, of: file, offset };
  });
  return { files, faults };
}
