/** Texts by number, each once. */
export class TextList {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** Number of a text, which is added where it is new. */
  indexOf(text: string): number {
    const number = this.#numbers.get(text) ?? this.list.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
