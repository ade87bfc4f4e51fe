/** Chunk result of the heap, in stream order. */
import { E_OWN, type EventLeaf } from '../contract/event-chunk.ts';

/** A block was allocated: row of `contexts`, address (low, high), bytes (low, high), row of `sites`. */
export const H_ALLOC = E_OWN;
/** A block was freed: row of `contexts`, address (low, high). */
export const H_FREE = E_OWN + 1;
/** An allocation failed: row of `contexts`. */
export const H_FAILED = E_OWN + 2;
/** An event does not have its address. */
export const H_WITHOUT_ADDRESS = E_OWN + 3;

/** Upper word of bytes that are not known. */
export const NOT_KNOWN = -1;

export interface HeapLeaf extends EventLeaf {
  /** Addresses of the calls of the allocator; 0: not recorded. */
  readonly sites: { readonly low: Int32Array; readonly high: Int32Array };
}
