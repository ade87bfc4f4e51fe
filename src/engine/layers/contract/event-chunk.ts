/** Chunk result of a layer whose events happen in threads, in stream order. */
import type { TransitionChunk } from '../../analysis/contract.ts';

/** A thread goes on the CPU: tid. */
export const E_SWITCH = 0;
/** Events were lost before this one: 1 of programs, 0 of the kernel. */
export const E_LOSS = 1;
/** Kinds of a layer's own begin here. */
export const E_OWN = 2;

/** Threads as contexts of events tell them. */
interface ContextRows {
  readonly length: number;
  /** -1: not told. */
  readonly vtid: Int32Array;
  readonly vpid: Int32Array;
  /** Inode number of the pid namespace of both (low 32 bits), 0 not told. */
  readonly namespace: Int32Array;
  /** Index in the chunk's texts, -1 none. */
  readonly process: Int32Array;
}

export interface EventContexts {
  readonly contexts: ContextRows;
  readonly texts: readonly string[];
}

/** Transitions that mappers of layers write (`LeafWriter`), with texts that arguments are indices of. */
export interface LayerChunk extends TransitionChunk {
  readonly kind: Uint8Array;
  readonly cpu: Int32Array;
  /** Index of its first argument. */
  readonly place: Uint32Array;
  readonly args: Int32Array;
  readonly texts: readonly string[];
}

export interface EventChunk extends LayerChunk, EventContexts {}
