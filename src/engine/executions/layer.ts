/** Executions as a layer: the events that delimit them are read when somebody says which these are. */
import type { EventShape } from '../layers/event-shapes.ts';
import type { Layer } from '../layers/layer.ts';
import { CANDIDATE_TABLES, type ExecutionCandidates, executionCandidates } from './candidates.ts';
import type { ExecutionDefinition } from './definition.ts';
import { COUNT_RULES, COUNTED_EVENTS } from './marks/counted.ts';
import { EXECUTIONS, marks } from './marks/mark-analysis.ts';
import type { Marks } from './marks/marks.ts';
import { type MarkSettings, markSettings } from './marks/settings.ts';

export interface FoundExecutions {
  /** Everything a definition could be made of. */
  readonly events: readonly EventShape[];
  readonly candidates: ExecutionCandidates;
}

/** It has no rows: a definition's spans are drawn as an overlay. */
export const executionLayer: Layer<FoundExecutions, readonly ExecutionDefinition[], MarkSettings, Marks> = {
  id: EXECUTIONS,
  title: 'Execution',
  schemes: {},
  tables: [CANDIDATE_TABLES, COUNTED_EVENTS, COUNT_RULES],
  find: (trace) => ({ events: trace.events, candidates: executionCandidates(trace) }),
  first: () => undefined,
  settings: markSettings,
  analysis: marks,
  rows: () => [],
  interval: () => ({ text: '', hasEnd: true }),
};
