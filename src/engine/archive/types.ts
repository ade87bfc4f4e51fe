/** Types shared by the readers of archives. */
import type { Fault } from '../base/fault.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { TempFiles } from '../io/temp-file.ts';

export interface UnpackOptions {
  readonly open: SourceOpener;
  readonly tempFiles: TempFiles;
  /** Default `LIMITS`. */
  readonly limits?: Limits;
  /** Ends unpacking; what is unpacked by then is kept. */
  readonly signal?: AbortSignal;
  /** Called with the bytes of archives that were processed, and their total. */
  readonly onProgress?: (bytes: number, totalBytes: number) => void;
}

export interface Unpacked {
  readonly files: readonly SourceRef[];
  readonly faults: readonly Fault[];
}

/** Input and limits for unpacking one archive. */
export interface Unpacking extends UnpackOptions {
  readonly limits: Limits;
  /** Number of files that the archive may hold: what earlier archives left of the limit. */
  readonly members: number;
  /** Bytes to which the archive and those nested in it may unpack. */
  readonly budget: { left: number };
  /** Called with the number of packed bytes processed. */
  readonly onBytes?: (bytes: number) => void;
}

export interface Limits {
  /** Number of files that all archives opened together may hold. */
  readonly members: number;
  /** Bytes to which any archive may unpack, however small it is. */
  readonly freeBytes: number;
  /** Further unpacked bytes allowed per packed byte. */
  readonly ratio: number;
}

/** Limits for the files of one archive. */
export type Allowance = Pick<Unpacking, 'limits' | 'members' | 'signal'>;

/** Default limits. Packet padding compresses well, whole recordings about ten times; deflate's limit is a thousand. */
export const LIMITS: Limits = { members: 20_000, freeBytes: 256 * 1024 * 1024, ratio: 200 };

/** The files of an archive in its order; of equal paths the last one. */
export interface Listing<Member> {
  readonly members: ReadonlyMap<string, Member>;
  readonly faults: readonly Fault[];
}

/** Path of a member, as if the archive were a folder. */
export function memberPath(archive: string, member: string): string {
  return `${archive}/${member}`;
}

/**
 * A member's name as a path below the archive; undefined if nothing is left of it. Parts that would lead out of the
 * archive (absolute paths, `..` at the top) are dropped.
 */
export function cleanName(name: string): string | undefined {
  const segments: string[] = [];
  for (const segment of name.slice(0, LONGEST_NAME).split(/[/\\]/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.length === 0 ? undefined : segments.join('/');
}

/** Longest name, characters; file systems allow 4096 bytes. */
const LONGEST_NAME = 4096;

/** The fault names the whole limit, not what was left of it, as all archives share it. */
export function tooMany(file: string, { members }: Limits): Fault {
  return {
    code: 'archive-too-large',
    place: { file },
    found: `more than ${members} files`,
    readSoFar: `the first ${members} files`,
  };
}
