/** A `File` or `Blob`, read in slices: nothing but the asked range comes into memory. */
import { fail, ok } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { beyondEnd, unreadable } from './source-fault.ts';

export function blobSource(name: string, blob: Blob): ByteSource {
  return {
    name,
    size: blob.size,
    async read(offset, length) {
      const end = offset + length;
      if (end > blob.size) return fail(beyondEnd(name, end, blob.size));
      try {
        return ok(new Uint8Array(await blob.slice(offset, end).arrayBuffer()));
      } catch (error) {
        // Browsers refuse a file that was deleted or changed after it was dropped.
        return fail(unreadable(name, error, offset));
      }
    },
  };
}
