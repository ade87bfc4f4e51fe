/**
 * Many texts as one: it crosses threads and is kept in one piece, and a text is made when somebody asks for it. A trace
 * of many short processes has a hundred thousand names and ids, of which a page shows fifty.
 */
export interface TextColumn {
  /** All texts, one behind the other. */
  readonly text: string;
  /** Where each ends in `text`. */
  readonly end: Uint32Array;
}

/** Writes texts one after the other. */
export class TextWriter {
  #text = '';
  #length = 0;
  readonly #end: Uint32Array;

  /** @param most texts that there will be at most */
  constructor(most: number) {
    this.#end = new Uint32Array(most);
  }

  /** Puts a text behind the others. */
  add(text: string): void {
    this.#text += text;
    this.#end[this.#length++] = this.#text.length;
  }

  /** What was added so far. */
  column(): TextColumn {
    return { text: this.#text, end: this.#end.slice(0, this.#length) };
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
