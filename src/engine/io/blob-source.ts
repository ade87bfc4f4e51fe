/** A `File` or `Blob`, read in slices: nothing but the asked range comes into memory. */
import { fail, ok, type Result } from '../base/fault.ts';
import { type ByteSource, type PieceReader, beyondEnd, unreadable } from './byte-source.ts';

/** Whether streams of blobs fill buffers that they are given. */
const FILLS_BUFFERS = fillsBuffers();

function fillsBuffers(): boolean {
  try {
    new Blob([]).stream().getReader({ mode: 'byob' });
    return true;
  } catch {
    return false;
  }
}

export function blobSource(name: string, blob: Blob): ByteSource {
  return {
    name,
    size: blob.size,
    async read(offset, length) {
      const end = offset + length;
      if (end > blob.size) return fail(beyondEnd(name, end, blob.size));
      try {
        return whole(name, offset, length, new Uint8Array(await blob.slice(offset, end).arrayBuffer()));
      } catch (error) {
        return fail(unreadable(name, error, offset));
      }
    },
    readOn: FILLS_BUFFERS ? (from, to) => new BlobPieces(name, blob, from, to) : undefined,
  };
}

/** Bytes that were read at `offset`: all of them, or a fault. */
function whole(name: string, offset: number, length: number, bytes: Uint8Array): Result<Uint8Array> {
  return bytes.length === length ? ok(bytes) : fail(beyondEnd(name, offset + length, offset + bytes.length));
}

/**
 * Readers at work. Chromium's garbage collector takes a byte stream that nothing else refers to although somebody waits
 * for it; the wait never ends then.
 */
const AT_WORK = new Set<ReadableStreamBYOBReader>();

/** Goes through a stream of the bytes [from, to). */
class BlobPieces implements PieceReader {
  readonly #name: string;
  /** Bytes of the blob. */
  readonly #size: number;
  readonly #reader: ReadableStreamBYOBReader;
  /** Resolves when what was asked for is read. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Offset of the next piece. */
  #at: number;

  constructor(name: string, blob: Blob, from: number, to: number) {
    this.#name = name;
    this.#size = blob.size;
    this.#at = from;
    this.#reader = blob.slice(from, to).stream().getReader({ mode: 'byob' });
  }

  next(length: number, memory: ArrayBuffer): Promise<Result<Uint8Array>> {
    const offset = this.#at;
    this.#at += length;
    if (this.#at > this.#size) return Promise.resolve(fail(beyondEnd(this.#name, this.#at, this.#size)));
    const piece = this.#turn.then(() => this.#read(offset, length, memory));
    this.#turn = piece;
    return piece;
  }

  close(): void {
    // A reader that is cancelled ends what it is asked for. One of a file that is gone has nothing to end.
    void this.#turn.then(() => this.#reader.cancel()).catch(() => undefined);
  }

  async #read(offset: number, length: number, memory: ArrayBuffer): Promise<Result<Uint8Array>> {
    AT_WORK.add(this.#reader);
    try {
      return whole(this.#name, offset, length, await fill(this.#reader, memory, length));
    } catch (error) {
      // Browsers refuse a file that was deleted or changed after it was dropped.
      return fail(unreadable(this.#name, error, offset));
    } finally {
      AT_WORK.delete(this.#reader);
    }
  }
}

/** Each read takes the buffer along and gives it back. Fewer bytes than `length` where the stream ends. */
async function fill(
  reader: ReadableStreamBYOBReader,
  memory: ArrayBuffer,
  length: number,
): Promise<Uint8Array> {
  let buffer = memory;
  let filled = 0;
  while (filled < length) {
    const { value } = await reader.read(new Uint8Array(buffer, filled, length - filled));
    if (value === undefined || value.length === 0) break;
    buffer = value.buffer;
    filled += value.length;
  }
  return new Uint8Array(buffer, 0, filled);
}
