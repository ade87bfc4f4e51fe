/** Settings of a trace's locks: plain data, stored and part of the id of the analysis. */
import type { KernelReads } from './kernel-calls.ts';
import type { LockEvent } from './providers.ts';

export interface LockSettings {
  /** Events of programs, in order of name. */
  readonly events: readonly LockEvent[];
  readonly kernel: KernelReads;
}
