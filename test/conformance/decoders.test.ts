/** Generated code gives what the interpreter gives, on every trace that opens. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import { SESSION_IDS, analysisSet } from '../../src/engine/registry.ts';
import { planChunks } from '../../src/engine/trace/chunk-plan.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';
import type { Experiment } from '../../src/engine/trace/types.ts';
import { bothDecoders, type BothDecoders, inputOf } from '../support/both-decoders.ts';
import {
  caseTraces,
  exampleTraces,
  recordedTraces,
  sharedDir,
  traceFolders,
  WITHOUT_SHARED,
  type TraceFolder,
} from '../support/shared.ts';
import { everyTenth } from '../support/tier.ts';
import { filesOfFolder, memoryRefs } from '../support/memory-files.ts';

const PROJECTIONS = {
  count: { kinds: [] },
  'kernel state': analysisSet(['kernel-state']).plan.request,
  'all analyses': analysisSet(SESSION_IDS).plan.request,
} as const;
/** Tapes of larger traces take long, and say no more. */
const LARGEST_TAPED = 8e6;

interface Difference {
  readonly handedOver: number;
  readonly chunks: number;
  /** Stream classes that only the interpreter decodes. */
  readonly interpreted: number;
  readonly faults: number;
}

async function compareTrace({ path }: TraceFolder, memory: DecodeMemory): Promise<Difference> {
  const files = filesOfFolder(path);
  const refs = memoryRefs(files);
  const experiment = await openExperiment(refs, openSource);
  const size = refs.reduce((sum, ref) => sum + ref.size, 0);
  const projections = Object.values(PROJECTIONS);
  const requests = size > LARGEST_TAPED ? projections : [...projections, EVERYTHING as typeof EVERYTHING];
  let handedOver = 0;
  let chunks = 0;
  let interpreted = 0;
  let faults = 0;
  for (const request of requests) {
    const decoders = new Map<string, BothDecoders>();
    for (const chunk of planChunks(experiment, 300_000)) {
      const trace = experiment.traces[chunk.trace];
      const { streamClass } = trace.streams[chunk.stream];
      const key = `${chunk.trace}:${streamClass}`;
      const { clock } = trace.model.streams[streamClass];
      const map = clock === undefined ? undefined : trace.clocks[clock];
      const both = decoders.get(key) ?? bothDecoders(trace.model, streamClass, request, map, memory);
      decoders.set(key, both);
      faults += both.compare(inputOf(trace, chunk, files)).faultCount;
      chunks++;
    }
    for (const both of decoders.values()) {
      handedOver += both.handedOver;
      if (both.executor === 'ts') interpreted++;
    }
  }
  return { handedOver, chunks, interpreted, faults };
}

function corpora(): TraceFolder[] {
  const shared = sharedDir();
  if (shared === undefined) return [];
  return readdirSync(join(shared, 'corpus')).flatMap((name) => traceFolders(join(shared, 'corpus', name)));
}

describe('generated code', () => {
  const memory = new DecodeMemory();

  it.each(exampleTraces())('gives the same for $name', async (folder) => {
    const { handedOver, interpreted } = await compareTrace(folder, memory);
    expect({ handedOver, interpreted }).toEqual({ handedOver: 0, interpreted: 0 });
  });

  it.each(caseTraces())('gives the same for the case $name', async (folder) => {
    expect((await compareTrace(folder, memory)).interpreted).toBe(0);
  });

  it.skipIf(sharedDir() === undefined).each(recordedTraces())(
    `gives the same for $name (skipped where ${WITHOUT_SHARED})`,
    async (folder) => {
      const { handedOver, interpreted, faults } = await compareTrace(folder, memory);
      expect({ handedOver: faults === 0 ? handedOver : 0, interpreted }).toEqual({
        handedOver: 0,
        interpreted: 0,
      });
    },
  );

  it.skipIf(sharedDir() === undefined).each(everyTenth(corpora()))(
    'gives the same for $name of the corpora',
    async (folder) => {
      await compareTrace(folder, memory);
    },
  );
});

export type { Experiment };
