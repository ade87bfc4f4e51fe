/** Call stacks as a layer: read unasked wherever a trace has events with stacks. */
import { SPAN_COLOURS, spanInterval, spanScheme, spanValue } from '../contract/span-values.ts';
import type { Layer, LayerKernel, LayerRow, LayerTrace } from '../contract/layer.ts';
import { switchesFor } from '../contract/switches.ts';
import { threadKeyOf } from '../contract/event-threads.ts';
import { makeTables, CallList, type CallTimes, endedAt } from './make-tables.ts';
import { STACK_PROVIDERS, type StackEvent, type StackProvider, stackEvents } from './stack-events.ts';
import type { StackLog } from './stack-forest.ts';
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
import { type StackTables, moduleText } from './stack-tables.ts';
import { stackMap, STACKS } from './stack-map.ts';
import { StackReducer } from './stack-reducer.ts';
import { stableOrder } from '../../base/stable-order.ts';
import type { HistorySink } from '../../history/types.ts';
import { NOT_RECORDED_FRAME } from './profile.ts';

/** Events with stacks of a trace. */
export interface FoundStacks {
  /** Program events that are samples by the shipped table. */
  readonly samples: readonly StackEvent[];
  /** Number of entries and exits of functions. */
  readonly functions: number;
  /** Number of events of kinds with stacks as contexts. */
  readonly contexts: number;
  /** Number of events about places of programs in memory; absent: kept by an older version. */
  readonly modules?: number;
}

export interface WantedStacks {
  /** The user's own rows, which precede the shipped ones. */
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
  interval: spanInterval,
};

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
  return found.map((calls) => calls.toTable());
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

/** Row of call stacks in the layer's history: below each thread the innermost function. */
interface StackRow {
  /** Row of `StackTables.threads`. */
  readonly thread: number;
  readonly attribute: number;
  /** HostNs of its first stack. */
  readonly first: number;
}

/** @param path first segment of the paths of its attributes */
function writeStackRows(tables: Omit<StackTables, 'rows'>, sink: HistorySink, path: string): StackRow[] {
  const { threads, tree, frames } = tables;
  const texts = Array.from({ length: frames.length }, (_, frame) => moduleText(tables, frame));
  const colours = coloursOf(texts);
  const rows: StackRow[] = [];
  threads.forEach(({ times }, thread) => {
    if (times.length === 0) return;
    const attribute = sink.attribute([path, String(thread)], 'state');
    rows.push({ thread, attribute, first: times[0] });
  });
  const { time, row, change } = changesOf(tables, rows);
  /** Texts in the history by frame: -1 not yet. */
  const strings = new Int32Array(frames.length).fill(-1);
  const tones = new Uint8Array(rows.length);
  for (const at of stableOrder(time)) {
    const { thread, attribute } = rows[row[at]];
    const { stacks, inside } = threads[thread];
    const stack = inside[change[at]] === 0 ? stacks[change[at]] : inside[change[at]];
    sink.moveTo(time[at]);
    if (stack === 0 || texts[tree.frame[stack]] === NOT_RECORDED_FRAME) {
      sink.end(attribute);
      continue;
    }
    const frame = tree.frame[stack];
    tones[row[at]] = 1 - tones[row[at]];
    if (strings[frame] < 0) strings[frame] = sink.string(texts[frame]);
    sink.set(attribute, spanValue(colours[frame], tones[row[at]], strings[frame]));
  }
  return rows;
}

/** Changes of all rows, one row after the other. */
function changesOf({ threads }: Pick<StackTables, 'threads'>, rows: readonly StackRow[]) {
  const length = rows.reduce((sum, { thread }) => sum + threads[thread].times.length, 0);
  const time = new Float64Array(length);
  const row = new Int32Array(length);
  const change = new Int32Array(length);
  let at = 0;
  rows.forEach(({ thread }, index) => {
    const { times } = threads[thread];
    time.set(times, at);
    row.fill(index, at, at + times.length);
    for (let i = 0; i < times.length; i++) change[at + i] = i;
    at += times.length;
  });
  return { time, row, change };
}

/** Colours by text, so that equal texts have equal ones, in order of their first frame. */
function coloursOf(texts: readonly string[]): Uint8Array {
  const numbers = new Map<string, number>();
  return Uint8Array.from(texts, (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number % SPAN_COLOURS;
  });
}
