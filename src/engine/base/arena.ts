/** A piece of a memory that is handed out bit by bit, to any code that asks, until it is used up. */
import { aligned } from './tables.ts';

export class Arena {
  #at: number;
  readonly #end: number;

  /** Addresses, half-open; the first one is 8-aligned. */
  constructor(begin: number, end: number) {
    this.#at = begin;
    this.#end = end;
  }

  /** Address of so many bytes, 8-aligned, with anything in them; undefined: there are not as many left. */
  take(bytes: number): number | undefined {
    const at = this.#at;
    if (at + bytes > this.#end) return undefined;
    this.#at = aligned(at + bytes);
    return at;
  }
}
