/** Layers of a trace that was read from the command line. */
import type { Fault } from '../engine/base/fault.ts';
import { executionLayer } from '../engine/layers/executions/layer.ts';
import { heapLayer } from '../engine/layers/heap/layer.ts';
import type { Layers } from '../engine/layers/contract/layer.ts';
import { lockLayer } from '../engine/layers/locks/layer.ts';
import { SessionLayers } from '../engine/open/layers/session-layers.ts';
import { beginTrace } from '../engine/open/stored-trace.ts';
import { stackLayer } from '../engine/layers/stacks/layer.ts';
import { MemoryStore } from '../engine/store/memory-store.ts';
import type { LayerWord } from '../engine/registry.ts';
import type { TraceSession } from './trace-session.ts';

/** Key of the trace in a store of its own: what a page would show of it is not changed. */
const KEY = 'layers';

/** Layers of the trace, none of which is read yet. */
export async function layersOf(
  layers: Layers,
  { experiment, trace, environment }: TraceSession,
): Promise<SessionLayers> {
  const store = new MemoryStore();
  await beginTrace(store, KEY, experiment.name);
  const source = {
    environment: { ...environment, layers, showsRows: false },
    store,
    key: KEY,
    experiment,
    trace,
  };
  return new SessionLayers(source);
}

/** Reads the locks, as far as events tell of any. */
export function readLocks(session: TraceSession): Promise<SessionLayers> {
  return readLayers({ lock: lockLayer }, session);
}

/** Reads the call stacks and the locks, as far as there are any. */
export function readStacksAndLocks(session: TraceSession): Promise<SessionLayers> {
  return readLayers({ stack: stackLayer, lock: lockLayer }, session);
}

/** Reads the call stacks, as far as there are any. */
export function readStacks(session: TraceSession): Promise<SessionLayers> {
  return readLayers({ stack: stackLayer }, session);
}

/** The same, and where programs are in memory where there are no call stacks. */
export async function readModules(session: TraceSession): Promise<SessionLayers> {
  const layers = await readStacks(session);
  const found = await layers.find('stack');
  const isRead = layers.info('stack')?.wanted !== undefined;
  if (!isRead && (found?.modules ?? 0) > 0) await layers.change('stack', { own: [] });
  return layers;
}

/** Reads the heap of programs, as far as calls of the allocator were recorded. */
export function readHeap(session: TraceSession): Promise<SessionLayers> {
  return readLayers({ heap: heapLayer }, session);
}

/** Reads locks, executions and call stacks. */
export function readAll(session: TraceSession): Promise<SessionLayers> {
  return readLayers({ lock: lockLayer, execution: executionLayer, stack: stackLayer }, session);
}

/** Faults of reading layers. */
export function faultsOf(layers: SessionLayers, ...ids: readonly LayerWord[]): readonly Fault[] {
  return ids.flatMap((id) => layers.info(id)?.faults ?? []);
}

async function readLayers(wanted: Layers, session: TraceSession): Promise<SessionLayers> {
  const layers = await layersOf(wanted, session);
  await layers.begin(true, () => undefined);
  return layers;
}
