/** An analysis may read events that others read: nobody loses any. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AnyAggregate, type AnyAnalysis, isHistory } from '../../src/engine/analysis/analysis-set.ts';
import type { Analysis } from '../../src/engine/analysis/contract.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { SESSION_IDS, analysisSet } from '../../src/engine/registry.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { projectDir } from '../support/shared.ts';
import { filesOfFolder } from '../support/memory-files.ts';

/** Counts the events of one name. */
function counter(event: string): Analysis<number, number> {
  return {
    id: `count of ${event}`,
    version: 1,
    reads: { kinds: [{ kind: `my ${event}`, events: [event], fields: {} }] },
    map: ({ rows, plan }) => rows.kind.filter((kind) => kind === plan.kind(`my ${event}`)).length,
    merge: (chunkResults) => chunkResults.reduce((sum, chunkResult) => sum + chunkResult, 0),
    empty: 0,
    finish: (chunkResult) => chunkResult,
  };
}

const OURS = analysisSet(SESSION_IDS).all;

/** Stored bytes of the kernel state, and the result of every aggregate. */
async function results(folder: string, ...more: readonly AnyAnalysis[]): Promise<Record<string, unknown>> {
  const all = [...OURS, ...more];
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals: 4096 });
  const run = await runEngine(new Map(filesOfFolder(folder)), all, builder);
  const isKernel = run.experiment.traces.some(({ domain }) => domain === 'kernel');
  if (isKernel) builder.finish(kernelTables(run).end);
  const aggregates = all.filter((analysis): analysis is AnyAggregate => !isHistory(analysis));
  return {
    state: isKernel ? await blocksSha256(builder) : '',
    ...Object.fromEntries(
      aggregates.map((analysis) => [
        analysis.id,
        analysis.finish(run.outcome.chunkResults.whole(analysis, 0)),
      ]),
    ),
  };
}

describe('an analysis that reads events of others', () => {
  it.each(['syscall_entry_fsync', 'sched_switch', 'sched_*'])('%s', async (event) => {
    const folder = join(projectDir(), 'public/examples/disk-io/kernel');
    const alone = await results(folder);
    const { [`count of ${event}`]: counted, ...others } = await results(
      folder,
      counter(event) as AnyAnalysis,
    );
    expect(others).toEqual(alone);
    expect(counted).toBeGreaterThanOrEqual(20);
  });

  // The folder of user space alone: there every event is read for the rows of threads.
  it.each(['lockfight-mutex', 'lockfight-mutex/ust'])('locks of %s', async (trace) => {
    const folder = join(projectDir(), 'public/examples', trace);
    const event = 'lttng_ust_pthread:pthread_mutex_lock_req';
    const alone = await results(folder);
    const { [`count of ${event}`]: counted, ...others } = await results(
      folder,
      counter(event) as AnyAnalysis,
    );
    expect(others).toEqual(alone);
    expect(counted).toBe(138);
  });
});
