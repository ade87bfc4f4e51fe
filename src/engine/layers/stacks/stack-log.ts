/** Log of the call stacks of a host, as the reducer leaves it, before addresses are looked up in modules. */
import type { EventThread } from '../contract/event-threads.ts';
import type { FunctionEntries, LoadedModule, ProcessMemory } from './stack-tables.ts';

/** Process number that stands for the memory of the kernel. */
export const KERNEL = -1;

/** Stacks as they were recorded, or as entries and exits of functions make them; columns of equal length. */
export interface StackChanges {
  /** HostNs, ascending. */
  readonly times: Float64Array;
  /** Rows of the tree; -1: only the part in the kernel was recorded. */
  readonly stacks: Int32Array;
  /** Rows of the parts in the kernel. */
  readonly inside: Int32Array;
}

export interface LoggedThread extends EventThread {
  /** Whether entries or exits of functions were recorded of it. */
  readonly isEntered: boolean;
  /** Changes by entries and exits of functions where the thread has any, else by samples and contexts. */
  readonly changes: StackChanges;
  /** Rows of the log's frames. */
  readonly entries: FunctionEntries | undefined;
  /** HostNs, ascending. */
  readonly samples: Float64Array;
}

export interface StackLog {
  readonly tree: {
    /** The stack of the callers, an earlier row; -1 for row 0, which has no frames. */
    readonly parent: Int32Array;
    /** Row of `frames`. */
    readonly frame: Int32Array;
  };
  readonly frames: {
    /** KERNEL: it is an address of the kernel. */
    readonly process: Int32Array;
    readonly high: Int32Array;
    readonly low: Int32Array;
    readonly isReturn: Int32Array;
    /** Row of `names`, -1: it is an address. */
    readonly name: Int32Array;
  };
  readonly names: readonly string[];
  /** Stack of a thread in a system call without a stack of its own. */
  readonly notRecorded: number;
  /** Threads in order of their first stack. */
  readonly threads: readonly LoggedThread[];
  /** Modules in the order in which they were told. */
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
  /** Numbers of processes in namespaces of their own, as in the tables. */
  readonly inside: readonly (readonly [process: number, number: number])[];
  /** Events that were not used, by reason. */
  readonly problems: Readonly<Record<string, number>>;
}
