/** Requests and answers about executions, in plain columns. Types only. */
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { ExecutionPreview } from '../layers/executions/executions.ts';

export type { ExecutionsAnswer, ExecutionThread } from '../layers/executions/answer.ts';
export type { Metric as ExecutionMetric } from '../layers/executions/metrics.ts';

export interface ExecutionsRequest {
  readonly definition: ExecutionDefinition;
  /** Whether names of C++ and Rust stay mangled. */
  readonly isMangled?: boolean;
}

/** A definition that the events of a trace suggest. */
export type ExecutionProposal = ExecutionPreview;
