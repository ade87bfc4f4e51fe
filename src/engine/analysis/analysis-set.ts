/** The analyses of a run, distinguished by what becomes of their leaves: aggregates are merged, histories are reduced. */
import type { HistorySink } from '../history/types.ts';
import type { Analysis, HistoryAnalysis, ProjectionPlan, TransitionLeaf } from './contract.ts';
import { compileProjections } from './projection.ts';

export type AnyAggregate = Analysis<unknown, unknown>;
export type AnyHistory = HistoryAnalysis<TransitionLeaf, HistorySink>;
export type AnyAnalysis = AnyAggregate | AnyHistory;

export interface AnalysisSet {
  readonly all: readonly AnyAnalysis[];
  readonly aggregates: readonly AnyAggregate[];
  readonly histories: readonly AnyHistory[];
  readonly plan: ProjectionPlan;
}

export function createAnalysisSet(all: readonly AnyAnalysis[]): AnalysisSet {
  return {
    all,
    aggregates: all.filter((analysis) => !isHistory(analysis)) as AnyAggregate[],
    histories: all.filter(isHistory),
    plan: compileProjections(all.map(({ reads }) => reads)),
  };
}

export function isHistory(analysis: AnyAnalysis): analysis is AnyHistory {
  return 'reducer' in analysis;
}
