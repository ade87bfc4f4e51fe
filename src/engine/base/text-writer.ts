/** Writes columns of texts; separate, so that the start page, which only reads them, does not load it. */
import type { TextColumn } from './text-column.ts';

/** Number of texts joined at a time: appending each to a long string makes an object that lives until that is read. */
const JOINED = 1024;

/** Writes texts one after the other. */
export class TextWriter {
  /** All texts: those that were joined, then the last ones. */
  readonly #joined: string[] = [];
  #last: string[] = [];
  #characters = 0;
  #length = 0;
  readonly #end: Uint32Array;

  /** @param most upper bound of the number of texts */
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

/** Texts of two columns in a new order, in which numbers from `first.end.length` on are those of `second`. */
export function mergedTexts(first: TextColumn, second: TextColumn, order: Int32Array): TextColumn {
  const end = new Uint32Array(order.length);
  const pieces: string[] = [];
  const { length } = first.end;
  for (let i = 0, characters = 0; i < order.length;) {
    const column = order[i] < length ? first : second;
    const row = order[i] < length ? order[i] : order[i] - length;
    const from = row === 0 ? 0 : column.end[row - 1];
    const begin = i;
    // Texts that are adjacent in one column are copied as one piece.
    do end[i] = characters + column.end[row + i - begin] - from;
    while (++i < order.length && order[i] === order[i - 1] + 1 && order[i] !== length);
    pieces.push(column.text.slice(from, column.end[row + i - begin - 1]));
    characters = end[i - 1];
  }
  return { text: pieces.join(''), end };
}
