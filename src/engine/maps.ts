/**
 * Maps of all analyses by id, and value schemes: the part of `registry.ts` that decode workers need. They load this
 * module, so it imports no reducer and no layer.
 */
import { type AnyMap, createMapSet, type MapSet } from './analysis/analysis-set.ts';
import type { TransitionChunk } from './analysis/contract.ts';
import { assert } from './base/assert.ts';
import { threadEvents } from './density/thread-events.ts';
import { scanOf } from './events/match-counts.ts';
import { delimiterMap } from './layers/executions/delimiters/delimiter-map.ts';
import { heapMap } from './layers/heap/heap-map.ts';
import type { ValueScheme } from './history/types.ts';
import { interruptMap } from './layers/interrupts/interrupt-map.ts';
import { type LayerMap, settingsIn } from './layers/contract/layer.ts';
import { spanScheme } from './layers/contract/span-values.ts';
import { callFailures } from './linux/sums/calls/call-failures.ts';
import { counts } from './linux/sums/counts.ts';
import { singleInterrupts } from './linux/sums/interrupts/single-interrupts.ts';
import { wakeFacts } from './linux/sums/wake-facts.ts';
import { interrupts } from './linux/sums/interrupts/interrupts.ts';
import { ioUsage } from './linux/sums/io/io.ts';
import { memory } from './linux/sums/memory/memory.ts';
import { namespaces } from './linux/namespaces/namespaces.ts';
import { network } from './linux/sums/network/network.ts';
import { priorities } from './linux/sums/priorities.ts';
import { cpuScheme, threadScheme } from './linux/events/schemes.ts';
import { kernelStateMap } from './linux/states/map/state-map.ts';
import { lockMap } from './layers/locks/lock-map.ts';
import { overlayMap } from './layers/overlays/overlay-map.ts';
import { plotMap } from './layers/plots/plot-map.ts';
import { plotScheme } from './layers/plots/plot-values.ts';
import { diskNameMap } from './layers/queues/disk-names.ts';
import { stackMap } from './layers/stacks/stack-map.ts';

const MAPS = [
  kernelStateMap,
  counts,
  ioUsage,
  interrupts,
  singleInterrupts,
  callFailures,
  threadEvents,
  namespaces,
  network,
  memory,
  priorities,
  wakeFacts,
] as readonly AnyMap[];

/** Maps of the layers, by the words that `LAYERS` of `registry.ts` has for them: the compiler wants each in both. */
export const LAYER_MAPS = {
  overlay: overlayMap,
  lock: lockMap,
  stack: stackMap,
  execution: delimiterMap,
  queue: diskNameMap,
  resource: plotMap,
  interrupt: interruptMap,
  heap: heapMap,
};

const SCHEMES: readonly ValueScheme[] = [threadScheme, cpuScheme, spanScheme, plotScheme];

function mapById(id: string): AnyMap {
  const found = MAPS.find((map) => map.id === id);
  if (found !== undefined) return found;
  for (const layer of Object.values(LAYER_MAPS) as readonly LayerMap<unknown, TransitionChunk>[]) {
    const settings = settingsIn(layer.id, id);
    if (settings !== undefined) return layer.of(settings);
  }
  const scan = scanOf(id);
  assert(scan !== undefined, `a map is called ${id}`);
  return scan as AnyMap;
}

export function mapSet(ids: readonly string[]): MapSet {
  return createMapSet(ids.map(mapById));
}

/** A scheme by its id, which is what workers that seal segments receive. */
export function schemeById(id: string): ValueScheme | undefined {
  return SCHEMES.find((scheme) => scheme.id === id);
}
