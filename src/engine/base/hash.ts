/**
 * Hashes for tables whose keys come from the input. The factors are random and secret to this thread, so that the
 * author of a trace cannot know which keys collide and make a table slow. Therefore nothing that is stored, shown or
 * reported may depend on a hash, nor on the order of slots. Compiled kernels do the same (`src/wasm/hash.ts`).
 *
 * The upper bits of a product with a random odd factor are a universal hash (Dietzfelbinger, Hagerup, Katajainen &
 * Penttonen, 1997): any two words share one of n slots with a probability of at most 2 / n. `hashOf` maps different
 * words to different words before that, so this holds for its results too. It exists for linear probing, which is slow
 * on words at even distances: its factor is secret as well, so that nobody can choose words that have them afterwards.
 */

/** Factors for import by kernels. */
export const HASH_FACTORS = factors();

// Constants of their own, which V8 can inline.
const { hashFactor, slotFactor } = HASH_FACTORS;

function factors(): { readonly hashFactor: number; readonly slotFactor: number } {
  const [hashFactor, slotFactor] = crypto.getRandomValues(new Int32Array(2)).map((random) => random | 1);
  return { hashFactor, slotFactor };
}

/**
 * Hash of a 32-bit word. For several words: hash of the next one xor the hash of those before. The hash of a word is
 * secret, so no further word can be chosen to cancel a difference.
 */
export function hashOf(word: number): number {
  const product = Math.imul(word, hashFactor);
  const mixed = Math.imul(product ^ (product >>> 16), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), slotFactor);
}

/**
 * The slot to probe first.
 * @param mask number of slots, a power of two above 1, minus 1
 */
export function firstSlot(hash: number, mask: number): number {
  return hash >>> Math.clz32(mask);
}
