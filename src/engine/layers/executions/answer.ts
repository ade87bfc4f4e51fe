/** The executions of one definition as plain columns, which are shown, compared, kept and exported. Types only. */
import type { DisplayNs, Times } from '../../base/units.ts';
import type { ExecutionCounts, ExecutionDefinition } from './definition.ts';
import type { Metric } from './metrics.ts';
import type { Pools } from './pools.ts';

/** Thread in which executions end. */
export interface ExecutionThread {
  readonly row: string;
  /** Last known name, as in frames; else its number. */
  readonly name: string;
  readonly tid: number;
  readonly host: number;
}

/** All executions of a definition, in order of begin, worker, end. */
export interface ExecutionsAnswer {
  readonly definition: ExecutionDefinition;
  readonly counts: ExecutionCounts;
  /** Executions left out because the kernel's trace does not have the thread that they end in. */
  readonly withoutThread: number;
  readonly threads: readonly ExecutionThread[];
  readonly length: number;
  /** Index in `threads`. */
  readonly thread: Int32Array;
  readonly from: Times<DisplayNs>;
  readonly to: Times<DisplayNs>;
  /** Values of each execution: `duration`, `running`, `blocked disk`, `begin.id` (`metrics.ts`). */
  readonly metrics: readonly Metric[];
  /** Thread pools among the names of threads and frames. */
  readonly pools: Pools;
  /** Whether no kernel was recorded, so that times are elapsed times and nothing tells whether threads ran. */
  readonly isElapsed: boolean;
  /** Calling contexts of all executions: node 0 is the root, parents come before their children. */
  readonly tree: {
    readonly frames: readonly string[];
    /** Parent by node; -1: root. */
    readonly parent: Int32Array;
    /** Index in `frames` by node; -1: root. */
    readonly frame: Int32Array;
  };
  /** Execution i spent `ns[j]` in node `nodes[j]` itself, for j from start[i] to start[i + 1]; they sum to its duration. */
  readonly start: Uint32Array;
  readonly nodes: Int32Array;
  readonly ns: Float64Array;
}
