/** Every registered layer: the same bytes and tables however the trace is cut and read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';

import { openSource } from '../../src/engine/io/open-source.ts';
import { eventShapes } from '../../src/engine/layers/event-shapes.ts';
import { analysisOf, type AnyLayer, type LayerRow, type LayerTrace } from '../../src/engine/layers/layer.ts';
import { LAYERS } from '../../src/engine/registry.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { type EngineOptions, runEngine } from '../support/engine-run.ts';
import { memoryRefs } from '../support/memory-files.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { overlayTrace, type PacketOfEvents } from '../support/overlay-trace.ts';
import { type Random, randomOf } from '../support/simulator/random.ts';
import { toyLayer } from '../support/toy-layer.ts';
import { runsOf } from './runs.ts';

const ALL: readonly (readonly [string, AnyLayer])[] = Object.entries({ ...LAYERS, toy: toyLayer });
const NAMES = ['job:begin', 'job:end', 'other'];

/** Streams of two CPUs with events of three threads; some packets lost events. */
function randomTrace(random: Random): TraceFiles {
  const streamOf = (cpu: number): PacketOfEvents[] => {
    let time = 1_000_000;
    let lost = 0;
    return Array.from({ length: random.between(1, 6) }, () => ({
      lost: (lost += random.chance(0.2) ? 1 : 0),
      events: Array.from({ length: random.between(1, 12) }, () => {
        const name = random.pick(NAMES);
        const [vtid, id] = [random.between(1, 3), random.between(0, 3)];
        return { time: (time += random.between(0, 3)), cpu, name, vtid, id, path: '' };
      }),
    }));
  };
  return overlayTrace(NAMES, [streamOf(0), streamOf(1)]);
}

interface Read {
  readonly tables: unknown;
  readonly rows: readonly LayerRow[];
  /** SHA-256 of all that would be stored. */
  readonly stored: string;
}

/** Reads a layer with what it shows unasked; undefined: that is nothing. */
async function read(layer: AnyLayer, files: TraceFiles, options: EngineOptions): Promise<Read | undefined> {
  const experiment = await openExperiment(memoryRefs(files), openSource);
  const events = eventShapes(experiment);
  const trace: LayerTrace = {
    experiment,
    events,
    countOf: (event) => (events.some(({ name }) => name === event) ? 1 : 0),
    kernelThreads: () => undefined,
  };
  const wanted = layer.first(layer.find(trace));
  if (wanted === undefined) return undefined;
  const settings = layer.settings(trace, wanted);
  const builder = new HistoryBuilder({ schemeOf: ([first]) => layer.schemes[first], segmentTiles: 20 });
  // As a worker has it, by the id alone.
  const analysis = analysisOf(layer, layer.analysis(settings).id) as AnyAnalysis;
  const { outcome } = await runEngine(files, [analysis], builder, options);
  builder.finish(outcome.spans[0].last);
  const tables = outcome.histories[0].get(analysis.id);
  return { tables, rows: layer.rows(settings, tables), stored: await blocksSha256(builder) };
}

describe.each(ALL)('layer %s', (_, layer) => {
  it('is the same whatever the chunks and their order', async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.constantFrom(1, 200, 4 << 20),
        fc.constantFrom(1, 2, 7),
        async (seed, chunkBytes, parallel) => {
          const files = randomTrace(randomOf(seed));
          const whole = await read(layer, files, {});
          const disorder = { parallel, random: randomOf(seed) };
          expect(await read(layer, files, { chunkBytes, disorder })).toEqual(whole);
          rows += whole?.rows.length ?? 0;
        },
      ),
      { numRuns: runsOf(12) },
    );
    expect(rows).toBeGreaterThan(0);
  });

  it('has ids that no other layer has', () => {
    const others = ALL.map(([, other]) => other).filter((other) => other !== layer);
    const id = `${layer.id} {}`;
    expect(others.filter((other) => analysisOf(other, id) !== undefined)).toEqual([]);
  });
});
