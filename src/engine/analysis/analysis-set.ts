/** The analyses of a run, by how chunk results are combined: of aggregates merged, those of histories reduced. */
import type { HistorySink } from '../history/types.ts';
import type {
  AggregateMap,
  Analysis,
  EventMap,
  HistoryAnalysis,
  ProjectionPlan,
  TransitionChunk,
} from './contract.ts';
import { compileProjections } from './projection.ts';
import { createKindFinder } from '../ctf/decode/event-projection.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import type { Chunk, Experiment } from '../trace/types.ts';

export type AnyAggregate = Analysis<unknown, unknown>;
export type AnyHistory = HistoryAnalysis<TransitionChunk, HistorySink>;
export type AnyAnalysis = AnyAggregate | AnyHistory;

export type AnyMap = EventMap<unknown> | AggregateMap<unknown>;

/** Maps of a run's analyses: the part that decode workers need. */
export interface MapSet {
  readonly all: readonly AnyMap[];
  readonly plan: ProjectionPlan;
}

export interface AnalysisSet extends MapSet {
  readonly all: readonly AnyAnalysis[];
  readonly aggregates: readonly AnyAggregate[];
  readonly histories: readonly AnyHistory[];
}

export function createMapSet<One extends AnyMap>(
  all: readonly One[],
): MapSet & { readonly all: readonly One[] } {
  return { all, plan: compileProjections(all.map(({ reads }) => reads)) };
}

export function createAnalysisSet(all: readonly AnyAnalysis[]): AnalysisSet {
  return {
    ...createMapSet(all),
    aggregates: all.filter((analysis) => !isHistory(analysis)) as AnyAggregate[],
    histories: all.filter(isHistory),
  };
}

export function isHistory(analysis: AnyAnalysis): analysis is AnyHistory {
  return 'reducer' in analysis;
}

export function isAggregateMap(map: AnyMap): map is AggregateMap<unknown> {
  return 'merge' in map;
}

/** Chunks of streams that may contain an event that some analysis reads. */
export function chunksRead(experiment: Experiment, { plan }: Pick<AnalysisSet, 'plan'>): Chunk[] {
  /** Whether a stream may contain such an event, by trace and stream class. */
  const isRead = experiment.traces.map((trace) =>
    trace.model.streams.map(({ events }, streamClass) => {
      const kindsOf = createKindFinder(plan.requestOf(experiment, trace, streamClass));
      return events.some(({ name }) => kindsOf(name).length > 0);
    }),
  );
  return planChunks(experiment).filter(
    ({ trace, stream }) => isRead[trace][experiment.traces[trace].streams[stream].streamClass],
  );
}
