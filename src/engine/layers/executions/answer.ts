/** The executions of one definition as plain columns: what is shown, compared, kept and written to files. Types only. */
import type { DisplayNs, Times } from '../../base/units.ts';
import type { ExecutionCounts, ExecutionDefinition } from './definition.ts';
import type { Metric } from './metrics.ts';
import type { Pools } from './pools.ts';

/** The thread in which executions end. */
export interface ExecutionThread {
  readonly row: string;
  /** Last known name, as it stands in frames; else its number. */
  readonly name: string;
  readonly tid: number;
  readonly host: number;
}

/** All executions of a definition, in order of begin, worker, end. */
export interface ExecutionsAnswer {
  readonly definition: ExecutionDefinition;
  readonly counts: ExecutionCounts;
  /** Left out: the kernel's trace does not know the thread that they end in. */
  readonly withoutThread: number;
  readonly threads: readonly ExecutionThread[];
  readonly length: number;
  /** Index in `threads`. */
  readonly thread: Int32Array;
  readonly from: Times<DisplayNs>;
  readonly to: Times<DisplayNs>;
  /** A value of each execution: `duration`, `running`, `blocked disk`, `begin.id` (`metrics.ts`). */
  readonly metrics: readonly Metric[];
  /** Threads of pools among the names of threads and frames. */
  readonly pools: Pools;
  /** No kernel was recorded: times are elapsed times of the threads, and nothing tells whether they ran. */
  readonly isElapsed: boolean;
  /** Calling contexts of all executions: node 0 is the root, parents come before their children. */
  readonly tree: {
    readonly frames: readonly string[];
    /** Parent by node; -1: root. */
    readonly parent: Int32Array;
    /** Index in `frames` by node; -1: root. */
    readonly frame: Int32Array;
  };
  /** Execution i spent `ns[j]` in node `nodes[j]` itself, for j from start[i] to start[i + 1]; they add up to its duration. */
  readonly start: Uint32Array;
  readonly nodes: Int32Array;
  readonly ns: Float64Array;
}
