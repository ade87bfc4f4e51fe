/**
 * Files whose short pieces are read once: who opens a trace asks for the same packet heads several times, and a browser
 * takes longer for the way to a file than for the reading.
 */
import { ok, type Result } from '../base/fault.ts';
import type { ByteSource, SourceOpener, SourceRef } from './byte-source.ts';

/** Bytes that are read where fewer are asked for. */
const PIECE = 4096;
/** Files that were opened last, whose pieces are kept. */
const MOST_FILES = 256;

export class ReadCache {
  readonly #open: SourceOpener;
  readonly #files = new Map<SourceRef, CachedFile>();

  constructor(open: SourceOpener) {
    this.#open = open;
  }

  /** Opens sources whose short pieces are kept. */
  readonly open: SourceOpener = async (ref) => {
    const source = await this.#open(ref);
    if (!source.ok) return source;
    const cached = this.#files.get(ref) ?? new CachedFile();
    this.#keep(ref, cached);
    const { value } = source;
    return ok({ ...value, read: (offset, length) => cached.read(value, offset, length) });
  };

  /** Reads the first piece of each file, for who will soon ask for it. */
  async expect(refs: readonly SourceRef[]): Promise<void> {
    const readFirst = async (ref: SourceRef): Promise<void> => {
      const source = await this.open(ref);
      if (!source.ok) return;
      await source.value.read(0, Math.min(PIECE, source.value.size));
      await source.value.close?.();
    };
    await Promise.all(refs.map(readFirst));
  }

  #keep(ref: SourceRef, file: CachedFile): void {
    this.#files.delete(ref);
    this.#files.set(ref, file);
    const [oldest] = this.#files.keys();
    if (this.#files.size > MOST_FILES) this.#files.delete(oldest);
  }
}

/** The first piece of a file and the one read last: of many small packets there would be too many. */
class CachedFile {
  #first: Promise<Result<Uint8Array>> | undefined;
  #last: Promise<Result<Uint8Array>> | undefined;
  /** Offset of the last one. */
  #lastAt = 0;

  /** Same as `ByteSource.read`. */
  async read(source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> {
    const whole = Math.min(PIECE, source.size - offset);
    if (length > whole) return source.read(offset, length);
    const piece = await this.#piece(source, offset, whole);
    return piece.ok ? ok(piece.value.slice(0, length)) : piece;
  }

  #piece(source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> {
    if (offset === 0) return (this.#first ??= source.read(0, length));
    if (this.#last === undefined || this.#lastAt !== offset) {
      this.#last = source.read(offset, length);
      this.#lastAt = offset;
    }
    return this.#last;
  }
}
