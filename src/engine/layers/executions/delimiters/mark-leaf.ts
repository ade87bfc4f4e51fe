/** Chunk result of the delimiters of executions, in stream order. */
import { E_OWN, type EventLeaf } from '../../contract/event-chunk.ts';

/**
 * A definition's event: the thread (of the kernel: tid or -1, the one that runs; of programs: row of `contexts`), the
 * definition, the key's text, MATCHES and OF_PROGRAM, index of its first value.
 */
export const M_BEGIN = E_OWN;
export const M_END = E_OWN + 1;
/** Thread as of the kernel's events, index in the settings' `counted`, amount, its unit. */
export const M_COUNT = E_OWN + 2;

/** Flags. The conditions about fields hold. */
export const MATCHES = 1;
/** The event is one of user space. */
export const OF_PROGRAM = 2;

export interface MarkLeaf extends EventLeaf {
  /** Numbers of payloads; NaN: the event does not have it. */
  readonly values: Float64Array;
}
