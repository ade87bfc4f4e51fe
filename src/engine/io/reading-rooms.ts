/** Memory that one reader reads into again and again; as much as it reads at a time. */
import { freeBuffers } from '../base/buffers.ts';
import type { Result } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';

/** Bytes; a piece that needs more gets memory of its own. */
const ROOM = 2 ** 22;

export class ReadingRooms {
  /** Of ROOM bytes each. */
  readonly #free: ArrayBuffer[] = [];

  /** As `ByteSource.read`, but the bytes are to be given back. */
  read(source: ByteSource, offset: number, length: number): Promise<Result<Uint8Array>> {
    if (source.readInto === undefined || length > ROOM) return source.read(offset, length);
    return source.readInto(offset, length, this.#free.pop() ?? new ArrayBuffer(ROOM));
  }

  /** Nobody may look at the bytes any more. */
  giveBack(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === ROOM) this.#free.push(buffer);
    else freeBuffers(bytes);
  }
}
