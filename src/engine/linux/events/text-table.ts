/**
 * Distinct texts of one chunk: rows point into bytes, chunk results carry small indices. Texts are compared by their
 * bytes, so that no string is made for a known text.
 */
import { widened } from '../../base/columns.ts';
import { firstSlot, hashOf } from '../../base/hash.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** Decodes a text. Invalid UTF-8 is replaced, so that two texts may read the same. */
export function textOfBytes(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function bytesOfText(text: string): Uint8Array {
  return encoder.encode(text);
}

const FIRST_BYTES = 1024;
const FIRST_SLOTS = 256;

/** Table that begins empty, like other tables (`columns.ts`). */
export class TextTable {
  /** Texts in order of their first use. */
  readonly texts: string[] = [];
  /** Bytes of all texts, one after the other: text i is [#begin[i], #begin[i + 1]). */
  #bytes = new Uint8Array(0);
  #begin = new Int32Array(1);
  #hash = new Int32Array(0);
  /** Open addressing by hash, less than half full: index of a text, -1 free. The capacity is a power of two. */
  #slots = Int32Array.of(-1, -1);

  /** Index of the text in `bytes` [offset, offset + length). */
  ofBytes(bytes: Uint8Array, offset: number, length: number): number {
    const hash = hashOfBytes(bytes, offset, length);
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = firstSlot(hash, mask);
    for (let text = slots[slot]; text >= 0; text = slots[slot]) {
      if (this.#hash[text] === hash && this.equals(text, bytes, offset, length)) return text;
      slot = (slot + 1) & mask;
    }
    return this.#add(bytes.subarray(offset, offset + length), hash);
  }

  /** Index of a text that does not come from the rows. */
  ofText(text: string): number {
    const bytes = bytesOfText(text);
    return this.ofBytes(bytes, 0, bytes.length);
  }

  /** Whether text `index` has these bytes: cheaper than a look-up, for a guess. */
  equals(index: number, bytes: Uint8Array, offset: number, length: number): boolean {
    const begin = this.#begin[index];
    if (this.#begin[index + 1] - begin !== length) return false;
    const own = this.#bytes;
    for (let i = 0; i < length; i++) if (own[begin + i] !== bytes[offset + i]) return false;
    return true;
  }

  #add(own: Uint8Array, hash: number): number {
    if (2 * (this.texts.length + 1) >= this.#slots.length) this.#widenSlots();
    const text = this.texts.push(textOfBytes(own)) - 1;
    const begin = this.#begin[text];
    const end = begin + own.length;
    if (end > this.#bytes.length) this.#bytes = widened(this.#bytes, Math.max(FIRST_BYTES, 2 * end));
    this.#bytes.set(own, begin);
    this.#begin[text + 1] = end;
    this.#hash[text] = hash;
    this.#link(text);
    return text;
  }

  #link(text: number): void {
    const mask = this.#slots.length - 1;
    let slot = firstSlot(this.#hash[text], mask);
    while (this.#slots[slot] >= 0) slot = (slot + 1) & mask;
    this.#slots[slot] = text;
  }

  #widenSlots(): void {
    const capacity = Math.max(FIRST_SLOTS, 2 * this.#slots.length);
    this.#slots = new Int32Array(capacity).fill(-1);
    this.#begin = widened(this.#begin, capacity / 2 + 1);
    this.#hash = widened(this.#hash, capacity / 2);
    for (let text = 0; text < this.texts.length; text++) this.#link(text);
  }
}

function hashOfBytes(bytes: Uint8Array, offset: number, length: number): number {
  let hash = length;
  for (let i = offset; i < offset + length; i++) hash = hashOf(hash ^ bytes[i]);
  return hash;
}
