/** Distinct texts by number. */
export class TextList {
  readonly #numbers: Map<string, number>;

  /** @param list texts that have their numbers from the first, each once */
  constructor(readonly list: string[] = []) {
    this.#numbers = new Map(list.map((text, number) => [text, number]));
  }

  /** Number of a text, which is added if new. */
  indexOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.list.push(text) - 1;
    this.#numbers.set(text, number);
    return number;
  }
}
