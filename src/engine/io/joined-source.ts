/** Concatenates pieces of a source, as a file with parts left out. */
import { firstWhere } from '../base/lower-bound.ts';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { type ByteSource, beyondEnd } from './byte-source.ts';

/** A range of bytes of the source. */
export interface SourcePart {
  readonly offset: number;
  readonly size: number;
}

/**
 * @param pieces none is empty
 * @param change changes the bytes of a whole piece, or returns why it cannot; default: no change
 */
export function joinedSource<One extends SourcePart>(
  whole: ByteSource,
  pieces: readonly One[],
  change?: (bytes: Uint8Array, piece: One) => Fault | undefined,
): ByteSource {
  /** End of each piece in the joined bytes. */
  const ends: number[] = [];
  for (const { size } of pieces) ends.push((ends.at(-1) ?? 0) + size);
  const total = ends.at(-1) ?? 0;
  /** The latest changed piece: the next read often continues in it. */
  let changed: { readonly at: number; readonly bytes: Uint8Array } | undefined;
  const readWithin = async (at: number, skipped: number, length: number): Promise<Result<Uint8Array>> => {
    const piece = pieces[at];
    if (change === undefined) return whole.read(piece.offset + skipped, length);
    if (changed?.at !== at) {
      const read = await whole.read(piece.offset, piece.size);
      if (!read.ok) return read;
      const fault = change(read.value, piece);
      if (fault !== undefined) return fail(fault);
      changed = { at, bytes: read.value };
    }
    return ok(changed.bytes.subarray(skipped, skipped + length));
  };
  return {
    name: whole.name,
    size: total,
    async read(offset, length) {
      if (offset + length > total) return fail(beyondEnd(whole.name, offset + length, total));
      const bytes = new Uint8Array(length);
      let at = firstWhere(0, ends.length, (piece) => ends[piece] > offset);
      for (let done = 0; done < length; at++) {
        const skipped = offset + done - (ends[at] - pieces[at].size);
        const wanted = Math.min(pieces[at].size - skipped, length - done);
        const read = await readWithin(at, skipped, wanted);
        if (!read.ok) return read;
        bytes.set(read.value, done);
        done += wanted;
      }
      return ok(bytes);
    },
    close: () => whole.close?.() ?? Promise.resolve(),
  };
}
