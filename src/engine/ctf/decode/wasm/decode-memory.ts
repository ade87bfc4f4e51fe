/**
 * The memory of generated decoders, one per worker: each decoder begins by writing its own tables. Rows lie after the
 * packets, first their columns, then their words, and are read in place: they are valid until the next chunk of any
 * decoder of the memory. After them is an arena for compiled code that reads them.
 */
import { runsWebAssembly } from '../../../base/kernel-module.ts';
import { Arena } from '../../../base/tables.ts';
import { LARGEST_OUTPUT } from '../run/interpreter.ts';
import type { Rows, RowsInMemory } from '../rows/rows.ts';
import { STATE } from './memory-layout.ts';

const PAGE = 65_536;
const FIRST_PAGES = 16;
/** 1 GiB. */
const MOST_PAGES = 2 ** 14;
/** Limit on the memory that is kept, in bytes, so that one dense chunk does not hold memory for good. */
const MOST_BYTES_KEPT = 2 ** 27;
const FEWEST_ROWS = 2 ** 16;
const FEWEST_WORDS = 2 ** 18;
/** Bytes of the arena: for each row, for each packet, and a constant. */
const ARENA_ROW_BYTES = 176;
const ARENA_PACKET_BYTES = 144;
const ARENA_BYTES = 2 ** 22;
/** The arena begins at a multiple of these bytes and never shrinks, so that it is in the same place for most chunks. */
const ARENA_STEP = 2 ** 20;
const FEWEST_ARENA_ROWS = 2 ** 14;
const WORD_BYTES = 8;
/** Bytes of a row in the columns: time, place, kind, event class. */
const ROW_BYTES = 8 + 4 + 2 + 2;

export type DecoderKind = 'wasm' | 'ts';

/** False if the interpreter was asked for, there is no WebAssembly, or a content security policy forbids it. */
export function canGenerate(kind: DecoderKind = 'wasm'): boolean {
  return kind === 'wasm' && runsWebAssembly();
}

/** Undefined: no code can be generated, or the system gives no memory. */
export function openDecodeMemory(kind?: DecoderKind): DecodeMemory | undefined {
  return canGenerate(kind) ? getMemory(() => new DecodeMemory()) : undefined;
}

/** Addresses of the columns of so many rows. */
function columnsOf(begin: number, rows: number) {
  const place = begin + 8 * rows;
  const eventKind = place + 4 * rows;
  const eventClass = eventKind + 2 * rows;
  return { time: begin, place, kind: eventKind, eventClass, words: eventClass + 2 * rows };
}

export class DecodeMemory {
  /** Replaced when memory is given back: modules are then instantiated again. */
  memory: WebAssembly.Memory;
  /** Views, replaced by `begin` and `fitRow`. */
  bytes = new Uint8Array(0);
  ints = new Int32Array(0);
  doubles = new Float64Array(0);
  longs = new BigInt64Array(0);
  #capacity = FEWEST_ROWS;
  /** Number of rows that the arena is for, a power of two. */
  #arenaRows = FEWEST_ARENA_ROWS;

  /** @throws RangeError if the system gives no memory */
  constructor() {
    this.memory = newMemory();
    this.#view();
  }

