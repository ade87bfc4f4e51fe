/** The analyses of a run, told apart by what becomes of their leaves: aggregates are merged, histories are reduced. */
import type { HistorySink } from '../history/types.ts';
import type {
  Analysis,
  CpuContext,
  EventBatch,
  HistoryAnalysis,
  ProjectionPlan,
  TransitionLeaf,
} from './contract.ts';
import { compileProjections } from './projection.ts';

export type AnyAggregate = Analysis<unknown, unknown>;
export type AnyHistory = HistoryAnalysis<TransitionLeaf, HistorySink>;
export type AnyAnalysis = AnyAggregate | AnyHistory;

/** Computed once for a part of a chunk, for all analyses that use it. */
export type ContextOf = (batch: EventBatch) => CpuContext;

export interface AnalysisSet {
  /** Those whose reducers others need come first; otherwise as given. */
  readonly all: readonly AnyAnalysis[];
  readonly aggregates: readonly AnyAggregate[];
  readonly histories: readonly AnyHistory[];
  readonly plan: ProjectionPlan;
  readonly contextOf: ContextOf;
}

export function createAnalysisSet(analyses: readonly AnyAnalysis[], contextOf: ContextOf): AnalysisSet {
  const all = inOrderOfNeed(analyses);
  return {
    all,
    aggregates: all.filter((analysis) => !isHistory(analysis)) as AnyAggregate[],
    histories: all.filter(isHistory),
    plan: compileProjections(all.map(({ reads }) => reads)),
    contextOf,
  };
}

export function isHistory(analysis: AnyAnalysis): analysis is AnyHistory {
  return 'reducer' in analysis;
}

/** Needs that are not in the list are not waited for. */
function inOrderOfNeed(analyses: readonly AnyAnalysis[]): AnyAnalysis[] {
  const ordered = new Set<AnyAnalysis>();
  const visit = (analysis: AnyAnalysis, path: readonly AnyAnalysis[]): void => {
    if (path.includes(analysis)) throw new Error(`analyses need each other: ${analysis.id}`);
    for (const id of analysis.needs ?? []) {
      const needed = analyses.find((other) => other.id === id);
      if (needed !== undefined) visit(needed, [...path, analysis]);
    }
    ordered.add(analysis);
  };
  for (const analysis of analyses) visit(analysis, []);
  return [...ordered];
}
