/** Call stacks as a layer: read unasked wherever a trace has events with stacks. */
import { hasEnd, spanScheme, textOf } from '../contract/span-values.ts';
import type { Layer, LayerKernel, LayerRow, LayerTrace } from '../contract/layer.ts';
import { switchesFor } from '../contract/switches.ts';
import { threadKeyOf } from '../contract/event-threads.ts';
import { makeTables } from './make-tables.ts';
import { STACK_PROVIDERS, type StackEvent, type StackProvider, stackEvents } from './stack-events.ts';
import type { StackLog } from './stack-log.ts';
import { MODULE_EVENTS } from './module-events.ts';
import {
  ALL_FUNCTIONS,
  FUNCTION_ENTRIES,
  FUNCTION_EXITS,
  hasStack,
  isInThread,
  stackKinds,
  type StackSettings,
} from './stack-requests.ts';
import { type StackRow, writeStackRows } from './stack-rows.ts';
import type { StackTables } from './stack-tables.ts';
import { stackMap, STACKS } from './stack-map.ts';
import { CallList, type CallTimes, endedAt } from './stacks-in-calls.ts';
import { StackReducer } from './stack-reducer.ts';

/** Events with stacks of a trace. */
export interface FoundStacks {
  /** Events of programs that are samples, as the shipped table has them. */
  readonly samples: readonly StackEvent[];
  /** Number of entries and exits of functions. */
  readonly functions: number;
  /** Number of events of sorts that have stacks as contexts. */
  readonly contexts: number;
  /** Number of events that tell where programs are in memory; absent: kept by an older version. */
  readonly modules?: number;
}

export interface WantedStacks {
  /** Rows of the user's own: they come before those that everybody has. */
  readonly own: readonly StackProvider[];
}

export interface StackLayerTables extends StackTables {
  readonly rows: readonly StackRow[];
  /** Events that were not used, by reason. */
  readonly problems: Readonly<Record<string, number>>;
}

function findStacks({ experiment, countOf }: LayerTrace): FoundStacks {
  const recorded = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + countOf(name), 0);
  const withContext = experiment.traces.flatMap(({ model }) =>
    model.streams.flatMap((stream) => stream.events.filter((event) => hasStack(event, stream))),
  );
  return {
    samples: stackEvents([], experiment, (event) => countOf(event) > 0),
    functions: recorded(ALL_FUNCTIONS),
    contexts: recorded(new Set(withContext.map(({ name = '' }) => name))),
    modules: recorded(MODULE_EVENTS),
  };
}

function firstStacks({ samples, functions, contexts }: FoundStacks): WantedStacks | undefined {
  return samples.length + functions + contexts > 0 ? { own: [] } : undefined;
}

function stackSettings(trace: LayerTrace, { own }: WantedStacks): StackSettings {
  const { experiment, countOf } = trace;
  const { functions, contexts } = findStacks(trace);
  const samples = stackEvents(own, experiment, (event) => countOf(event) > 0);
  const modules = MODULE_EVENTS.some((event) => countOf(event) > 0);
  const ofPrograms = new Set([
    ...samples.map(({ event }) => event),
    ...FUNCTION_ENTRIES,
    ...FUNCTION_EXITS,
    ...MODULE_EVENTS,
  ]);
  const switches = switchesFor(trace, ({ name = '' }) => ofPrograms.has(name), isInThread);
  return { samples, functions: functions > 0, contexts: contexts > 0, modules, switches };
}

const ALL_READS: StackSettings = {
  samples: [],
  functions: true,
  contexts: true,
  modules: true,
  switches: 'all',
};

export const stackLayer: Layer<FoundStacks, WantedStacks, StackSettings, StackLayerTables, StackLog> = {
  id: STACKS,
  title: 'Call stack',
  schemes: { [STACKS]: spanScheme },
  tables: [STACK_PROVIDERS, stackKinds(ALL_READS)],
  find: findStacks,
  first: firstStacks,
  settings: stackSettings,
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...stackMap.of(settings),
    version: 4,
    reducer: (_, { index }) => new StackReducer(kernelThreads(index)),
  }),
  async complete(logged, sink, { kernel, end, lastOf, showsRows }) {
    const log = { ...logged, threads: logged.threads.map((thread) => endedAt(thread, lastOf(thread))) };
    const tables = makeTables(log, kernel && (await callsOf(log.threads, kernel, end)));
    const rows = showsRows === false ? [] : writeStackRows(tables, sink, STACKS);
    return { ...tables, rows, problems: log.problems };
  },
  rows: (_, { threads, rows }) => rows.map((row) => rowOf(threads[row.thread], row)),
  interval: (value, text) => ({ text: text(textOf(value)), hasEnd: hasEnd(value) }),
};

/** System calls by index of the threads. */
async function callsOf(
  threads: StackLog['threads'],
  { query, tables }: LayerKernel,
  end: number,
): Promise<CallTimes[]> {
  const found = threads.map(() => new CallList());
  const attributes = threads.map(({ row }) => (row < 0 ? -1 : tables.threads.callAttribute[row]));
  // Entries and exits of functions tell the stack at all times.
  const known = [...threads.keys()].filter((i) => attributes[i] >= 0 && !threads[i].isEntered);
  await query.scan(
    known.map((i) => attributes[i]),
    -Infinity,
    end,
    (at, { begin, end: to, value }) => found[known[at]].add(begin, to, value),
  );
  return found;
}

function rowOf(
  thread: StackTables['threads'][number],
  { thread: index, attribute, first }: StackRow,
): LayerRow {
  return {
    key: `thread:${threadKeyOf(thread)}:${index}`,
    name: 'Call stack',
    attribute,
    subject: 'innermost function of the thread',
    below: thread,
    first,
  };
}
