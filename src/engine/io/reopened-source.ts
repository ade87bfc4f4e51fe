/** A file that is opened for each read: it is read now and then, and nobody knows when for the last time. */
import type { ByteSource, SourceOpener, SourceRef } from './byte-source.ts';

/** Faults of opening are those of its reads. */
export function reopenedSource(ref: SourceRef, open: SourceOpener): ByteSource {
  return {
    name: ref.path,
    size: ref.size,
    async read(offset, length) {
      const source = await open(ref);
      if (!source.ok) return source;
      const bytes = await source.value.read(offset, length);
      await source.value.close?.();
      return bytes;
    },
  };
}
