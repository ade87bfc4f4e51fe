/** Decodes under Node: in this thread or in worker threads. What a run does not need is not loaded for it. */
import { availableParallelism } from 'node:os';
import { createMapSet } from '../engine/analysis/analysis-set.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import type { SessionExecutor } from '../engine/open/environment.ts';
import type { Experiment } from '../engine/trace/types.ts';
import type { DecodeSetup } from '../workers/decode-service.ts';
import type { IdleWorkers } from './worker-pool.ts';
import { createLocalExecutor } from '../workers/local-executor.ts';

/** Size of the largest trace that this thread decodes sooner than workers have started, bytes. */
const SMALL_BYTES = 16 * 2 ** 20;

/**
 * Number of decode workers for an experiment: one processor is for the thread that reduces what they read. One worker more
 * takes a seventh of processor time more on two processors, and gains nothing.
 * @param wanted the user's choice
 */
export function workersFor(experiment: Experiment, wanted: number | undefined): number {
  return wanted ?? (bytesOf(experiment) <= SMALL_BYTES ? 0 : Math.max(1, availableParallelism() - 1));
}

/** Size of all streams, bytes. */
export function bytesOf({ traces }: Experiment): number {
  return traces.flatMap(({ streams }) => streams).reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Starts what decodes chunks.
 * @param workers 0: this thread
 * @param idle as in `startPool`
 */
export async function startExecutor(
  setup: DecodeSetup,
  workers: number,
  idle?: IdleWorkers,
): Promise<SessionExecutor> {
  if (workers > 0) return (await import('./worker-pool.ts')).startPool(setup, workers, idle);
  const setOf =
    setup.analyses.length === 0 ? () => createMapSet([]) : (await import('../engine/maps.ts')).mapSet;
  return { ...createLocalExecutor(setup, openNodeSource, setOf), dispose: () => undefined };
}
