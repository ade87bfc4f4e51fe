/**
 * Reads files from begin to end in pieces, several files in turn, on one reader. A browser reads ahead, and each file
 * is accessed once; memory is reused.
 */
import { freeBuffers } from '../base/buffers.ts';
import type { Result } from '../base/fault.ts';
import type { PieceReader, SourceOpener, SourceRef } from './byte-source.ts';

/** Size of a buffer, bytes; a larger piece gets memory of its own. */
const BUFFER_BYTES = 2 ** 22;
/** Maximum number of open files: a browser reads some megabytes ahead in each. */
const MOST_FILES = 8;
/** Number of reads of other files after which an open file may be replaced by another. */
const IDLE_READS = 4 * MOST_FILES;

/** An open file. */
interface UnderWay {
  readonly pieces: PieceReader;
  /** Byte of the file at which the next piece begins. */
  readonly at: number;
  /** Number of the latest read of it. */
  readonly used: number;
}

export class SequentialReads {
  /** Open files, least recently used first. */
  readonly #underWay = new Map<SourceRef, UnderWay>();
  /** Free buffers of BUFFER_BYTES bytes. */
  readonly #buffers: ArrayBuffer[] = [];
  #reads = 0;

  constructor(private readonly open: SourceOpener) {}

  /**
   * Same as `ByteSource.read`, but the bytes must be given back.
   * @param goesOn whether the bytes after these will be read too
   */
  async read(ref: SourceRef, offset: number, length: number, goesOn = false): Promise<Result<Uint8Array>> {
    this.#reads++;
    const at = offset + length;
    const known = this.#underWay.get(ref);
    if (known?.at === offset && length <= BUFFER_BYTES) {
      this.#underWay.delete(ref);
      return this.#next(ref, known.pieces, at, length, goesOn && at < ref.size);
    }
    const source = await this.open(ref);
    if (!source.ok) return source;
    const { value } = source;
    if (value.readOn === undefined || length > BUFFER_BYTES) {
      const bytes = await value.read(offset, length);
      await value.close?.();
      return bytes;
    }
    const staysOpen = goesOn && at < value.size && this.#hasPlace(ref);
    if (staysOpen) this.#leave(ref);
    const pieces = value.readOn(offset, staysOpen ? value.size : at);
    return this.#next(ref, pieces, at, length, staysOpen);
  }

  /** Takes back bytes that are no longer read. */
  giveBack(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === BUFFER_BYTES) this.#buffers.push(buffer);
    else freeBuffers(bytes);
  }

  /** Closes all files. */
  close(): void {
    for (const ref of this.#underWay.keys()) this.#leave(ref);
  }

  /** @param at byte of the file behind the piece */
  async #next(
    ref: SourceRef,
    pieces: PieceReader,
    at: number,
    length: number,
    staysOpen: boolean,
  ): Promise<Result<Uint8Array>> {
    // Before any await, as the next piece may be asked for meanwhile.
    if (staysOpen) this.#underWay.set(ref, { pieces, at, used: this.#reads });
    const bytes = await pieces.next(length, this.#buffers.pop() ?? new ArrayBuffer(BUFFER_BYTES));
    if (!staysOpen) pieces.close();
    else if (!bytes.ok && this.#underWay.get(ref)?.pieces === pieces) this.#leave(ref);
    return bytes;
  }

  /** Whether a file can be opened, if need be in the place of one that is no longer read. */
  #hasPlace(ref: SourceRef): boolean {
    if (this.#underWay.size < MOST_FILES || this.#underWay.has(ref)) return true;
    const [[oldest, { used }]] = this.#underWay;
    if (this.#reads - used <= IDLE_READS) return false;
    this.#leave(oldest);
    return true;
  }

  #leave(ref: SourceRef): void {
    this.#underWay.get(ref)?.pieces.close();
    this.#underWay.delete(ref);
  }
}
