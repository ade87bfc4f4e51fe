/** Several histories of a host in one run: each is what it is alone. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import type { HistoryId, HistorySink } from '../../src/engine/history/types.ts';
import { type KernelStateAnalysis, kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { type EngineOptions, runEngine } from '../support/engine-run.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { type BeatTables, beatsOf } from '../support/toy-layer.ts';
import { forAll } from '../support/for-all.ts';

const KERNEL = kernelState as AnyAnalysis;
const SWITCHES = beatsOf('sched_switch');

interface ReducedHistory {
  readonly tables: unknown;
  /** SHA-256 of all that would be stored. */
  readonly stored: string;
}

/** What comes of each history, by its id. */
async function historiesOf(
  files: TraceFiles,
  analyses: readonly AnyAnalysis[],
  options: EngineOptions = {},
  segmentIntervals = 4096,
): Promise<Record<HistoryId, ReducedHistory>> {
  const builders = new Map<HistoryId, HistoryBuilder>();
  const builderOf = (history: HistoryId): HistorySink => {
    const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals });
    builders.set(history, builder);
    return builder;
  };
  const { outcome } = await runEngine(files, analyses, builderOf, options);
  const perHistory: Record<HistoryId, ReducedHistory> = {};
  for (const [id, builder] of builders) {
    const tables = outcome.histories[0].get(id);
    builder.finish((tables as KernelTables | BeatTables).end);
    perHistory[id] = { tables, stored: await blocksSha256(builder) };
  }
  return perHistory;
}

describe('several histories of a host', () => {
  it('are the same bytes as each alone, whatever the chunks, their order and that of the analyses', async () => {
    const options = fc.record({
      seed: fc.nat(),
      chunkBytes: fc.constantFrom(1, 600, 5_000, 4 << 20),
      parallel: fc.constantFrom(1, 2, 7),
      segmentIntervals: fc.constantFrom(50, 700, 100_000),
      isFirst: fc.boolean(),
    });
    await forAll(15, [options], async ({ seed, chunkBytes, parallel, segmentIntervals, isFirst }) => {
      const { files } = simulate(settingsOf(seed));
      const disorder = { parallel, random: randomOf(seed) };
      const analyses = isFirst ? [SWITCHES, KERNEL] : [KERNEL, SWITCHES];
      const both = await historiesOf(files, analyses, { chunkBytes, disorder }, segmentIntervals);
      const alone = {
        ...(await historiesOf(files, [KERNEL], {}, segmentIntervals)),
        ...(await historiesOf(files, [SWITCHES], {}, segmentIntervals)),
      };
      expect(both).toEqual(alone);
    });
  });

  it('leave each other the compiled reducer', async () => {
    const { files } = simulate(settingsOf(3));
    const used: string[] = [];
    const kernel: KernelStateAnalysis = {
      ...kernelState,
      reducer(sink, host) {
        const reducer = kernelState.reducer(sink, host);
        const { merge } = reducer;
        const watched: Pick<typeof reducer, 'merge' | 'run'> = {
          merge: (chunkResults, limit) => (used.push('merge'), merge?.(chunkResults, limit)),
          run: () => used.push('run'),
        };
        return Object.assign(reducer, watched);
      },
    };
    const { [SWITCHES.id]: perHistory } = await historiesOf(files, [SWITCHES, kernel as AnyAnalysis]);
    expect((perHistory.tables as BeatTables).beats).toBeGreaterThan(50);
    expect(new Set(used)).toEqual(new Set(['merge']));
  });
});
