/** Chunk result of the call stacks of a host, in stream order. */
import { E_OWN, type EventChunk } from '../contract/event-mapper.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import type { IntegerClass } from '../../ctf/model.ts';

// The first argument of these kinds is a row of `contexts` for a program's thread, or -1; then the second one is the
// thread by a kernel event, -1: the one that runs.
/**
 * A stack was recorded: row of the chunk's tree, -1: only its part in the kernel; 1 for a sample; row of its part in
 * the kernel.
 */
export const S_STACK = E_OWN;
/** A call ends: row of the chunk's tree, its duration in ns (low, high). */
export const S_CALL = E_OWN + 11;
/** A function was entered: row of the chunk's frames, that of its call site, -1: not recorded. */
export const S_ENTER = E_OWN + 1;
/** A function was left, likewise; -1: not recorded which. */
export const S_LEAVE = E_OWN + 2;

/** tid of a thread that ends. */
export const S_EXIT = E_OWN + 7;
/** tid of a thread that executes another program; 1: perf says so, before it tells what is mapped then. */
export const S_EXEC = E_OWN + 12;
/** A process is forked: its number, and that of the process that it is a copy of. */
export const S_FORK = E_OWN + 13;

// The first argument of these kinds is the thread by a kernel event, -1: the one that runs.
/** A call that opens a file: text of its path. */
export const S_OPEN = E_OWN + 8;
/** A call that maps memory: descriptor, -1: of no file; offset (low, high), length (low, high). */
export const S_MAP = E_OWN + 9;
/** A call that closes a descriptor: its number. */
export const S_CLOSE = E_OWN + 14;
/** A call that opens or maps returns: 1 for one that maps, result (low, high). */
export const S_RETURN = E_OWN + 10;

/** A file is mapped: process, text of its path, address (low, high), offset (low, high), length. */
export const S_MAPPED = E_OWN + 15;
/** Build of the file that a process maps next: process, text of its build id in hexadecimal digits. */
export const S_BUILD = E_OWN + 16;

/** Kinds of frames of a chunk. */
const PROGRAM_ADDRESS = 0;
export const KERNEL_ADDRESS = 1;
/** The lower word is an index in the chunk's texts, the upper one that of its file, -1: none; `isReturn` is its line. */
export const NAME = 2;

/** Stacks of a chunk: row 0 has no frames, each other one adds a frame to an earlier row. */
export interface ChunkStacks {
  readonly parent: Int32Array;
  readonly frame: Int32Array;
  /** PROGRAM_ADDRESS … NAME by frame. */
  readonly sort: Int32Array;
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** 1: a return address; for a NAME its line, -1: not recorded. */
  readonly isReturn: Int32Array;
}

export interface StackChunk extends EventChunk {
  readonly stacks: ChunkStacks;
}

/** Innermost frames of a recorded stack that are read. Tracers record fewer. */
const MOST_FRAMES = 1024;

const EMPTY = 0;

const NO_ADDRESSES = -1;

/** perf: numbers from here on (2^64 - 4095) tell the kind of the addresses after them. */
const FIRST_MARK = 0xfffff001;

const MARK_KERNEL = -128 >>> 0;

const ALL_BITS = 0xffffffff;

/** Lower half of the first address of the last page of memory. */
const LAST_PAGE = 0xfffff000;

export class StackInterner {
  readonly #frames = new TupleIndex();
  readonly #tree = new TupleIndex();
  /** Texts that list functions, files and lines, and their stacks. */
  readonly #lists = new TupleIndex();
  #ofLists: number[] = [];

  constructor() {
    this.clear();
  }

  /** Begins another chunk. */
  clear(): void {
    this.#frames.clear();
    this.#tree.clear();
    this.#tree.place(-1, -1, 0, 0);
    this.#lists.clear();
    this.#ofLists = [];
  }

  /** Row of an entered function, or of its call's return address. */
  entry(low: number, high: number, isReturn: 0 | 1, sort = PROGRAM_ADDRESS): number {
    return this.#frames.place(sort, high, low, isReturn);
  }

  /** Row of an entered function whose name is recorded: index of that text. */
  named(text: number): number {
    return this.#frames.place(NAME, -1, text, -1);
  }

