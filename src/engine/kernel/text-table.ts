/**
 * Texts of one chunk, each once: rows point into bytes, leaves carry small indices. Texts are compared as bytes, so that
 * no string is made for a text that is known already.
 */
export interface TextTable {
  /** The texts in order of their first use. */
  readonly texts: string[];
  /** Index of the text in `bytes` [offset, offset + length). */
  ofBytes(bytes: Uint8Array, offset: number, length: number): number;
  /** Index of a text that does not come from the rows. */
  ofText(text: string): number;
}

/** Faulty UTF-8 is replaced, as everywhere. */
export function createTextTable(): TextTable {
  const texts: string[] = [];
  const byText = new Map<string, number>();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  // Open addressing over the hash of the bytes; `kept` holds the bytes behind each slot's text.
  let mask = 255;
  let slots = new Int32Array(mask + 1).fill(-1);
  let used = 0;
  const kept: Uint8Array[] = [];
  const hashes: number[] = [];
  const textOf: number[] = [];

  function ofText(text: string): number {
    const known = byText.get(text);
    if (known !== undefined) return known;
    byText.set(text, texts.length);
    return texts.push(text) - 1;
  }

  function ofBytes(bytes: Uint8Array, offset: number, length: number): number {
    let hash = length;
    for (let i = offset; i < offset + length; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0;
    let slot = (Math.imul(hash, 0x9e3779b1) >>> 7) & mask;
    for (let entry = slots[slot]; entry >= 0; entry = slots[slot]) {
      if (hashes[entry] === hash && equalBytes(kept[entry], bytes, offset, length)) return textOf[entry];
      slot = (slot + 1) & mask;
    }
    const own = bytes.slice(offset, offset + length);
    const entry = kept.push(own) - 1;
    hashes.push(hash);
    textOf.push(ofText(decoder.decode(own)));
    slots[slot] = entry;
    if (++used * 2 > mask) rehash();
    return textOf[entry];
  }

  function rehash(): void {
    mask = mask * 2 + 1;
    slots = new Int32Array(mask + 1).fill(-1);
    for (let entry = 0; entry < kept.length; entry++) {
      let slot = (Math.imul(hashes[entry], 0x9e3779b1) >>> 7) & mask;
      while (slots[slot] >= 0) slot = (slot + 1) & mask;
      slots[slot] = entry;
    }
  }

  return { texts, ofBytes, ofText };
}

function equalBytes(own: Uint8Array, bytes: Uint8Array, offset: number, length: number): boolean {
  if (own.length !== length) return false;
  for (let i = 0; i < length; i++) if (own[i] !== bytes[offset + i]) return false;
  return true;
}
