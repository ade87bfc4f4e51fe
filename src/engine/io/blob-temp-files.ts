/** A temporary file as parts of a `Blob`, which browsers move out of memory as they see fit: where there are no files to write. */
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { SourceRef } from './byte-source.ts';
import type { TempFile, TempFiles } from './temp-file.ts';
import { tempSpaceFull } from './temp-file.ts';

const PART_BYTES = 4 * 1024 * 1024;
/** A browser that keeps blobs in memory after all must not lose the page. */
const MOST_BYTES = 2 * 1024 * 1024 * 1024;

/** Temporary files as blobs, which go when nothing refers to them. */
export function blobTempFiles(): TempFiles {
  return { begin: () => Promise.resolve(ok(blobTempFile())), keepOnly: () => Promise.resolve() };
}

/** @param mostBytes it refuses more */
export function blobTempFile(mostBytes = MOST_BYTES): TempFile {
  const parts: Blob[] = [];
  const part = new Uint8Array(Math.min(PART_BYTES, mostBytes));
  let used = 0;
  let size = 0;
  const seal = (): void => {
    if (used > 0) parts.push(new Blob([part.subarray(0, used)]));
    used = 0;
  };
  return {
    get size() {
      return size;
    },
    write(bytes): Promise<Result<void>> {
      if (size + bytes.length > mostBytes) {
        return Promise.resolve(
          fail(tempSpaceFull(`more than ${mostBytes} bytes, and this browser lets no files be written`)),
        );
      }
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + part.length - used);
        part.set(piece, used);
        used += piece.length;
        at += piece.length;
        if (used === part.length) seal();
      }
      size += bytes.length;
      return Promise.resolve(ok(undefined));
    },
    finish(path): Promise<Result<SourceRef>> {
      seal();
      return Promise.resolve(ok({ kind: 'file', path, size, file: new Blob(parts) }));
    },
  };
}
