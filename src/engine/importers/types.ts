/** Types that the importers of other recorders' files have in common. */
import type { Fault } from '../base/fault.ts';
import type { ByteSource, SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { TempFiles } from '../io/temp-file.ts';
import type { Unpacked } from '../archive/types.ts';

export interface Importing {
  readonly tempFiles: TempFiles;
  /** Ends importing; what was imported by then stays. */
  readonly signal?: AbortSignal;
  /** Called with the bytes of the file that were read. */
  readonly onBytes?: (bytes: number) => void;
  /** All files, among which those that belong to a recording are found by their paths. */
  readonly files: readonly SourceRef[];
  readonly open: SourceOpener;
}

/** Result of an importer: traces, and the other files that they are made of. */
export interface Imported extends Unpacked {
  readonly parts?: readonly SourceRef[];
}

/** Bytes that packed parts of a file may unpack to, and that may be read of it again and again. */
export function byteBudget({ size }: ByteSource): number {
  return Math.max(256 * 1024 * 1024, 200 * size);
}

/** Fault of bytes that are not what the format says. */
export function damaged(file: string, byte: number, expected: string, found: string): Fault {
  return { code: 'recording-damaged', place: { file, byte }, expected, found };
}

/** Writes a file of another recorder as a folder of a CTF trace with the file's path. */
export type Importer = (file: SourceRef, source: ByteSource, importing: Importing) => Promise<Imported>;
