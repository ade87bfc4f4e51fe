/**
 * Writes the code of one program: joins neighbouring fields of constant layout into runs (one bounds check each) and
 * follows what is known of the position, so that an `ALIGN` is written only where alignment is not known.
 */
import type { ByteOrder } from '../model.ts';
import {
  OP_ADVANCE,
  OP_ALIGN,
  OP_NEED,
  OP_ORDER,
  OP_RESERVE,
  OP_UNSUPPORTED,
  POSITION_LIMIT,
} from './program.ts';

/** What is known of the position before a field: it is `remainder` modulo `modulus` (a power of two), in bits. */
export interface Position {
  readonly modulus: number;
  readonly remainder: number;
  /** Byte order of the integer before; it must not change inside a byte. undefined: unknown. */
  readonly order: ByteOrder | undefined;
}

/** Alignments above this are refused; positions fit 31 bits. */
export const LARGEST_ALIGNMENT = 2 ** 28;

export const PACKET_START: Position = { modulus: LARGEST_ALIGNMENT, remainder: 0, order: undefined };

export interface Emitter {
  readonly code: number[];
  position(): Position;
  /** Forgets all but `position`; ends the run. */
  moveTo(position: Position): void;
  align(bits: number): void;
  /** Declares the byte order of the integer that follows. */
  order(order: ByteOrder): void;
  /** Passes over the bits of one field. */
  skip(bits: number): void;
  /** Passes over the bits of fields that are not looked at. */
  pass(bits: number): void;
  /** Bit offset of the next field in the current run. */
  offset(): number;
  /** Whether the next field is known to begin at a byte. */
  atByte(): boolean;
  /** A read of the current run. */
  read(...operation: number[]): void;
  /** Takes words of the tape for reads of the current run; gives the first. */
  take(words: number): number;
  /** Ends the run and writes an operation; gives its place. */
  write(...operation: number[]): number;
  flush(): void;
}

export function createEmitter(start: Position): Emitter {
  const code: number[] = [];
  let { modulus, remainder, order } = start;
  let bits = 0;
  let reads: number[] = [];
  let words = 0;

  const flush = (): void => {
    if (words > 0) code.push(OP_RESERVE, words);
    if (bits > 0 || reads.length > 0) code.push(OP_NEED, Math.min(bits, POSITION_LIMIT));
    for (const word of reads) code.push(word);
    if (words > 0) code.push(OP_ADVANCE, words);
    bits = 0;
    reads = [];
    words = 0;
  };
  const skip = (size: number): void => {
    bits += size;
    remainder = (remainder + size) % modulus;
  };
  const write = (...operation: number[]): number => {
    flush();
    code.push(...operation);
    return code.length - operation.length;
  };
  return {
    code,
    flush,
    skip,
    pass(size) {
      skip(size);
      order = undefined;
    },
    write,
    position: () => ({ modulus, remainder, order }),
    moveTo(position) {
      flush();
      ({ modulus, remainder, order } = position);
    },
    align(alignment) {
      if (alignment > LARGEST_ALIGNMENT) write(OP_UNSUPPORTED);
      else if (alignment <= modulus) skip((alignment - (remainder % alignment)) % alignment);
      else {
        write(OP_ALIGN, alignment);
        modulus = alignment;
        remainder = 0;
      }
    },
    order(next) {
      const inByte = modulus < 8 || remainder % 8 !== 0;
      if (order !== undefined && order !== next && inByte) write(OP_ORDER);
      order = next;
    },
    offset: () => bits,
    atByte: () => modulus >= 8 && remainder % 8 === 0,
    read: (...operation) => void reads.push(...operation),
    take(count) {
      words += count;
      return words - count;
    },
  };
}

/** What holds after either of two ways. */
export function joinPositions(a: Position, b: Position): Position {
  let modulus = Math.min(a.modulus, b.modulus);
  while ((a.remainder - b.remainder) % modulus !== 0) modulus /= 2;
  return { modulus, remainder: a.remainder % modulus, order: a.order === b.order ? a.order : undefined };
}

/** What holds after an unknown number of pieces of `size` bits. */
export function loosenPosition(position: Position, size: number): Position {
  let modulus = position.modulus;
  while (size % modulus !== 0) modulus /= 2;
  return { modulus, remainder: position.remainder % modulus, order: undefined };
}
