/** A piece of a file that moves along, with reads of pieces that are expected next under way. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type ByteSource, beyondEnd } from './byte-source.ts';

export interface FileWindow {
  readonly name: string;
  readonly size: number;
  /**
   * Reads at least `length` bytes from `offset` on, or all up to the end of the file; `ahead` bytes when it must read.
   */
  at(offset: number, length: number, ahead: number): Promise<Result<Uint8Array>>;
  /** `count` pieces of `length` bytes at `offset` and every `stride` bytes after it will be asked for. */
  expect(offset: number, stride: number, length: number, count: number): void;
}

/** Expected pieces that are read at a time at most. */
const EXPECTED_PIECES = 16;

export function createFileWindow(source: ByteSource): FileWindow {
  let begin = 0;
  let bytes = new Uint8Array(0);
  /** Reads under way, by offset. */
  const expected = new Map<number, Promise<Result<Uint8Array>>>();

  const read = (offset: number, length: number): Promise<Result<Uint8Array>> =>
    source.read(offset, Math.min(length, source.size - offset));

  return {
    name: source.name,
    size: source.size,
    async at(offset, length, ahead) {
      const end = Math.min(offset + length, source.size);
      for (const from of [...expected.keys()]) if (from < offset) expected.delete(from);
      if (offset < begin || end > begin + bytes.length) {
        let piece = await expected.get(offset);
        if (piece === undefined || (piece.ok && piece.value.length < end - offset))
          piece = await read(offset, Math.max(length, ahead));
        if (!piece.ok) return piece;
        begin = offset;
        bytes = new Uint8Array(piece.value);
      }
      return ok(bytes.subarray(offset - begin));
    },
    expect(offset, stride, length, count) {
      for (let i = 0; i < Math.min(count, EXPECTED_PIECES); i++) {
        const at = offset + i * stride;
        if (at < source.size && !expected.has(at)) expected.set(at, read(at, length));
      }
    },
  };
}

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