  /**
   * Stack of a sequence of addresses, innermost first; -1: there are none.
   * @param bytes with the sequence in [offset, offset + length)
   * @param element class of the addresses, of 32 or 64 bits
   * @param from number of innermost addresses left out
   */
  addresses(
    bytes: Uint8Array,
    offset: number,
    length: number,
    element: IntegerClass,
    isKernel: boolean,
    from: number,
  ): number {
    const size = element.size / 8;
    const isWide = size === 8;
    const isLittle = element.byteOrder === 'le';
    const sort = isKernel ? KERNEL_ADDRESS : PROGRAM_ADDRESS;
    const lowOf = offset + (isWide && !isLittle ? 4 : 0);
    const highOf = offset + (isWide && isLittle ? 4 : 0);
    const count = length / size;
    // The innermost frame is the first one that is an address.
    let first = 0;
    for (; first < count; first++) {
      const low = wordAt(bytes, lowOf + first * size, isLittle);
      if (!isNowhere(low, isWide ? wordAt(bytes, highOf + first * size, isLittle) : low >> 31)) break;
    }
    if (first === count) return NO_ADDRESSES;
    let stack = EMPTY;
    for (let i = Math.min(count, first + from + MOST_FRAMES) - 1; i >= first + from; i--) {
      const low = wordAt(bytes, lowOf + i * size, isLittle);
      const high = isWide ? wordAt(bytes, highOf + i * size, isLittle) : 0;
      if (isNowhere(low, isWide ? high : low >> 31)) continue;
      stack = this.#on(stack, sort, high, low, i > first ? 1 : 0);
    }
    return stack;
  }

  /** Stack of a list of perf, in which marks tell the kind of the addresses after them. */
  markedAddresses(bytes: Uint8Array, offset: number, length: number, element: IntegerClass): number {
    const isLittle = element.byteOrder === 'le';
    const wordOf = (i: number, part: number) =>
      wordAt(bytes, offset + 8 * i + (isLittle === (part === 0) ? 0 : 4), isLittle);
    const isNone = (i: number) => wordOf(i, 0) === 0 && wordOf(i, 1) === 0;
    const isMark = (i: number) => wordOf(i, 1) >>> 0 === ALL_BITS && wordOf(i, 0) >>> 0 >= FIRST_MARK;
    let stack = EMPTY;
    let end = element.size === 64 ? Math.min(length / 8, MOST_FRAMES) : 0;
    while (end > 0) {
      let mark = end - 1;
      while (mark >= 0 && !isMark(mark)) mark--;
      const sort = mark >= 0 && wordOf(mark, 0) >>> 0 === MARK_KERNEL ? KERNEL_ADDRESS : PROGRAM_ADDRESS;
      for (let i = end - 1; i > mark; i--)
        if (!isNone(i)) stack = this.#on(stack, sort, wordOf(i, 1), wordOf(i, 0), i > mark + 1 ? 1 : 0);
      end = mark;
    }
    return stack;
  }

  /**
   * Stack of the functions that a text lists, with files and lines in two more texts; -1: no text. @param lists
   * indices of texts
   */
  functions(
    [functions, files, lines]: readonly number[],
    texts: readonly string[],
    textOf: (name: string) => number,
  ): number {
    const at = this.#lists.place(functions, files, lines, 0);
    const known = this.#ofLists.at(at);
    if (known !== undefined) return known;
    const parts = (list: number) =>
      list < 0 || texts[list] === '' ? [] : texts[list].split(';', MOST_FRAMES);
    const [ofFiles, ofLines] = [parts(files), parts(lines)];
    const names = parts(functions);
    let stack = EMPTY;
    for (let i = names.length - 1; i >= 0; i--) {
      const line = /^\d{1,9}$/.test(ofLines.at(i) ?? '') ? Number(ofLines[i]) : -1;
      const file = ofFiles.length > i && line >= 0 ? textOf(ofFiles[i]) : -1;
      stack = this.#on(stack, NAME, file, textOf(names[i]), file < 0 ? -1 : line);
    }
    this.#ofLists[at] = stack;
    return stack;
  }

  stacks(): ChunkStacks {
    return {
      parent: this.#tree.column(0),
      frame: this.#tree.column(1),
      sort: this.#frames.column(0),
      high: this.#frames.column(1),
      low: this.#frames.column(2),
      isReturn: this.#frames.column(3),
    };
  }

  #on(stack: number, sort: number, high: number, low: number, isReturn: number): number {
    return this.#tree.place(stack, this.#frames.place(sort, high, low, isReturn), 0, 0);
  }
}

/** Whether a number is no code address: 0, or in the last page, which ends lists of the kernel. */
function isNowhere(low: number, high: number): boolean {
  return high === 0 ? low === 0 : high === -1 && low >>> 0 >= LAST_PAGE;
}

/** 32 bits at a place, signed. */
function wordAt(bytes: Uint8Array, at: number, isLittle: boolean): number {
  return isLittle
    ? bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    : (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}
