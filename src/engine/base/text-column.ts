/**
 * Many texts as one: it crosses threads and is kept in one piece, and a text is made when somebody asks for it. A trace
 * of many short processes has a hundred thousand names and ids, of which a page shows fifty.
 */
import { cachedByKey } from './cached-by-key.ts';
import { firstSlot, hashOf } from './hash.ts';

export interface TextColumn {
  /** All texts, one behind the other. */
  readonly text: string;
  /** End of each text in `text`. */
  readonly end: Uint32Array;
}

/** Texts that are joined at a time: each that is put to a long one is an object more until somebody reads that. */
const JOINED = 1024;

/** Writes texts one after the other. */
export class TextWriter {
  /** All texts: those that were joined, then the last ones. */
  readonly #joined: string[] = [];
  #last: string[] = [];
  #characters = 0;
  #length = 0;
  readonly #end: Uint32Array;

  /** @param most texts that there will be at most */
  constructor(most: number) {
    this.#end = new Uint32Array(most);
  }

  /** Puts a text behind the others. */
  add(text: string): void {
    this.#characters += text.length;
    this.#end[this.#length++] = this.#characters;
    if (this.#last.push(text) === JOINED) this.#join();
  }

  /** Column of the texts added so far. */
  column(): TextColumn {
    this.#join();
    return { text: this.#joined.join(''), end: this.#end.slice(0, this.#length) };
  }

  #join(): void {
    this.#joined.push(this.#last.join(''));
    this.#last = [];
  }
}

/** Texts as a column, in their order. */
export function packTexts(texts: readonly string[]): TextColumn {
  const writer = new TextWriter(texts.length);
  for (const text of texts) writer.add(text);
  return writer.column();
}

/** The text in row `i`. */
export function textAt({ text, end }: TextColumn, i: number): string {
  return text.slice(i === 0 ? 0 : end[i - 1], end[i]);
}

/** The rows of a column by their texts: open addressing over row numbers, and no string for each row. */
export class TextIndex {
  /** The first row with the same text, by row. */
  readonly first: Int32Array;
  readonly #column: TextColumn;
  /** A row, -1 free. At most half of them are taken; their number is a power of two. */
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

  /** The first row with a text, or with the part [from, to) of one; -1: none has it. */
  find(text: string, from = 0, to = text.length): number {
    return this.#slots[this.#slotOf(text, from, to)];
  }

  /** The slot of the text, or the free one where it would be. */
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
