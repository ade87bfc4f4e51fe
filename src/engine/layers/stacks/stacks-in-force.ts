/** Which call stack of a thread is in force at a time: the latest one that was recorded at or before it. */
import type { HostNs } from '../../base/units.ts';

/** Of one host. Threads are rows of the kernel's thread table of the host. */
export interface StacksInForce {
  /** Row of the stack tree in force; 0: none. */
  at(thread: number, time: HostNs): number;
  /** The first time after `time` at which another stack is in force; Infinity: never. */
  nextChange(thread: number, time: HostNs): HostNs;
  /** What the frames of a stack are called, outermost first. Neighbours of unknown frames are one frame. */
  textsOf(stack: number): readonly string[];
}

/** Of a host without call stacks. */
export const NO_STACKS: StacksInForce = { at: () => 0, nextChange: () => Infinity, textsOf: () => [] };
