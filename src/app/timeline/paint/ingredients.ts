/** Things that the last painting showed: while they are the same, nothing is painted again. */
export class Ingredients {
  #last: readonly unknown[] = [];

  /** Whether these are not all the same as the last time; remembers them. */
  areNew(...things: readonly unknown[]): boolean {
    const last = this.#last;
    this.#last = things;
    return things.length !== last.length || things.some((thing, i) => thing !== last[i]);
  }

  /** The next ones are new, whatever they are. */
  forget(): void {
    this.#last = [];
  }
}
