/** Map from tuples of four words to dense indices in order of first use: open addressing on arrays, at most half full. */
import { widened } from './columns.ts';
import { firstSlot, hashOf } from './hash.ts';

const WIDTH = 4;

export class TupleIndex {
  length = 0;
  /** Words of all tuples in order. */
  #words = new Int32Array(0);
  /** Index of a tuple, -1: free. The capacity is a power of two. */
  #slots = Int32Array.of(-1, -1);

  /** Index of a tuple, which is added if new. */
  place(a: number, b: number, c: number, d: number): number {
    const mask = this.#slots.length - 1;
    let slot = firstSlot(hashOf(hashOf(hashOf(hashOf(a) ^ b) ^ c) ^ d), mask);
    for (let found = this.#slots[slot]; found >= 0; found = this.#slots[slot]) {
      if (this.#isAt(found * WIDTH, a, b, c, d)) return found;
      slot = (slot + 1) & mask;
    }
    return this.#add(slot, a, b, c, d);
  }

  /** Word 0 to 3 of a tuple. */
  word(index: number, word: number): number {
    return this.#words[index * WIDTH + word];
  }

  /** One word of all tuples. */
  column(word: number): Int32Array {
    const column = new Int32Array(this.length);
    for (let index = 0; index < column.length; index++) column[index] = this.#words[index * WIDTH + word];
    return column;
  }

  clear(): void {
    if (this.length === 0) return;
    this.length = 0;
    this.#slots.fill(-1);
  }

  #isAt(at: number, a: number, b: number, c: number, d: number): boolean {
    const words = this.#words;
    return words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d;
  }

  #add(slot: number, a: number, b: number, c: number, d: number): number {
    const index = this.length++;
    const at = index * WIDTH;
    if (at === this.#words.length) this.#words = widened(this.#words, Math.max(64, 2 * at));
    this.#words[at] = a;
    this.#words[at + 1] = b;
    this.#words[at + 2] = c;
    this.#words[at + 3] = d;
    this.#slots[slot] = index;
    if (2 * this.length >= this.#slots.length) this.#widen();
    return index;
  }

  #widen(): void {
    const mask = 2 * this.#slots.length - 1;
    this.#slots = new Int32Array(mask + 1).fill(-1);
    const words = this.#words;
    for (let index = 0, at = 0; index < this.length; index++, at += WIDTH) {
      const ofThree = hashOf(hashOf(hashOf(words[at]) ^ words[at + 1]) ^ words[at + 2]);
      let slot = firstSlot(hashOf(ofThree ^ words[at + 3]), mask);
      while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index;
    }
  }
}
