/** Other texts for texts: of the same size, the same one for the same text, and with nothing else of it. */
import { unitOf } from '../../ctf/model.ts';
import type { Disguise } from './text-mask.ts';

const FIRST_LETTER = 97;
const LETTERS = 26;
/** Bytes of texts that have one of their own; what comes later is the same for all. */
const MOST_BYTES = 64 * 1024 * 1024;

export class Pseudonyms {
  /** Number of texts that came before each, by its bytes. */
  readonly #numbers = new Map<string, number>();
  readonly #key = new TextDecoder('latin1');
  #bytes = 0;

  /** The letters count texts in the order in which they come. */
  readonly disguise: Disguise = (text, encoding) => {
    let number = this.#numberOf(text);
    const unit = unitOf(encoding);
    const place = encoding.endsWith('be') ? unit - 1 : 0;
    text.fill(0);
    for (let at = text.length - unit; at >= 0; at -= unit) {
      text[at + place] = FIRST_LETTER + (number % LETTERS);
      number = Math.floor(number / LETTERS);
    }
  };

  of(text: string): string {
    const bytes = new TextEncoder().encode(text);
    this.disguise(bytes, 'utf-8');
    return new TextDecoder().decode(bytes);
  }

  #numberOf(text: Uint8Array): number {
    const key = this.#key.decode(text);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    if (this.#bytes + text.length > MOST_BYTES) return number;
    this.#bytes += text.length;
    this.#numbers.set(key, number);
    return number;
  }
}
