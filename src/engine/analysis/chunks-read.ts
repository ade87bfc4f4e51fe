/** Chunks of an experiment that a run over some events reads. */
import { createKindFinder } from '../ctf/decode/event-projection.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import type { AnalysisSet } from './analysis-set.ts';

/** Chunks of streams that may have an event that is read. */
export function chunksRead(experiment: Experiment, { plan }: Pick<AnalysisSet, 'plan'>): Chunk[] {
  /** Whether streams have an event that is read, by trace and stream class. */
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
