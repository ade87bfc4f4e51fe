/**
 * Storage outside of memory for what must be written before random access: unpacked members of archives, downloads. A
 * temporary file only grows; once finished, it and its parts are sources like any other.
 */
import type { Fault, Result } from '../base/fault.ts';
import type { SourceRef } from './byte-source.ts';

export interface TempFile {
  /** Bytes written. */
  readonly size: number;
  /** Appends a copy of the bytes. Faults: `spill-full`. */
  write(bytes: Uint8Array): Promise<Result<void>>;
  /**
   * Ends writing; the file as a source.
   * @param path name for people
   */
  finish(path: string): Promise<Result<SourceRef>>;
}

export interface TempFiles {
  begin(): Promise<Result<TempFile>>;
  /** Removes every temporary file that none of `files` reads. */
  keepOnly(files: readonly SourceRef[]): Promise<void>;
}

/** Names of the temporary files that some files are or lie in. */
export function tempFilesOf(files: readonly SourceRef[]): Set<string> {
  const tempFiles = new Set<string>();
  for (const file of files) {
    let ref = file;
    while (ref.kind === 'part') ref = ref.of;
    if (ref.kind !== 'memory' && ref.tempFile !== undefined) tempFiles.add(ref.tempFile);
  }
  return tempFiles;
}

/** Fault of missing room; `error` is what the platform threw. */
export function tempSpaceFull(error: unknown): Fault {
  return { code: 'spill-full', place: {}, found: error instanceof Error ? error.message : String(error) };
}
