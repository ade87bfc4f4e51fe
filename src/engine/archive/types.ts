/** Types that the readers of archives have in common. */
import type { Fault } from '../base/fault.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { TempFiles } from '../io/temp-file.ts';

export interface UnpackOptions {
  readonly open: SourceOpener;
  readonly tempFiles: TempFiles;
  /** Default `LIMITS`. */
  readonly limits?: Limits;
  /** Ends unpacking; what is unpacked by then stays. */
  readonly signal?: AbortSignal;
  /** Bytes of archives that were gone through, of their total. */
  readonly onProgress?: (bytes: number, totalBytes: number) => void;
}

export interface Unpacked {
  readonly files: readonly SourceRef[];
  readonly faults: readonly Fault[];
}

/** Needs and results of unpacking one archive. */
export interface Unpacking extends UnpackOptions {
  readonly limits: Limits;
  /** Files that the archive may hold: what those before it left of the limit. */
  readonly members: number;
  /** Bytes that the archive, with those in it, may unpack to. */
  readonly budget: { left: number };
  /** Packed bytes of the archive that were unpacked. */
  readonly onBytes?: (bytes: number) => void;
}

export interface Limits {
  /** Files that archives of one opening may hold together. */
  readonly members: number;
  /** Bytes that anything may unpack to, however small it is. */
  readonly freeBytes: number;
  /** Bytes unpacked for each packed one, above that. */
  readonly ratio: number;
}

/** Limits for the files of one archive. */
export type Allowance = Pick<Unpacking, 'limits' | 'members' | 'signal'>;

/** Padding of packets shrinks well, whole recordings about ten times: deflate's limit is a thousand. */
export const LIMITS: Limits = { members: 20_000, freeBytes: 256 * 1024 * 1024, ratio: 200 };

/** The files of an archive in the order of the archive; of equal paths the last counts. */
export interface Listing<Member> {
  readonly members: ReadonlyMap<string, Member>;
  readonly faults: readonly Fault[];
}

/** A place of a member: as if the archive was a folder. */
export function memberPath(archive: string, member: string): string {
  return `${archive}/${member}`;
}

/**
 * A member's name as path below the archive; undefined when nothing is left of it. Names are names only: what would
 * lead out of the archive (absolute paths, `..` at the top) is left out.
 */
export function cleanName(name: string): string | undefined {
  const segments: string[] = [];
  for (const segment of name.slice(0, LONGEST_NAME).split(/[/\\]/)) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments.length === 0 ? undefined : segments.join('/');
}

/** Characters; file systems allow 4096 bytes. */
const LONGEST_NAME = 4096;

/** Names the limit, not what was left of it: all archives share it, and the files of all of them stay. */
export function tooMany(file: string, { members }: Limits): Fault {
  return {
    code: 'archive-too-large',
    place: { file },
    found: `more than ${members} files`,
    readSoFar: `the first ${members} files`,
  };
}
