/** Call stacks in force: of each thread the latest one that was recorded at or before a time. */
import type { HostNs } from '../../base/units.ts';

/** Call stacks in force of one host. Threads are rows of the kernel's thread table of the host. */
export interface StacksInForce {
  /** Row of the stack tree in force; 0: none. */
  at(thread: number, time: HostNs): number;
  /** The first time after `time` at which another stack is in force; Infinity: never. */
  nextChange(thread: number, time: HostNs): HostNs;
  /** Names of the frames of a stack, outermost first. Neighbours of unknown frames are one frame. */
  textsOf(stack: number): readonly string[];
}

/** Stacks of a host without call stacks. */
export const NO_STACKS: StacksInForce = { at: () => 0, nextChange: () => Infinity, textsOf: () => [] };
