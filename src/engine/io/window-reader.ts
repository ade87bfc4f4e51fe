/** A moving window on a file, with reads ahead of pieces that are expected. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type ByteSource, beyondEnd } from './byte-source.ts';

/** Maximum number of expected pieces that are read at a time. */
const EXPECTED_PIECES = 16;
/** Bytes read at once. */
export const WINDOW_BYTES = 64 * 1024;

export class WindowReader {
  readonly name: string;
  readonly size: number;
  readonly #source: ByteSource;
  readonly #ahead: number;
  #begin = 0;
  #bytes = new Uint8Array(0);
  /** Pending reads, by offset. */
  readonly #expected = new Map<number, Promise<Result<Uint8Array>>>();

  /** @param ahead bytes that `read` reads at once; default: few, for reads that are far apart */
  constructor(source: ByteSource, ahead = WINDOW_BYTES) {
    this.name = source.name;
    this.size = source.size;
    this.#source = source;
    this.#ahead = ahead;
  }

  /** The bytes [offset, offset + length), for reading only. Faults: those of the source. */
  async read(offset: number, length: number): Promise<Result<Uint8Array>> {
    const { name, size } = this;
    if (offset + length > size) return fail(beyondEnd(name, offset + length, size));
    const found = await this.at(offset, length, this.#ahead);
    return found.ok ? ok(found.value.subarray(0, length)) : found;
  }

  /**
   * Reads at least `length` bytes from `offset`, or up to the end of the file; a read of the file gets `ahead` bytes.
   */
  async at(offset: number, length: number, ahead: number): Promise<Result<Uint8Array>> {
    const end = Math.min(offset + length, this.size);
    for (const from of [...this.#expected.keys()]) if (from < offset) this.#expected.delete(from);
    if (offset < this.#begin || end > this.#begin + this.#bytes.length) {
      let piece = await this.#expected.get(offset);
      if (piece === undefined || (piece.ok && piece.value.length < end - offset))
        piece = await this.#read(offset, Math.max(length, ahead));
      if (!piece.ok) return piece;
      this.#begin = offset;
      this.#bytes = new Uint8Array(piece.value);
    }
    return ok(this.#bytes.subarray(offset - this.#begin));
  }

  /** Announces `count` reads of `length` bytes, at `offset` and every `stride` bytes after it. */
  expect(offset: number, stride: number, length: number, count: number): void {
    for (let i = 0; i < Math.min(count, EXPECTED_PIECES); i++) {
      const at = offset + i * stride;
      if (at < this.size && !this.#expected.has(at)) this.#expected.set(at, this.#read(at, length));
    }
  }

  #read(offset: number, length: number): Promise<Result<Uint8Array>> {
    return this.#source.read(offset, Math.min(length, this.size - offset));
  }
}
