/**
 * Reads what `ContentWriter` writes. The content may be anything: behind the first thing that makes no sense everything
 * is empty or 0, and `fault` says what it was. No list is longer than the bytes that are left.
 */
import { DIFFERENCES, DOUBLES, LARGEST } from './content-writer.ts';

/** Bytes of the longest number. */
const LONGEST = 8;

/** Mistake: what makes no sense, and at which byte of the content. */
export interface Mistake {
  readonly byte: number;
  readonly found: string;
}

export class ContentReader {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #at = 0;
  #mistake: Mistake | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** undefined: everything made sense so far. */
  get mistake(): Mistake | undefined {
    return this.#mistake;
  }

  /** Notes what makes no sense; the first one counts. */
  refuse(found: string): void {
    this.#mistake ??= { byte: this.#at, found };
  }

  number(): number {
    let value = 0;
    let unit = 1;
    for (let i = 0; i < LONGEST && this.#mistake === undefined; i++, unit *= 128) {
      if (this.#at >= this.#bytes.length) break;
      const byte = this.#bytes[this.#at++];
      value += (byte & 127) * unit;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    this.refuse(this.#at >= this.#bytes.length ? 'the end' : 'a number of more than 53 bits');
    return 0;
  }

  /** Number of items that follow, each of which takes a byte at least. */
  count(): number {
    const count = this.number();
    if (count <= this.#bytes.length - this.#at) return count;
    this.refuse(`${count} items in ${this.#bytes.length - this.#at} bytes`);
    return 0;
  }

  text(): string {
    const length = this.count();
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
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

  /** @param length of the column, which is not part of it */
  column(length: number): Float64Array {
    const kind = this.number();
    const left = this.#bytes.length - this.#at;
    if (kind > DOUBLES || length * (kind === DOUBLES ? 8 : 1) > left)
      this.refuse(`a column of kind ${kind} and ${length} values in ${left} bytes`);
    if (this.#mistake !== undefined) return new Float64Array(0);
    return kind === DIFFERENCES ? this.#differences(length) : this.#doubles(length);
  }

  /** Whole numbers, all of them from `least` on and below `end`. */
  wholes(length: number, least: number, end: number): Int32Array {
    const values = this.column(length);
    const wrong = values.find((value) => !(Number.isInteger(value) && value >= least && value < end));
    if (wrong !== undefined) this.refuse(`${wrong} where numbers from ${least} to ${end - 1} are expected`);
    return this.#mistake === undefined ? Int32Array.from(values) : new Int32Array(0);
  }

  /** Refuses what is left: nothing more is expected. */
  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left > 0) this.refuse(`${left} bytes behind the end`);
  }

  #doubles(length: number): Float64Array {
    const end = this.#at + 8 * length;
    const values = new Float64Array(this.#bytes.slice(this.#at, end).buffer);
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
