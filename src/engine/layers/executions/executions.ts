/** The executions of one definition on all hosts of a trace, from the delimiters that were read. */
import { GrowingTable, ordered, rowNumbers } from '../../base/columns.ts';
import { addNumber } from '../../base/group-by.ts';
import type { DisplayNs, HostNs, Times } from '../../base/units.ts';
import type { EventThread } from '../contract/event-threads.ts';
import { NOT_TRACER, type ThreadRows, tracerThreads } from '../../linux/states/reduce/kernel-tables.ts';
import {
  type Condition,
  type ExecutionCounts,
  type ExecutionDefinition,
  isPeriod,
  THREAD_CONDITIONS,
} from './definition.ts';
import type { Delimiters } from './delimiters/delimiters.ts';

/** Delimiters of a host; their threads are rows of `threads`. */
export interface HostDelimiters {
  readonly delimiters: Delimiters;
  /** Threads of the kernel's trace or, without one, those of events. */
  readonly threads: Pick<ThreadRows, 'length' | 'tid' | 'incarnation' | 'pid' | 'name'>;
  readonly toDisplay: (time: HostNs) => DisplayNs;
}

/** Executions in order of begin, then worker and end. An execution's number is its row. */
export interface Executions {
  readonly length: number;
  readonly begin: Times<DisplayNs>;
  readonly end: Times<DisplayNs>;
  /** Index of the host in which it ends, and row of the thread in that host's kernel table. */
  readonly host: Int32Array;
  readonly thread: Int32Array;
  /** Begin and end: index of the host, row of its delimiters. The host of the end is `host`. */
  readonly beginHost: Int32Array;
  readonly beginDelimiter: Int32Array;
  readonly endDelimiter: Int32Array;
  readonly counts: ExecutionCounts;
  /** Ends left out because the thread is not known. */
  readonly withoutThread: number;
}

/** @param index of the definition in the settings with which the delimiters were read */
export function executionsOf(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): Executions {
  const { events, host, delimiter, unowned } = eventsOf(hosts, definition, index);
  const pairs = pairEvents(events, definition.minNs);
  const rowOf = (event: number): number => {
    const { delimiters } = hosts[host[event]];
    return delimiters.threads[delimiters.thread[delimiter[event]]].row;
  };
  const known: number[] = [];
  for (let pair = 0; pair < pairs.length; pair++) if (rowOf(pairs.end[pair]) >= 0) known.push(pair);
  const columns = {
    begin: Float64Array.from(known, (pair) => events.time[pairs.begin[pair]]),
    end: Float64Array.from(known, (pair) => events.time[pairs.end[pair]]),
    host: Int32Array.from(known, (pair) => host[pairs.end[pair]]),
    thread: Int32Array.from(known, (pair) => rowOf(pairs.end[pair])),
    beginHost: Int32Array.from(known, (pair) => host[pairs.begin[pair]]),
    beginDelimiter: Int32Array.from(known, (pair) => delimiter[pairs.begin[pair]]),
    endDelimiter: Int32Array.from(known, (pair) => delimiter[pairs.end[pair]]),
  };
  return {
    length: known.length,
    ...inOrder(columns, hosts),
    counts: {
      ...pairs.counts,
      ...(isPeriod(definition) && { withoutEnd: 0, withoutBegin: 0 }),
      executions: known.length,
    },
    withoutThread: pairs.length - known.length + unowned,
  };
}

type Columns = Omit<Executions, 'length' | 'counts' | 'withoutThread'>;

function inOrder(columns: Columns, hosts: readonly HostDelimiters[]): Columns {
  const { begin, end, host, thread } = columns;
  const compare = (a: number, b: number): number => {
    if (begin[a] !== begin[b] || host[a] !== host[b]) return begin[a] - begin[b] || host[a] - host[b];
    const { tid, incarnation } = hosts[host[a]].threads;
    return (
      tid[thread[a]] - tid[thread[b]] ||
      incarnation[thread[a]] - incarnation[thread[b]] ||
      end[a] - end[b] ||
      a - b
    );
  };
  return ordered(columns, rowNumbers(0, begin.length).sort(compare));
}

interface AllEvents {
  readonly events: DefinitionEvents;
  /** Index of the host, and row of its delimiters. */
  readonly host: Int32Array;
  readonly delimiter: Int32Array;
  /** Number of ends left out because nothing identifies their thread. */
  readonly unowned: number;
}

