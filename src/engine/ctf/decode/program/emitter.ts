/**
 * Writes the code of one program: joins neighbouring fields of constant layout into runs (one bounds check each) and
 * follows what is known of the position, so that an `ALIGN` is written only where alignment is not known.
 */
import type { ByteOrder } from '../../model.ts';
import * as op from './program.ts';

/** Position before a field, as far as it is known: `remainder` modulo `modulus` (a power of two), in bits. */
export interface Position {
  readonly modulus: number;
  readonly remainder: number;
  /** Byte order of the integer before; it must not change inside a byte. undefined: unknown. */
  readonly order: ByteOrder | undefined;
}

/** Alignments above this, in bits, are refused; positions fit 31 bits. */
export const LARGEST_ALIGNMENT = 2 ** 28;

export const PACKET_START: Position = { modulus: LARGEST_ALIGNMENT, remainder: 0, order: undefined };

export class Emitter {
  readonly code: number[] = [];
  #position: Position;
  /** Current run: its bits, its reads, and the words of the tape that they fill. */
  #bits = 0;
  #reads: number[] = [];
  #words = 0;

  constructor(position: Position) {
    this.#position = position;
  }

  position(): Position {
    return this.#position;
  }

  /** Ends the run and forgets all but `position`. */
  moveTo(position: Position): void {
    this.flush();
    this.#position = position;
  }

  align(bits: number): void {
    const { modulus, remainder, order } = this.#position;
    if (bits > LARGEST_ALIGNMENT) this.write(op.OP_UNSUPPORTED);
    else if (bits <= modulus) this.skip((bits - (remainder % bits)) % bits);
    else {
      this.write(op.OP_ALIGN, bits);
      this.#position = { modulus: bits, remainder: 0, order };
    }
  }

  /** Declares the byte order of the integer that follows. */
  order(order: ByteOrder): void {
    const before = this.#position.order;
    if (before !== undefined && before !== order && !this.atByte()) this.write(op.OP_ORDER);
    this.#position = { ...this.#position, order };
  }

  /** Skips the bits of one field. */
  skip(bits: number): void {
    const { modulus, remainder, order } = this.#position;
    this.#bits += bits;
    this.#position = { modulus, remainder: (remainder + bits) % modulus, order };
  }

  /** Skips the bits of fields that are not read. */
  pass(bits: number): void {
    this.skip(bits);
    this.#position = { ...this.#position, order: undefined };
  }

  /** Bit offset of the next field in the current run. */
  offset(): number {
    return this.#bits;
  }

  /** Whether the next field is known to begin at a byte. */
  atByte(): boolean {
    return this.#position.modulus >= 8 && this.#position.remainder % 8 === 0;
  }

  /** A read of the current run. */
  read(...operation: number[]): void {
    this.#reads.push(...operation);
  }

  /** Takes words of the tape for reads of the current run; gives the first. */
  take(words: number): number {
    this.#words += words;
    return this.#words - words;
  }

  /** Ends the run and writes an operation; gives its place. */
  write(...operation: number[]): number {
    this.flush();
    this.code.push(...operation);
    return this.code.length - operation.length;
  }

  /** Ends the run: its room on the tape and its bounds check once, then its reads. */
  flush(): void {
    const words = this.#words;
    if (words > 0) this.code.push(op.OP_RESERVE, words);
    if (this.#bits > 0 || this.#reads.length > 0)
      this.code.push(op.OP_NEED, Math.min(this.#bits, op.POSITION_LIMIT));
    for (const word of this.#reads) this.code.push(word);
    if (words > 0) this.code.push(op.OP_ADVANCE, words);
    this.#bits = 0;
    this.#reads = [];
    this.#words = 0;
  }
}

/** Position after either of two ways, as far as it is known. */
export function joinPositions(a: Position, b: Position): Position {
  let modulus = Math.min(a.modulus, b.modulus);
  while ((a.remainder - b.remainder) % modulus !== 0) modulus /= 2;
  return { modulus, remainder: a.remainder % modulus, order: a.order === b.order ? a.order : undefined };
}

/** Position after an unknown number of pieces of `size` bits, as far as it is known. */
export function loosenPosition(position: Position, size: number): Position {
  let modulus = position.modulus;
  while (size % modulus !== 0) modulus /= 2;
  return { modulus, remainder: position.remainder % modulus, order: undefined };
}
