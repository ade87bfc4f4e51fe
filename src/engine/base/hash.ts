/**
 * Hashes for tables whose keys the input chooses. Their factors are secrets of this thread, made anew each time: who
 * writes a trace cannot know which keys collide, and no trace makes a table slow. So nothing that is stored, shown or
 * reported may depend on a hash, nor on the order of slots. Compiled kernels do the same (`src/wasm/hash.ts`).
 *
 * The upper bits of a product with a random odd factor are a universal hash (Dietzfelbinger, Hagerup, Katajainen &
 * Penttonen, 1997): whichever two words, they share one of n slots with a probability of 2 / n at most. What `hashOf`
 * does before that leaves different words different, so it is true of them too. It is there for linear probing, which
 * would dwell on words at even distances: a secret factor as well, so that nobody can choose words which have them then.
 */

/** Factors as kernels import them. */
export const HASH_FACTORS = factors();

// Of their own, so that V8 takes them for constants.
const { hashFactor, slotFactor } = HASH_FACTORS;

function factors(): { readonly hashFactor: number; readonly slotFactor: number } {
  const [hashFactor, slotFactor] = crypto.getRandomValues(new Int32Array(2)).map((random) => random | 1);
  return { hashFactor, slotFactor };
}

/**
 * Hash of a word of 32 bits. Of several: hash of the next one, xor the hash of those before. Where one of them differs,
 * nothing outside knows it, so no other word can take it back.
 */
export function hashOf(word: number): number {
  const product = Math.imul(word, hashFactor);
  const mixed = Math.imul(product ^ (product >>> 16), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), slotFactor);
}

/** The slot at which to look first; `mask`: their number, a power of two above 1, less 1. */
export function firstSlot(hash: number, mask: number): number {
  return hash >>> Math.clz32(mask);
}
