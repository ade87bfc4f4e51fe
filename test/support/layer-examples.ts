/** For each layer an example that it reads, so that tests of all layers need no list of traces. */
import { join } from 'node:path';
import { openSource } from '../../src/engine/io/open-source.ts';
import { eventShapes } from '../../src/engine/layers/contract/event-shapes.ts';
import type { AnyLayer, LayerTrace } from '../../src/engine/layers/contract/layer.ts';
import { executionLayer } from '../../src/engine/layers/executions/layer.ts';
import { lockLayer } from '../../src/engine/layers/locks/layer.ts';
import { LAYERS } from '../../src/engine/registry.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';
import { localSession } from './local-session.ts';
import { filesOfFolder, memoryRefs, type MemoryFiles } from './memory-files.ts';
import { exampleTraces, projectDir, traceFolders } from './shared.ts';
import { toyLayer } from './toy-layer.ts';

/** All that are registered, and one that is not: by the word that begins the ids of their rows. */
export const ALL_LAYERS: Readonly<Record<string, AnyLayer>> = { ...LAYERS, toy: toyLayer };

/** What is asked for of layers that read nothing unasked, and have no rows. */
const ASKED: Readonly<Record<string, unknown>> = {
  [executionLayer.id]: [
    { begin: '*:begin', end: '*:end', key: ['id'], acrossThreads: false, where: [], minNs: 0 },
  ],
};

/** Those that read something unasked. */
export const LAYERS_WITH_ROWS: Readonly<Record<string, AnyLayer>> = Object.fromEntries(
  Object.entries(ALL_LAYERS).filter(([, { id }]) => !Object.hasOwn(ASKED, id)),
);

/** What is read of a trace; undefined: nothing. */
export function wantedOf(layer: AnyLayer, trace: LayerTrace): unknown {
  return layer.first(layer.find(trace)) ?? ASKED[layer.id];
}

export interface LayerExample {
  readonly files: MemoryFiles;
  readonly trace: LayerTrace;
}

/** By layer: the example to take, where others have its events but nothing that makes a row. */
const EXAMPLES: Readonly<Record<string, string>> = {
  [lockLayer.id]: 'lockfight-mutex/ust',
  [executionLayer.id]: 'executions-lock/ust',
};

/** An example, or a fixture, of one host; throws where none has what the layer reads: it needs one. */
export async function exampleOf(layer: AnyLayer): Promise<LayerExample> {
  for (const { path } of [...exampleTraces(), ...traceFolders(join(projectDir(), 'test/fixtures/heap'))]) {
    const known = examples.get(path) ?? openExample(path);
    examples.set(path, known);
    const example = await known;
    const { hosts } = example.trace.experiment;
    if (!path.includes(EXAMPLES[layer.id] ?? '')) continue;
    if (hosts.length === 1 && wantedOf(layer, example.trace) !== undefined) return example;
  }
  throw new Error(`no example has what the layer ${layer.id} reads`);
}

const examples = new Map<string, Promise<LayerExample>>();

async function openExample(path: string): Promise<LayerExample> {
  const files = filesOfFolder(path);
  const session = localSession({ layers: {} });
  await session.open(memoryRefs(files));
  const { events } = await session.api.ask('counts', {});
  await session.api.close();
  return {
    files,
    trace: await layerTraceOf(files, (name) => events.find((event) => event.name === name)?.count ?? 0),
  };
}

/** What is known of a trace before a layer is read, but for what the kernel's trace says about threads. */
export async function layerTraceOf(files: MemoryFiles, countOf: LayerTrace['countOf']): Promise<LayerTrace> {
  const experiment = await openExperiment(memoryRefs(files), openSource);
  return {
    experiment,
    events: eventShapes(experiment),
    countOf,
    kernelThreads: () => undefined,
    isShown: () => false,
  };
}
