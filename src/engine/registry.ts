/** All analyses by id, for sessions; `maps.ts` has the parts for decode workers. Only ids are passed between them. */
import { type Layer, type LayerInfo, analysisOf, type AnyLayer } from './layers/contract/layer.ts';
import { createAnalysisSet, type AnalysisSet, type AnyAnalysis } from './analysis/analysis-set.ts';
import { assert } from './base/assert.ts';
import { threadEvents } from './density/thread-events.ts';
import { heapLayer } from './layers/heap/layer.ts';
import { callFailures } from './linux/sums/calls/call-failures.ts';
import { counts } from './linux/sums/counts.ts';
import { interruptLayer } from './layers/interrupts/layer.ts';
import { singleInterrupts } from './linux/sums/interrupts/single-interrupts.ts';
import { wakeFacts } from './linux/sums/wake-facts.ts';
import { interrupts } from './linux/sums/interrupts/interrupts.ts';
import { ioUsage } from './linux/sums/io/io.ts';
import { kernelState } from './linux/states/kernel-state.ts';
import { KIND_TABLES } from './trace/event-kinds.ts';
import type { LAYER_MAPS } from './maps.ts';
import { memory } from './linux/sums/memory/memory.ts';
import { network } from './linux/sums/network/network.ts';
import { namespaces } from './linux/namespaces/namespaces.ts';
import { priorities } from './linux/sums/priorities.ts';
import { lockLayer } from './layers/locks/layer.ts';
import { overlayLayer } from './layers/overlays/layer.ts';
import { scanOf } from './events/match-counts.ts';
import { executionLayer } from './layers/executions/layer.ts';
import { plotLayer } from './layers/plots/layer.ts';
import { queueLayer } from './layers/queues/layer.ts';
import { stackLayer } from './layers/stacks/layer.ts';

/** Analyses that run when a trace is opened. */
const ANALYSES: readonly AnyAnalysis[] = [
  kernelState as AnyAnalysis,
  counts as AnyAnalysis,
  ioUsage as AnyAnalysis,
  interrupts as AnyAnalysis,
  callFailures as AnyAnalysis,
  threadEvents as AnyAnalysis,
  namespaces as AnyAnalysis,
  network as AnyAnalysis,
  memory as AnyAnalysis,
];

/** Analyses that run on first use. */
const ON_DEMAND: readonly AnyAnalysis[] = [
  singleInterrupts as AnyAnalysis,
  priorities as AnyAnalysis,
  wakeFacts as AnyAnalysis,
];

export const SESSION_IDS: readonly string[] = ANALYSES.map(({ id }) => id);

/** Layers, which are read from some events after a trace was opened, by the prefix of the ids of their rows. */
export const LAYERS = {
  overlay: overlayLayer,
  lock: lockLayer,
  stack: stackLayer,
  execution: executionLayer,
  queue: queueLayer,
  resource: plotLayer,
  interrupt: interruptLayer,
  heap: heapLayer,
} satisfies Record<keyof typeof LAYER_MAPS, AnyLayer>;

/** `id version` of each: part of the key of stored results. */
export const SESSION_VERSIONS: readonly string[] = ANALYSES.map(({ id, version }) => `${id} ${version}`);

/** The tables that define which events are read and what they mean, by name: part of the key of stored results. */
export const EVENT_TABLES = {
  kinds: KIND_TABLES,
  analyses: ANALYSES.map(({ id, reads }) => [id, reads]),
  ...Object.fromEntries(Object.entries(LAYERS).map(([word, { id, tables }]) => [word, [id, ...tables]])),
};

export function analysisById(id: string): AnyAnalysis {
  const found = [...ANALYSES, ...ON_DEMAND].find((analysis) => analysis.id === id);
  if (found !== undefined) return found;
  for (const layer of Object.values(LAYERS)) {
    const ofLayer = analysisOf(layer, id);
    if (ofLayer !== undefined) return ofLayer;
  }
  const scan = scanOf(id);
  assert(scan !== undefined, `an analysis is called ${id}`);
  return scan as AnyAnalysis;
}

export function analysisSet(ids: readonly string[]): AnalysisSet {
  return createAnalysisSet(ids.map(analysisById));
}

type Registered = typeof LAYERS;
/** Prefix of the ids of a registered layer's rows. */
export type LayerWord = keyof Registered;
export type WantedOf<Word extends LayerWord> = Parameters<Registered[Word]['settings']>[1];
export type InfoOf<Word extends LayerWord> =
  Registered[Word] extends Layer<infer Found, infer Wanted, infer Settings, infer Tables, unknown>
    ? LayerInfo<Found, Wanted, Settings, Tables>
    : never;

export type FoundOf<Word extends LayerWord> = InfoOf<Word>['found'];
