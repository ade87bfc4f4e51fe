/** Cache of short reads: opening a trace reads packet heads several times, and a browser's access to a file is slow. */
import { ok, type Result } from '../base/fault.ts';
import { type ByteSource, reopenedSource, type SourceOpener, type SourceRef } from './byte-source.ts';

/** Minimum bytes per read. */
const PIECE = 4096;
/** Maximum number of files with cached pieces, those opened last. */
const MOST_FILES = 256;

export function readCache(open: SourceOpener) {
  const files = new Map<SourceRef, ReturnType<typeof cachedReads>>();
  const openCached: SourceOpener = async (ref) => {
    const source = await open(ref);
    if (!source.ok) return source;
    const { value } = source;
    const read = files.get(ref) ?? cachedReads();
    files.delete(ref);
    files.set(ref, read);
    const [oldest] = files.keys();
    if (files.size > MOST_FILES) files.delete(oldest);
    return ok({ ...value, read: (offset, length) => read(value, offset, length) });
  };
  const readFirst = (ref: SourceRef) => reopenedSource(ref, openCached).read(0, Math.min(PIECE, ref.size));
  return {
    /** Opens sources whose short reads are cached. */
    open: openCached,
    /** Reads the first piece of each file ahead. */
    expect: (refs: readonly SourceRef[]) => Promise.all(refs.map(readFirst)),
  };
}

/** Reads of a file that cache its first piece and the latest one: with many small packets more would be too many. */
function cachedReads() {
  let first: Promise<Result<Uint8Array>> | undefined;
  let last: Promise<Result<Uint8Array>> | undefined;
  let lastAt = 0;
  const pieceAt = (source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> => {
    if (offset === 0) return (first ??= source.read(0, length));
    if (last === undefined || lastAt !== offset) last = source.read(offset, length);
    lastAt = offset;
    return last;
  };
  return async (source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> => {
    const whole = Math.min(PIECE, source.size - offset);
    if (length > whole) return source.read(offset, length);
    const piece = await pieceAt(source, offset, whole);
    return piece.ok ? ok(piece.value.slice(0, length)) : piece;
  };
}
