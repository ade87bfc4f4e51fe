/** Every registered layer: the same bytes and tables however the trace is cut and read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import {
  analysisOf,
  type AnyLayer,
  type LayerKernel,
  type LayerRow,
  type LayerTrace,
} from '../../src/engine/layers/contract/layer.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { type EngineOptions, runEngine, runStored } from '../support/engine-run.ts';
import {
  ALL_LAYERS,
  exampleOf,
  LAYERS_WITH_ROWS,
  layerTraceOf,
  wantedOf,
} from '../support/layer-examples.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { overlayTrace, type PacketOfEvents } from '../support/overlay-trace.ts';
import { type Random, randomOf } from '../support/simulator/random.ts';
import { lateIntervals } from '../../src/engine/linux/states/read/late-intervals.ts';
import { forAll } from '../support/for-all.ts';

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

/** Reads a layer with what is wanted of it; undefined: that is nothing. */
async function read(
  layer: AnyLayer,
  files: TraceFiles,
  trace: LayerTrace,
  options: EngineOptions,
): Promise<Read | undefined> {
  const wanted = wantedOf(layer, trace);
  if (wanted === undefined) return undefined;
  const settings = layer.settings(trace, wanted);
  const builder = new HistoryBuilder({ schemeOf: ([first]) => layer.schemes[first], segmentIntervals: 20 });
  // As a worker has it, by the id alone.
  const analysis = analysisOf(layer, layer.analysis(settings).id) as AnyAnalysis;
  const { outcome } = await runEngine(files, [analysis], builder, options);
  const end = outcome.spans[0].last;
  const log = outcome.histories[0].get(analysis.id);
  const kernel = layer.isOfStates === true ? await kernelOf(files, options) : undefined;
  const host = { index: 0, end, kernel, lastOf: () => Infinity, signal: new AbortController().signal };
  const tables = (await layer.complete?.(log, builder, host)) ?? log;
  builder.finish(end);
  return { tables, rows: layer.rows(settings, tables), stored: await blocksSha256(builder) };
}

/** The kernel's states of the trace's host. */
async function kernelOf(files: TraceFiles, options: EngineOptions): Promise<LayerKernel> {
  const { builder, tables } = await runStored(files, options, 500);
  return { tables, query: createQuery(builder, lateIntervals(tables)), logs: () => Promise.resolve(tables) };
}

const cuts = fc.record({
  seed: fc.nat(),
  chunkBytes: fc.constantFrom(1, 200, 5000, 4 << 20),
  parallel: fc.constantFrom(1, 2, 7),
});

describe.each(Object.entries(ALL_LAYERS))('layer %s', (word, layer) => {
  it('is the same whatever the chunks and their order, of an example', async () => {
    const { files, trace } = await exampleOf(layer);
    const example = new Map(files);
    const whole = await read(layer, example, trace, {});
    expect((whole?.rows.length ?? 0) > 0).toBe(word in LAYERS_WITH_ROWS);
    await forAll(3, [cuts], async ({ seed, chunkBytes, parallel }) => {
      const disorder = { parallel, random: randomOf(seed) };
      // The packets of an example hold thousands of events.
      const options = { chunkBytes: Math.max(chunkBytes, 5000), disorder };
      expect(await read(layer, example, trace, options)).toEqual(whole);
    });
  });

  it('is so of random events of user space, where it reads some', () =>
    forAll(12, [cuts], async ({ seed, chunkBytes, parallel }) => {
      const files = randomTrace(randomOf(seed));
      const trace = await layerTraceOf(files, (event) => (NAMES.includes(event) ? 1 : 0));
      const whole = await read(layer, files, trace, {});
      const disorder = { parallel, random: randomOf(seed) };
      expect(await read(layer, files, trace, { chunkBytes, disorder })).toEqual(whole);
    }));

  it('has ids that no other layer has', () => {
    const others = Object.values(ALL_LAYERS).filter((other) => other !== layer);
    const id = `${layer.id} {}`;
    expect(others.filter((other) => analysisOf(other, id) !== undefined)).toEqual([]);
  });
});
