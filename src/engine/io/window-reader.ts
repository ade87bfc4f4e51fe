/** Small reads in about ascending order, as of headers: one read of the source serves many of them. */
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { beyondEnd } from './source-fault.ts';

export const WINDOW_BYTES = 64 * 1024;

export class WindowReader {
  readonly #source: ByteSource;
  #from = 0;
  #window: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The bytes [offset, offset + length), for reading only. Faults: those of the source. */
  async read(offset: number, length: number): Promise<Result<Uint8Array>> {
    const { name, size } = this.#source;
    const end = offset + length;
    if (end > size) return fail(beyondEnd(name, end, size));
    if (offset < this.#from || end > this.#from + this.#window.length) {
      const read = await this.#source.read(offset, Math.min(Math.max(length, WINDOW_BYTES), size - offset));
      if (!read.ok) return read;
      this.#from = offset;
      this.#window = read.value;
    }
    return ok(this.#window.subarray(offset - this.#from, end - this.#from));
  }
}