  /**
   * Begins a chunk without rows.
   * @param image what the memory begins with
   * @param rows where rows may lie
   * @returns false when the system gives no memory
   */
  begin(image: Uint8Array, rows: number): boolean {
    if (this.bytes.length > MOST_BYTES_KEPT) {
      const memory = getMemory(newMemory);
      if (memory === undefined) return false;
      this.memory = memory;
      this.#capacity = FEWEST_ROWS;
      this.#arenaRows = FEWEST_ARENA_ROWS;
    }
    if (!this.#reach(rows + ROW_BYTES * this.#capacity + 4 * FEWEST_WORDS)) return false;
    this.bytes.set(image);
    this.ints[STATE.row / 4] = 0;
    this.#place(rows, 0);
    return true;
  }

  /** Makes room for a row with so many bytes of words, and for many more; false: there would be too many. */
  fitRow(bytes: number): boolean {
    const { ints } = this;
    const left = ints[STATE.outEnd / 4] - ints[STATE.out / 4];
    if (ints[STATE.row / 4] < this.#capacity && bytes <= left) return true;
    return this.#widen(ints[STATE.row / 4] === this.#capacity ? 2 * this.#capacity : this.#capacity);
  }

  /** Appends rows that are not filled yet; false when the system gives no memory. */
  addRows(count: number): boolean {
    const length = this.ints[STATE.row / 4] + count;
    let capacity = this.#capacity;
    while (capacity < length) capacity *= 2;
    if (capacity > this.#capacity && !this.#widen(capacity)) return false;
    this.ints[STATE.row / 4] = length;
    return true;
  }

  /** Makes room for so many rows and for more words; false: there would be too many. */
  #widen(capacity: number): boolean {
    const { ints } = this;
    const begin = ints[STATE.time / 4];
    const used = ints[STATE.out / 4] - ints[STATE.words / 4];
    const before = this.#capacity;
    // Doubling would exceed the limit.
    if (used > 2 * LARGEST_OUTPUT) return false;
    this.#capacity = capacity;
    if (!this.#reach(begin + ROW_BYTES * this.#capacity + 2 * used + 4 * FEWEST_WORDS)) return false;
    if (this.#capacity !== before) this.#spread(begin, before, used);
    this.#place(begin, used);
    return true;
  }

  /**
   * @param bytes that the texts of the rows point into
   * @param textBase see `RowsInMemory`; undefined: the texts are not in the memory
   */
  rows(bytes: Uint8Array, textBase: Int32Array | undefined): Rows {
    // Before views are made, as the memory may grow.
    const place = textBase && this.#arenaFor(textBase);
    const { buffer } = this.memory;
    const { ints } = this;
    const length = ints[STATE.row / 4];
    const words = ints[STATE.words / 4];
    return {
      length,
      time: new Float64Array(buffer, ints[STATE.time / 4], length),
      kind: new Uint16Array(buffer, ints[STATE.kind / 4], length),
      eventClass: new Uint16Array(buffer, ints[STATE.eventClass / 4], length),
      at: new Uint32Array(buffer, ints[STATE.place / 4], length),
      words: new Int32Array(buffer, words, (ints[STATE.out / 4] - words) / 4),
      bytes,
      place,
    };
  }

  /** undefined when the system gives no memory. */
  #arenaFor(textBase: Int32Array): RowsInMemory | undefined {
    const begin = ARENA_STEP * Math.ceil(this.ints[STATE.out / 4] / ARENA_STEP);
    while (this.#arenaRows < this.ints[STATE.row / 4]) this.#arenaRows *= 2;
    const capacity = this.#arenaRows;
    const end = begin + ARENA_BYTES + ARENA_ROW_BYTES * capacity + ARENA_PACKET_BYTES * textBase.length;
    // Whole words are read at its end.
    if (!this.#reach(end + WORD_BYTES)) return undefined;
    return { memory: this.memory, textBase, capacity, arena: new Arena(begin, end) };
  }

  /** Moves all columns but the first, and the words, to their places for a larger capacity, the last first. */
  #spread(begin: number, capacity: number, words: number): void {
    const from = columnsOf(begin, capacity);
    const to = columnsOf(begin, this.#capacity);
    const move = (name: keyof typeof to, length: number): void => {
      this.bytes.copyWithin(to[name], from[name], from[name] + length);
    };
    move('words', words);
    move('eventClass', 2 * capacity);
    move('kind', 2 * capacity);
    move('place', 4 * capacity);
  }

  /** Writes the places of rows into the state of generated code. */
  #place(begin: number, words: number): void {
    const { ints } = this;
    const columns = columnsOf(begin, this.#capacity);
    for (const name of ['time', 'place', 'kind', 'eventClass', 'words'] as const) {
      ints[STATE[name] / 4] = columns[name];
    }
    ints[STATE.rows / 4] = this.#capacity;
    ints[STATE.out / 4] = columns.words + words;
    ints[STATE.outEnd / 4] = Math.min(this.bytes.length, columns.words + 4 * LARGEST_OUTPUT);
  }

  /** Grows the memory to so many bytes; false when the system gives none. */
  #reach(bytes: number): boolean {
    const pages = Math.ceil(bytes / PAGE) - this.memory.buffer.byteLength / PAGE;
    if (pages > 0 && getMemory(() => this.memory.grow(pages)) === undefined) return false;
    if (this.bytes.buffer !== this.memory.buffer) this.#view();
    return true;
  }

  #view(): void {
    const { buffer } = this.memory;
    this.bytes = new Uint8Array(buffer);
    this.ints = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.longs = new BigInt64Array(buffer);
  }
}

/** Asks the system for memory; undefined: it gives none. */
function getMemory<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function newMemory(): WebAssembly.Memory {
  return new WebAssembly.Memory({ initial: FIRST_PAGES, maximum: MOST_PAGES });
}