/** Events in order of time; at equal times by host, the kernel's first, then by CPU. */
function eventsOf(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): AllEvents {
  const found: { readonly host: number; readonly delimiter: number; readonly time: number }[] = [];
  let unowned = 0;
  const isNamed = definition.where.some(({ field }) => THREAD_CONDITIONS.includes(field));
  hosts.forEach(({ delimiters, toDisplay }, host) => {
    for (let delimiter = 0; delimiter < delimiters.length; delimiter++) {
      if (delimiters.definition[delimiter] !== index) continue;
      if (isUsed(delimiters, delimiter, definition))
        found.push({ host, delimiter, time: toDisplay(delimiters.time[delimiter]) });
      else if (delimiters.isBegin[delimiter] === 0) unowned++;
    }
  });
  found.sort((a, b) => {
    if (a.time !== b.time || a.host !== b.host) return a.time - b.time || a.host - b.host;
    const { ofProgram, cpu } = hosts[a.host].delimiters;
    return (
      ofProgram[a.delimiter] - ofProgram[b.delimiter] ||
      cpu[a.delimiter] - cpu[b.delimiter] ||
      a.delimiter - b.delimiter
    );
  });
  const numbers = new Map<string, number>();
  /** Number of the group of events that pair with each other. */
  const groupOf = (host: number, { thread, key, keys }: Delimiters, delimiter: number): number => {
    const own = keys[key[delimiter]];
    const text = definition.acrossThreads ? own : `${host} ${thread[delimiter]} ${own}`;
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  const matching = hosts.map((host) => matchesThread(host, definition.where));
  const isOut = hosts.map((host) => (isNamed ? () => false : isOfTracer(host)));
  return {
    events: {
      length: found.length,
      time: Float64Array.from(found, ({ time }) => time),
      isBegin: Uint8Array.from(found, ({ host, delimiter }) => hosts[host].delimiters.isBegin[delimiter]),
      group: Int32Array.from(found, ({ host, delimiter }) =>
        groupOf(host, hosts[host].delimiters, delimiter),
      ),
      matches: Uint8Array.from(found, ({ host, delimiter }) => {
        const { matches, thread, isBegin } = hosts[host].delimiters;
        // An end without begin is counted, whatever its thread.
        if (isBegin[delimiter] === 1 && isOut[host](thread[delimiter])) return 0;
        return matches[delimiter] === 1 && matching[host](thread[delimiter]) ? 1 : 0;
      }),
    },
    host: Int32Array.from(found, ({ host }) => host),
    delimiter: Int32Array.from(found, ({ delimiter }) => delimiter),
    unowned,
  };
}

/** Whether an event is used: an end needs a thread, whose path is followed, and so do events paired by thread. */
function isUsed(
  { thread, isBegin }: Delimiters,
  delimiter: number,
  { acrossThreads }: ExecutionDefinition,
): boolean {
  return thread[delimiter] >= 0 || (acrossThreads && isBegin[delimiter] === 1);
}

/** Whether a thread of a host's delimiters is the tracer's, whose work is no request unless a condition names it. */
function isOfTracer({ delimiters, threads }: Pick<HostDelimiters, 'delimiters' | 'threads'>) {
  const tracer = tracerThreads(threads);
  const isOut = delimiters.threads.map(({ row }) => row >= 0 && tracer[row] !== NOT_TRACER);
  return (thread: number): boolean => thread >= 0 && isOut[thread];
}

/** Names of the processes in which a definition's executions begin, most begins first. */
export function beginningProcesses(hosts: readonly HostDelimiters[], index: number): string[] {
  const counts = new Map<string, number>();
  for (const { delimiters, threads } of hosts) {
    const isOut = isOfTracer({ delimiters, threads });
    const names = delimiters.threads.map((thread) => nameOf(threads, thread, 'process'));
    for (let delimiter = 0; delimiter < delimiters.length; delimiter++) {
      if (
        delimiters.definition[delimiter] !== index ||
        delimiters.isBegin[delimiter] !== 1 ||
        delimiters.thread[delimiter] < 0 ||
        isOut(delimiters.thread[delimiter])
      )
        continue;
      const name = names[delimiters.thread[delimiter]];
      if (name !== '') addNumber(counts, name, 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Whether the conditions about threads hold for a thread of a host's delimiters. */
function matchesThread(
  { delimiters, threads }: HostDelimiters,
  where: readonly Condition[],
): (thread: number) => boolean {
  const tests = where.filter(({ field }) => THREAD_CONDITIONS.includes(field));
  if (tests.length === 0) return () => true;
  const holds = delimiters.threads.map((thread) =>
    tests.every(({ field, value }) => nameOf(threads, thread, field) === value),
  );
  return (thread) => holds[thread] ?? false;
}

/** Last known name of a thread, or of its process, which is that of its main thread. */
function nameOf(
  threads: HostDelimiters['threads'],
  { row, pid, process }: EventThread,
  field: string,
): string {
  if (field === 'thread') return row < 0 ? process : threads.name[row];
  const main = pid < 0 ? -1 : threads.tid.lastIndexOf(pid, threads.length - 1);
  return main < 0 ? process : threads.name[main];
}

/** Events of one definition, of all hosts, in order. */
export interface DefinitionEvents {
  readonly length: number;
  /** ns, ascending. */
  readonly time: Float64Array;
  /** 1: a begin; 0: an end. */
  readonly isBegin: Uint8Array;
  /** Events of one group pair with each other: those with the same key, and the same thread unless executions cross threads. */
  readonly group: Int32Array;
  /** 1: the conditions hold. */
  readonly matches: Uint8Array;
}

/** Rows of events, in order of the ends. */
interface Pairs {
  readonly length: number;
  readonly begin: Int32Array;
  readonly end: Int32Array;
  readonly counts: ExecutionCounts;
}

/**
 * Pairs an end with its group's latest open begin. Pairs that are too short or do not match are not counted.
 * @internal
 */
export function pairEvents(events: DefinitionEvents, minNs: number): Pairs {
  const { length, time, isBegin, group, matches } = events;
  /** Open begin of its group before it, by row; -1: none. */
  const outer = new Int32Array(length).fill(-1);
  /** Latest open begin by group. */
  const open = new Int32Array(group.reduce((most, each) => Math.max(most, each + 1), 0)).fill(-1);
  const pairs = new GrowingTable({ begin: new Int32Array(0), end: new Int32Array(0) });
  let withoutBegin = 0;
  let nested = 0;
  for (let row = 0; row < length; row++) {
    const begin = open[group[row]];
    if (isBegin[row] === 1) {
      outer[row] = begin;
      open[group[row]] = row;
    } else if (begin < 0) {
      withoutBegin += matches[row];
    } else {
      open[group[row]] = outer[begin];
      const ns = time[row] - time[begin];
      if (matches[begin] === 0 || !(ns > 0) || ns < minNs) continue;
      if (outer[begin] >= 0) nested++;
      const pair = pairs.addRow();
      pairs.rows.begin[pair] = begin;
      pairs.rows.end[pair] = row;
    }
  }
  let withoutEnd = 0;
  for (const latest of open) for (let row = latest; row >= 0; row = outer[row]) withoutEnd += matches[row];
  return { ...pairs.toTable(), counts: { executions: pairs.length, withoutEnd, withoutBegin, nested } };
}

/** Preview of a definition, before the paths of its executions are computed. */
export interface ExecutionPreview {
  readonly definition: ExecutionDefinition;
  readonly counts: ExecutionCounts;
  /** Durations of counted executions, ns, ascending: at most 1000, evenly chosen. */
  readonly durations: Float64Array;
}

const MOST_DURATIONS = 1000;

/**
 * Previews a definition; executions cross threads if more of them pair that way. @param index of the definition in
 * the settings read
 */
export function previewOf(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): ExecutionPreview {
  const preview = (acrossThreads: boolean): ExecutionPreview => {
    const definitionHere = { ...definition, acrossThreads };
    const executions = executionsOf(hosts, definitionHere, index);
    return { definition: definitionHere, counts: executions.counts, durations: durationsOf(executions) };
  };
  const inThreads = preview(false);
  if (definition.key.length === 0) return inThreads;
  const acrossThreads = preview(true);
  return weight(acrossThreads.counts) > weight(inThreads.counts) ? acrossThreads : inThreads;
}

/** Number of executions times the share of events that fit, as begins and ends alternate. */
export function weight({ executions, withoutBegin, withoutEnd, nested }: ExecutionCounts): number {
  return executions === 0 ? 0 : executions ** 2 / (executions + withoutBegin + withoutEnd + nested);
}

/** Durations, ns, ascending, including the shortest and the longest. */
function durationsOf({ begin, end }: Executions): Float64Array {
  const all = begin.map((time, i) => end[i] - time).sort();
  if (all.length <= MOST_DURATIONS) return all;
  const last = (all.length - 1) / (MOST_DURATIONS - 1);
  return Float64Array.from({ length: MOST_DURATIONS }, (_, i) => all[Math.round(i * last)]);
}
