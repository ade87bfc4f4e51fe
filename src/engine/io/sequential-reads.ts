/**
 * Files that one reader goes through from begin to end, a piece at a time, several of them by turns. A browser has the
 * bytes behind a piece at hand when they are asked for, and pays once for the way to a file; memory is read into again
 * and again.
 */
import { freeBuffers } from '../base/buffers.ts';
import type { Result } from '../base/fault.ts';
import type { PieceReader, SourceOpener, SourceRef } from './byte-source.ts';

/** Bytes; a piece that needs more gets memory of its own. */
const BUFFER_BYTES = 2 ** 22;
/** Files under way: a browser keeps some megabytes behind the place in each. */
const MOST_FILES = 8;
/** Reads of other files after which one under way may give its place to another. */
const IDLE_READS = 4 * MOST_FILES;

/** A file that is gone through. */
interface UnderWay {
  readonly pieces: PieceReader;
  /** Byte of the file at which the next piece begins. */
  readonly at: number;
  /** The number of the read that used it last. */
  readonly used: number;
}

export class SequentialReads {
  /** The one that was used longest ago first. */
  readonly #underWay = new Map<SourceRef, UnderWay>();
  /** Memory of BUFFER_BYTES bytes each. */
  readonly #buffers: ArrayBuffer[] = [];
  #reads = 0;

  constructor(private readonly open: SourceOpener) {}

  /**
   * Same as `ByteSource.read`, but the bytes are to be given back.
   * @param goesOn whether what is behind them will be asked for, too
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

  /** Nobody may look at the bytes any more. */
  giveBack(bytes: Uint8Array): void {
    const { buffer } = bytes;
    if (buffer instanceof ArrayBuffer && buffer.byteLength === BUFFER_BYTES) this.#buffers.push(buffer);
    else freeBuffers(bytes);
  }

  /** No file is gone through any further. */
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
    // Before anything is waited for: the next piece may be asked for meanwhile.
    if (staysOpen) this.#underWay.set(ref, { pieces, at, used: this.#reads });
    const bytes = await pieces.next(length, this.#buffers.pop() ?? new ArrayBuffer(BUFFER_BYTES));
    if (!staysOpen) pieces.close();
    else if (!bytes.ok && this.#underWay.get(ref)?.pieces === pieces) this.#leave(ref);
    return bytes;
  }

  /** Whether a file can be under way, in the place of one that is no more if need be. */
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
