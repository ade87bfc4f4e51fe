/**
 * Room outside of memory for what has to be written before it can be read at random: unpacked members of archives,
 * downloads. A spill is one growing file; when it is finished, it and its parts are sources like any other.
 */
import type { Fault } from '../base/fault.ts';
import type { Result } from '../base/result.ts';
import type { SourceRef } from './byte-source.ts';

export interface Spill {
  /** Bytes written. */
  readonly size: number;
  /** Appends a copy. Faults: `spill-full`. */
  write(bytes: Uint8Array): Promise<Result<void>>;
  /** Ends writing. `path`: for people. */
  finish(path: string): Promise<Result<SourceRef>>;
}

export interface SpillArea {
  begin(): Promise<Result<Spill>>;
  /** Removes every spill that none of `files` reads. */
  keepOnly(files: readonly SourceRef[]): Promise<void>;
}

/** The spills that some files are or lie in. */
export function spillsOf(files: readonly SourceRef[]): Set<string> {
  const spills = new Set<string>();
  for (const file of files) {
    let ref = file;
    while (ref.kind === 'part') ref = ref.of;
    if (ref.kind !== 'memory' && ref.spill !== undefined) spills.add(ref.spill);
  }
  return spills;
}

/** There is no room for more; `error` is what the platform threw. */
export function spillFull(error: unknown): Fault {
  return { code: 'spill-full', place: {}, found: error instanceof Error ? error.message : String(error) };
}
