/** Writes the content of a database of executions: numbers, texts and columns, as docs/developer/executions-file.md says. */

/** Differences of numbers up to this size are exact, and so is what is written of them. */
export const LARGEST = 2 ** 50;

/** Codes of how a column is written. */
export const DIFFERENCES = 0;
export const DOUBLES = 1;

export class ContentWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** Bytes that were written. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** @param value a whole number from 0 to 2^53 - 1: seven bits in each byte, lowest first; the eighth says that more follow */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
  }

  /** UTF-8 behind its length in bytes. */
  text(text: string): void {
    const bytes = this.#encoder.encode(text);
    this.number(bytes.length);
    this.#append(bytes);
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.number(items.length);
    items.forEach(write);
  }

  /** Each number as its difference to the one before. Where one is no whole number of that size, all as doubles. */
  column(values: ArrayLike<number>): void {
    const length = values.length;
    let isWhole = true;
    for (let i = 0; i < length && isWhole; i++) isWhole = canDiffer(values[i]);
    this.number(isWhole ? DIFFERENCES : DOUBLES);
    if (!isWhole) return this.#append(new Uint8Array(Float64Array.from(values).buffer));
    let before = 0;
    for (let i = 0; i < length; i++) {
      const value = values[i];
      if (Number.isNaN(value)) this.number(0);
      else {
        const difference = value - before;
        this.number(difference < 0 ? -2 * difference : 2 * difference + 1);
        before = value;
      }
    }
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

function canDiffer(value: number): boolean {
  return (
    Number.isNaN(value) || (Number.isInteger(value) && Math.abs(value) <= LARGEST && !Object.is(value, -0))
  );
}
