/**
 * Kinds of archives: by the file's name, by its first bytes, or by the end of a zip to which something was prepended.
 */
import type { ByteSource, SourceOpener, SourceRef } from '../io/byte-source.ts';
import { BLOCK_BYTES, isZero, readTarHeader } from './tar-header.ts';
import { endsAsZip } from './zip-listing.ts';

export type ArchiveKind = 'zip' | 'tar' | 'gzip';

const CALLED_ARCHIVE = /\.(zip|tar|tgz|gz)$/i;
/** Maximum number of files whose first bytes are read when names tell no kind: for downloads without an extension. */
const FEW = 20;

export function isCalledArchive(path: string): boolean {
  return CALLED_ARCHIVE.test(path);
}

/** The archives among some files. Only few files are opened: a dropped folder may have thousands. */
export async function findArchives(
  files: readonly SourceRef[],
  open: SourceOpener,
): Promise<ReadonlyMap<SourceRef, ArchiveKind>> {
  const called = files.filter(({ path }) => isCalledArchive(path));
  const hasTrace = files.some(({ path }) => /(^|\/)metadata$/.test(path));
  const candidates = called.length === 0 && !hasTrace && files.length <= FEW ? files : called;
  const archives = new Map<SourceRef, ArchiveKind>();
  for (const file of candidates) {
    const source = await open(file);
    if (!source.ok) continue;
    const kind = await kindOf(source.value);
    await source.value.close?.();
    if (kind !== undefined) archives.set(file, kind);
  }
  return archives;
}

async function kindOf(source: ByteSource): Promise<ArchiveKind | undefined> {
  const head = await source.read(0, Math.min(BLOCK_BYTES, source.size));
  if (!head.ok) return undefined;
  return archiveKind(head.value) ?? ((await endsAsZip(source)) ? 'zip' : undefined);
}

/** @param head the first `BLOCK_BYTES` of a file, or all of it */
export function archiveKind(head: Uint8Array): ArchiveKind | undefined {
  const [a, b, c, d] = head;
  // A zip begins with a member, or with the end record if empty; a self-extracting one with a program (`endsAsZip`).
  if (a === 0x50 && b === 0x4b && ((c === 3 && d === 4) || (c === 5 && d === 6))) return 'zip';
  if (a === 0x1f && b === 0x8b) return 'gzip';
  if (head.length < BLOCK_BYTES || isZero(head)) return undefined;
  return readTarHeader(head) === undefined ? undefined : 'tar';
}
