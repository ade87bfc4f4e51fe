/** Content of a database of executions: numbers, texts and columns (docs/developer/executions-file.md). */

/** Largest difference of numbers that is exact and is written exactly. */
const LARGEST = 2 ** 50;

const DIFFERENCES = 0;
const DOUBLES = 1;

/** Writes the content. */
export class ContentWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** Bytes written so far. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /**
   * @param value a whole number from 0 to 2^53 - 1: seven bits per byte, lowest first; the eighth means that more
   * follow
   */
  number(value: number): void {
    this.#reserve(8);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) + 128;
    this.#bytes[this.#length++] = rest;
  }

  /** Writes UTF-8 after its length in bytes. */
  text(text: string): void {
    const bytes = this.#encoder.encode(text);
    this.number(bytes.length);
    this.#append(bytes);
  }

  list<T>(items: readonly T[], write: (item: T) => void): void {
    this.number(items.length);
    items.forEach(write);
  }

  /** Writes each number as difference to the one before; if any is too large or not whole, all as doubles. */
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

/** Bytes of the longest number. */
const LONGEST = 8;

/** An inconsistency, and its byte in the content. */
export interface Mistake {
  readonly byte: number;
  readonly found: string;
}

/**
 * Reads the output of `ContentWriter`; robust against any bytes: after the first `mistake` all is empty or 0. Lists
 * fit the bytes.
 */
export class ContentReader {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #at = 0;
  #mistake: Mistake | undefined;

  constructor(private readonly bytes: Uint8Array) {}

  /** Undefined: everything was consistent so far. */
  get mistake(): Mistake | undefined {
    return this.#mistake;
  }

  /** Notes an inconsistency; the first one counts. */
  refuse(found: string): void {
    this.#mistake ??= { byte: this.#at, found };
  }

  number(): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < LONGEST && this.#mistake === undefined; i++, unit *= 128) {
      if (this.#at >= this.bytes.length) break;
      const byte = this.bytes[this.#at++];
      value += (byte & 127) * unit;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    this.refuse(this.#at >= this.bytes.length ? 'the end' : 'a number of more than 53 bits');
    return 0;
  }

  /** Number of items that follow, each at least a byte. */
  count(): number {
    const count = this.number();
    if (count <= this.bytes.length - this.#at) return count;
    this.refuse(`${count} items in ${this.bytes.length - this.#at} bytes`);
    return 0;
  }

  text(): string {
    const length = this.count();
    const bytes = this.bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    try {
      return this.#decoder.decode(bytes);
    } catch {
      this.refuse('a text that is no UTF-8');
      return '';
    }
  }

  list<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.count(); left > 0 && this.#mistake === undefined; left--) items.push(read());
    return items;
  }

  /** @param length of the column, which is not written with it */
  column(length: number): Float64Array {
    const kind = this.number();
    const left = this.bytes.length - this.#at;
    if (kind > DOUBLES || length * (kind === DOUBLES ? 8 : 1) > left)
      this.refuse(`a column of kind ${kind} and ${length} values in ${left} bytes`);
    if (this.#mistake !== undefined) return new Float64Array(0);
    return kind === DIFFERENCES ? this.#differences(length) : this.#doubles(length);
  }

  /** Whole numbers, all in [least, end). */
  wholes(length: number, least: number, end: number): Int32Array {
    const values = this.column(length);
    const wrong = values.find((value) => !(Number.isInteger(value) && value >= least && value < end));
    if (wrong !== undefined) this.refuse(`${wrong} where numbers from ${least} to ${end - 1} are expected`);
    return this.#mistake === undefined ? Int32Array.from(values) : new Int32Array(0);
  }

  /** Refuses bytes that are left, as nothing more is expected. */
  end(): void {
    const left = this.bytes.length - this.#at;
    if (left > 0) this.refuse(`${left} bytes behind the end`);
  }

  #doubles(length: number): Float64Array {
    const end = this.#at + 8 * length;
    const values = new Float64Array(this.bytes.slice(this.#at, end).buffer);
    this.#at = end;
    return values;
  }

  #differences(length: number): Float64Array {
    const values = new Float64Array(length);
    let before = 0;
    for (let i = 0; i < length && this.#mistake === undefined; i++) {
      const code = this.number();
      if (code === 0) values[i] = NaN;
      else values[i] = before += code % 2 === 0 ? code / -2 : (code - 1) / 2;
      if (Math.abs(before) > LARGEST) this.refuse(`the number ${before}`);
    }
    return values;
  }
}
