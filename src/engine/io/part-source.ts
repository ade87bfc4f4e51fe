/** A range of another source: members of archives that are stored as they are need no copy. */
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource, PartRef, SourceOpener } from './byte-source.ts';
import { beyondEnd } from './source-fault.ts';

/** @param open opens the source that the part lies in */
export async function openPart(ref: PartRef, open: SourceOpener): Promise<Result<ByteSource>> {
  const whole = await open(ref.of);
  return whole.ok ? ok(partSource(ref, whole.value)) : whole;
}

function partSource({ path, size, offset }: PartRef, whole: ByteSource): ByteSource {
  return {
    name: path,
    size,
    async read(from, length) {
      const end = from + length;
      if (end > size) return fail(beyondEnd(path, end, size));
      const bytes = await whole.read(offset + from, length);
      return bytes.ok ? bytes : fail({ ...bytes.fault, place: { file: path, byte: from } });
    },
    close: () => whole.close?.() ?? Promise.resolve(),
  };
}
