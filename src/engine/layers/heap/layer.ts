/** The heap of programs as a layer: read unasked wherever the calls of the allocator were recorded. */
import type { Layer, LayerRow, LayerTrace } from '../contract/layer.ts';
import { switchesFor } from '../contract/switches.ts';
import { type EventKind, isKind } from '../../trace/event-kinds.ts';
import { plotScheme, plotText } from '../plots/plot-values.ts';
import { type StackTables, wideOf } from '../stacks/stack-tables.ts';
import type { HeapLog, HeapProcess, HeapSite } from './heap-log.ts';
import { HEAP, heapMap, heapKinds, type HeapSettings } from './heap-map.ts';
import { type HeapEvents, HeapReducer, type HeapTrack } from './heap-reducer.ts';
import { packTexts } from '../../base/text-writer.ts';
import { ModuleFinder } from '../stacks/module-finder.ts';

/** Empty choice: nothing can be chosen. */
type Nothing = Readonly<Record<string, never>>;

interface FoundHeap {
  /** Calls of the allocator. */
  readonly events: number;
}

export interface HeapTables {
  readonly log: HeapLog;
  /** Rows by process. */
  readonly tracks: readonly HeapTrack[];
  /** The sites of the log, row by row, as frames without callers. */
  readonly sites: StackTables;
}

const CALLS: readonly EventKind[] = ['heap-alloc', 'heap-realloc', 'heap-aligned', 'heap-free'];

const isCall = (name: string) => CALLS.some((kind) => isKind(kind, name));

function shownEvents({ events, countOf }: Pick<LayerTrace, 'events' | 'countOf'>): string[] {
  return events.map(({ name }) => name).filter((name) => isCall(name) && countOf(name) > 0);
}

export const heapLayer: Layer<FoundHeap, Nothing, HeapSettings, HeapTables, HeapEvents> = {
  id: HEAP,
  title: 'Heap',
  schemes: { [HEAP]: plotScheme },
  tables: [heapKinds({ switches: 'all' })],
  find: (trace) => ({ events: shownEvents(trace).reduce((sum, name) => sum + trace.countOf(name), 0) }),
  shows: shownEvents,
  first: ({ events }) => (events > 0 ? {} : undefined),
  settings: (trace) => ({
    switches: switchesFor(
      trace,
      ({ name = '' }) => isCall(name),
      () => false,
    ),
  }),
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...heapMap.of(settings),
    version: 2,
    reducer: (sink, { index }) => new HeapReducer(sink, kernelThreads(index)),
  }),
  complete: (events) =>
    Promise.resolve({ log: events.log, tracks: events.tracks, sites: siteFrames(events) }),
  rows: (_, { log, tracks }) =>
    tracks.map((track, process) => layerRow(log.processes[process], track, processName(log, process))),
  interval: (value) => ({ text: plotText(value), hasEnd: true }),
};

function layerRow({ pid, ns }: HeapProcess, { attribute, first }: HeapTrack, name: string): LayerRow {
  return {
    key: `${pid}@${ns >>> 0}`,
    name: `${name || 'Process'} ${pid}`,
    attribute,
    subject: 'bytes in use, of what was allocated in the trace',
    below: 'Heap',
    first,
    isPlot: true,
  };
}

/** Name of a process: that of its main thread, else of the first one that has a name; '' unknown. */
export function processName({ threads, processes }: HeapLog, process: number): string {
  const own = threads.filter(({ of, process: name }) => of === process && name !== '');
  return (own.find(({ tid }) => tid === processes[process].pid) ?? own.at(0))?.process ?? '';
}

/** An address that several modules had one after the other is taken to be in the first of them. */
function siteFrames({ log: { sites, processes }, modules, memories }: HeapEvents): StackTables {
  const finder = new ModuleFinder(modules, memories);
  const moduleOf = ({ process, low, high }: HeapSite) =>
    finder.covering(processes[process].pid, wideOf(low, high)).at(0) ?? -1;
  const { length } = sites;
  return {
    frames: {
      length,
      process: Int32Array.from(sites, ({ process }) => processes[process].pid),
      high: Uint32Array.from(sites, ({ high }) => high),
      low: Uint32Array.from(sites, ({ low }) => low),
      isReturn: new Uint8Array(length).fill(1),
      module: Int32Array.from(sites, moduleOf),
      name: new Int32Array(length).fill(-1),
    },
    tree: { length: 0, parent: new Int32Array(0), frame: new Int32Array(0) },
    threads: [],
    modules,
    memories,
    inside: [],
    names: packTexts([]),
  };
}
