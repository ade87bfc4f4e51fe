/** Rows of a text column by their texts. */
import { cachedByKey } from './cached-by-key.ts';
import { firstSlot, hashOf } from './hash.ts';
import type { TextColumn } from './text-column.ts';

/** Index of a column's rows by text: open addressing over row numbers, without a string for each row. */
class TextIndex {
  /** The first row with the same text, by row. */
  readonly first: Int32Array;
  readonly #column: TextColumn;
  /** Row numbers, -1: free. At most half are used; their number is a power of two. */
  readonly #slots: Int32Array;

  constructor(column: TextColumn) {
    const { text, end } = column;
    this.#column = column;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * end.length + 2))).fill(-1);
    this.first = new Int32Array(end.length);
    for (let row = 0, from = 0; row < end.length; from = end[row++]) {
      const slot = this.#slotOf(text, from, end[row]);
      if (this.#slots[slot] < 0) this.#slots[slot] = row;
      this.first[row] = this.#slots[slot];
    }
  }

  /** The first row with a text, or with the part [from, to) of one; -1: none. */
  find(text: string, from = 0, to = text.length): number {
    return this.#slots[this.#slotOf(text, from, to)];
  }

  /** The slot of a text, or the free slot where it belongs. */
  #slotOf(text: string, from: number, to: number): number {
    const mask = this.#slots.length - 1;
    let hash = to - from;
    for (let at = from; at < to; at += 2)
      hash = hashOf(hash ^ (text.charCodeAt(at) | (at + 1 < to ? text.charCodeAt(at + 1) << 16 : 0)));
    let slot = firstSlot(hash, mask);
    while (this.#slots[slot] >= 0 && !this.#isAt(this.#slots[slot], text, from, to)) slot = (slot + 1) & mask;
    return slot;
  }

  #isAt(row: number, text: string, from: number, to: number): boolean {
    const { text: own, end } = this.#column;
    const begin = row === 0 ? 0 : end[row - 1];
    if (end[row] - begin !== to - from) return false;
    for (let i = 0; i < to - from; i++)
      if (own.charCodeAt(begin + i) !== text.charCodeAt(from + i)) return false;
    return true;
  }
}

/** The index of a column, made when it is first asked for. */
export const textIndex = cachedByKey((column: TextColumn) => new TextIndex(column));
