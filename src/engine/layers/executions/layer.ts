/** Executions as a layer: the events that delimit them are read when somebody says which these are. */
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer } from '../contract/layer.ts';
import { CANDIDATE_TABLES, type ExecutionCandidates, executionCandidates } from './candidates.ts';
import type { ExecutionDefinition } from './definition.ts';
import { COUNT_RULES, COUNTED_KINDS } from './delimiters/counted.ts';
import { EXECUTIONS, markMap } from './delimiters/mark-map.ts';
import { MarkReducer } from './delimiters/mark-reducer.ts';
import type { Marks } from './delimiters/marks.ts';
import { type MarkSettings, markSettings } from './delimiters/settings.ts';

export interface FoundExecutions {
  /** Events that a definition could be made of. */
  readonly events: readonly EventShape[];
  readonly candidates: ExecutionCandidates;
}

/** Layer without rows: a definition's spans are drawn as an overlay. */
export const executionLayer: Layer<FoundExecutions, readonly ExecutionDefinition[], MarkSettings, Marks> = {
  id: EXECUTIONS,
  title: 'Execution',
  schemes: {},
  tables: [CANDIDATE_TABLES, COUNTED_KINDS, COUNT_RULES],
  find: (trace) => ({ events: trace.events, candidates: executionCandidates(trace) }),
  first: () => undefined,
  settings: markSettings,
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...markMap.of(settings),
    version: 1,
    reducer: (_, { index }) => new MarkReducer(settings, kernelThreads(index)),
  }),
  rows: () => [],
  interval: () => ({ text: '', hasEnd: true }),
};
