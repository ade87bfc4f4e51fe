/** What the page asks about executions, and what it gets: plain columns. Types only. */
import type { DisplayNs, Times } from '../../base/units.ts';
import type { ExecutionCounts, ExecutionDefinition } from '../../executions/definition.ts';
import type { ExecutionPreview } from '../../executions/preview.ts';

export interface ExecutionsRequest {
  readonly definition: ExecutionDefinition;
  /** Names of C++ and Rust stay as they are in symbol tables. */
  readonly isMangled?: boolean;
}

/** The thread in which executions end. */
export interface ExecutionThread {
  /** Id of its row. */
  readonly row: string;
  readonly name: string;
  readonly tid: number;
  readonly host: number;
}

/** A value of each execution. */
export interface ExecutionMetric {
  /** `duration`, `running`, `blocked disk`, `begin.id`: see `engine/executions/metrics.ts`. */
  readonly name: string;
  /** By execution; NaN: it has none. */
  readonly values: Float64Array;
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
  readonly metrics: readonly ExecutionMetric[];
  /** Calling contexts of all executions: node 0 is the root, parents come before their children. */
  readonly tree: {
    readonly frames: readonly string[];
    /** By node; -1: root. */
    readonly parent: Int32Array;
    /** By node: index in `frames`; -1: root. */
    readonly frame: Int32Array;
  };
  /** Execution i spent `ns[j]` in node `nodes[j]` itself, for j from start[i] to start[i + 1]; they add up to its duration. */
  readonly start: Uint32Array;
  readonly nodes: Int32Array;
  readonly ns: Float64Array;
}

/** A definition that the events of a trace suggest. */
export type ExecutionProposal = ExecutionPreview;
