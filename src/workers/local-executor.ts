/** Decodes in the caller's thread, where there are no workers. */
import type { MapSet } from '../engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../engine/analysis/chunk-mapper.ts';
import type { ChunkExecutor } from '../engine/analysis/driver.ts';
import { nextTask } from '../engine/base/next-task.ts';
import type { SourceOpener } from '../engine/io/byte-source.ts';
import type { DecodeSetup } from './decode-service.ts';

/** Runs chunks in this thread, two at a time, so that one is read while the other is decoded. */
export function createLocalExecutor(
  { experiment, analyses, decoder }: DecodeSetup,
  open: SourceOpener,
  setOf: (ids: readonly string[]) => MapSet,
): ChunkExecutor {
  const mapper = createChunkMapper(experiment, setOf(analyses), open, decoder);
  return {
    parallel: 2,
    async run(job) {
      // Lets messages in between two chunks: a cancel must not wait for the whole trace.
      await nextTask();
      return mapper.run(job);
    },
  };
}
