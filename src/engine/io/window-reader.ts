/** Small reads in about ascending order, as of headers: one read of the source serves many of them. */
import { fail, ok } from '../base/result.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { createFileWindow, type FileWindow } from './file-window.ts';
import { beyondEnd } from './source-fault.ts';

/** Bytes read at once. */
export const WINDOW_BYTES = 64 * 1024;

export class WindowReader {
  readonly #window: FileWindow;
  readonly #ahead: number;

  /** @param ahead bytes that are read at once; default: few, for reads that are far from each other */
  constructor(source: ByteSource, ahead = WINDOW_BYTES) {
    this.#ahead = ahead;
    this.#window = createFileWindow(source);
  }

  /** The bytes [offset, offset + length), for reading only. Faults: those of the source. */
  async read(offset: number, length: number): Promise<Result<Uint8Array>> {
    const { name, size } = this.#window;
    const end = offset + length;
    if (end > size) return fail(beyondEnd(name, end, size));
    const found = await this.#window.at(offset, length, this.#ahead);
    return found.ok ? ok(found.value.subarray(0, length)) : found;
  }
}
