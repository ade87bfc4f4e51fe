/**
 * Growing columns into which a decoder writes the rows of one chunk after the other; memory is kept, as new pages
 * cost time. Rows are valid until the next chunk.
 */
import type { Machine } from '../run/interpreter.ts';
import type { Rows } from './rows.ts';

const FEWEST_ROWS = 1024;
/** Limits on the room that is kept, so that one dense chunk does not hold memory for good. */
const MOST_ROWS_KEPT = 2 ** 21;
const MOST_WORDS_KEPT = 2 ** 24;

export class RowBuffer {
  /** Number of rows. The packet loop keeps its own copy and writes it back. */
  length = 0;
  time = new Float64Array(FEWEST_ROWS);
  kind = new Uint16Array(FEWEST_ROWS);
  eventClass = new Uint16Array(FEWEST_ROWS);
  at = new Uint32Array(FEWEST_ROWS);

  /** @param machine writes the rows' words */
  constructor(private readonly machine: Machine) {}

  /** Begins a chunk. Words that no field fills are 0. */
  clear(): void {
    const machine = this.machine;
    if (machine.words.length > MOST_WORDS_KEPT) machine.words = new Int32Array(0);
    else machine.words.fill(0, 0, machine.out);
    machine.out = 0;
    this.length = 0;
    if (this.time.length > MOST_ROWS_KEPT) this.#allocate(FEWEST_ROWS);
  }

  /** Adds rows that are not filled yet. */
  add(count: number): void {
    while (this.length + count > this.time.length) this.grow();
    this.length += count;
  }

  /** Makes room for more rows; replaces the columns. */
  grow(): void {
    const { time, kind, eventClass, at } = this;
    this.#allocate(2 * time.length);
    this.time.set(time);
    this.kind.set(kind);
    this.eventClass.set(eventClass);
    this.at.set(at);
  }

  /** @param bytes that the texts of the rows point into */
  rows(bytes: Uint8Array): Rows {
    const { length } = this;
    const { words, out } = this.machine;
    return {
      length,
      time: this.time.subarray(0, length),
      kind: this.kind.subarray(0, length),
      eventClass: this.eventClass.subarray(0, length),
      at: this.at.subarray(0, length),
      words: words.subarray(0, out),
      bytes,
    };
  }

  #allocate(capacity: number): void {
    this.time = new Float64Array(capacity);
    this.kind = new Uint16Array(capacity);
    this.eventClass = new Uint16Array(capacity);
    this.at = new Uint32Array(capacity);
  }
}
