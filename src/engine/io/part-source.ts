/** A range of another source: members of archives that are stored as they are need no copy. */
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource, PartRef, PieceReader, SourceOpener } from './byte-source.ts';
import { beyondEnd } from './source-fault.ts';

/** @param open opens the source that the part lies in */
export async function openPart(ref: PartRef, open: SourceOpener): Promise<Result<ByteSource>> {
  const whole = await open(ref.of);
  return whole.ok ? ok(partSource(ref, whole.value)) : whole;
}

function partSource(part: PartRef, whole: ByteSource): ByteSource {
  const { path, size, offset } = part;
  const { readOn } = whole;
  return {
    name: path,
    size,
    async read(from, length) {
      if (from + length > size) return fail(beyondEnd(path, from + length, size));
      return placed(await whole.read(offset + from, length), path, from);
    },
    readOn: readOn && ((from, to) => partIntervals(part, from, readOn(offset + from, offset + to))),
    close: () => whole.close?.() ?? Promise.resolve(),
  };
}

/** @param from where they begin in the part */
function partIntervals({ path, size }: PartRef, from: number, pieces: PieceReader): PieceReader {
  let at = from;
  return {
    async next(length, memory) {
      const offset = at;
      at += length;
      if (at > size) return fail(beyondEnd(path, at, size));
      return placed(await pieces.next(length, memory), path, offset);
    },
    close: () => pieces.close(),
  };
}

/** Faults are reported of the part, whatever it lies in. */
function placed(read: Result<Uint8Array>, path: string, byte: number): Result<Uint8Array> {
  return read.ok ? read : fail({ ...read.fault, place: { file: path, byte } });
}
