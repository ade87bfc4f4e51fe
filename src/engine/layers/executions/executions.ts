/** The executions of one definition on all hosts of a trace, by the marks that were read of it. */
import type { DisplayNs, HostNs, Times } from '../../base/units.ts';
import type { EventThread } from '../contract/event-threads.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import {
  type Condition,
  type ExecutionCounts,
  type ExecutionDefinition,
  isPeriod,
  THREAD_CONDITIONS,
} from './definition.ts';
import type { Marks } from './delimiters/marks.ts';
import { type DefinitionEvents, pairEvents } from './pairing.ts';

/** A host with a kernel's trace. */
export interface MarkedHost {
  readonly marks: Marks;
  /** The kernel's. */
  readonly threads: ThreadRows;
  readonly toDisplay: (time: HostNs) => DisplayNs;
}

/** Executions in order of begin, then of worker and end. An execution's number is its row. */
export interface Executions {
  readonly length: number;
  readonly begin: Times<DisplayNs>;
  readonly end: Times<DisplayNs>;
  /** Place of the host in which it ends, and the row of the thread in its kernel's table. */
  readonly host: Int32Array;
  readonly thread: Int32Array;
  /** Places of its begin and its end: place of the host, row of its marks. The host of the end is `host`. */
  readonly beginHost: Int32Array;
  readonly beginMark: Int32Array;
  readonly endMark: Int32Array;
  readonly counts: ExecutionCounts;
  /** Left out: the kernel's trace does not know the thread that they end in. */
  readonly withoutThread: number;
}

/** @param index of the definition in the settings that the marks were read with */
export function executionsOf(
  hosts: readonly MarkedHost[],
  definition: ExecutionDefinition,
  index: number,
): Executions {
  const { events, host, mark } = eventsOf(hosts, definition, index);
  const pairs = pairEvents(events, definition.minNs);
  const rowOf = (event: number): number => {
    const { marks } = hosts[host[event]];
    return marks.threads[marks.thread[mark[event]]].row;
  };
  const known: number[] = [];
  for (let pair = 0; pair < pairs.length; pair++) if (rowOf(pairs.end[pair]) >= 0) known.push(pair);
  const columns = {
    begin: Float64Array.from(known, (pair) => events.time[pairs.begin[pair]]),
    end: Float64Array.from(known, (pair) => events.time[pairs.end[pair]]),
    host: Int32Array.from(known, (pair) => host[pairs.end[pair]]),
    thread: Int32Array.from(known, (pair) => rowOf(pairs.end[pair])),
    beginHost: Int32Array.from(known, (pair) => host[pairs.begin[pair]]),
    beginMark: Int32Array.from(known, (pair) => mark[pairs.begin[pair]]),
    endMark: Int32Array.from(known, (pair) => mark[pairs.end[pair]]),
  };
  return {
    length: known.length,
    ...inOrder(columns, hosts),
    counts: {
      ...pairs.counts,
      ...(isPeriod(definition) && { withoutEnd: 0, withoutBegin: 0 }),
      executions: known.length,
    },
    withoutThread: pairs.length - known.length,
  };
}

type Columns = Pick<Executions, 'begin' | 'end' | 'host' | 'thread' | 'beginHost' | 'beginMark' | 'endMark'>;

function inOrder(columns: Columns, hosts: readonly MarkedHost[]): Columns {
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
  const order = Int32Array.from({ length: begin.length }, (_, row) => row).sort(compare);
  const times = (column: Float64Array) => Float64Array.from(order, (row) => column[row]);
  const numbers = (column: Int32Array) => Int32Array.from(order, (row) => column[row]);
  return {
    begin: times(begin),
    end: times(end),
    host: numbers(host),
    thread: numbers(thread),
    beginHost: numbers(columns.beginHost),
    beginMark: numbers(columns.beginMark),
    endMark: numbers(columns.endMark),
  };
}

interface AllEvents {
  readonly events: DefinitionEvents;
  /** Place of each: of the host, and row of its marks. */
  readonly host: Int32Array;
  readonly mark: Int32Array;
}

/** Events in order of time; at one time by host, the kernel's first, then by CPU. */
function eventsOf(hosts: readonly MarkedHost[], definition: ExecutionDefinition, index: number): AllEvents {
  const found: { readonly host: number; readonly mark: number; readonly time: number }[] = [];
  hosts.forEach(({ marks, toDisplay }, host) => {
    for (let mark = 0; mark < marks.length; mark++) {
      if (marks.definition[mark] === index && isUsed(marks, mark, definition))
        found.push({ host, mark, time: toDisplay(marks.time[mark]) });
    }
  });
  found.sort((a, b) => {
    if (a.time !== b.time || a.host !== b.host) return a.time - b.time || a.host - b.host;
    const { ofProgram, cpu } = hosts[a.host].marks;
    return ofProgram[a.mark] - ofProgram[b.mark] || cpu[a.mark] - cpu[b.mark] || a.mark - b.mark;
  });
  const groups = new Groups(definition);
  const matching = hosts.map((host) => matchesThread(host, definition.where));
  return {
    events: {
      length: found.length,
      time: Float64Array.from(found, ({ time }) => time),
      isBegin: Uint8Array.from(found, ({ host, mark }) => hosts[host].marks.isBegin[mark]),
      group: Int32Array.from(found, ({ host, mark }) => groups.of(host, hosts[host].marks, mark)),
      matches: Uint8Array.from(found, ({ host, mark }) => {
        const { matches, thread } = hosts[host].marks;
        return matches[mark] === 1 && matching[host](thread[mark]) ? 1 : 0;
      }),
    },
    host: Int32Array.from(found, ({ host }) => host),
    mark: Int32Array.from(found, ({ mark }) => mark),
  };
}

/** An end needs a thread, whose path is followed; so does what is paired by it. */
function isUsed({ thread, isBegin }: Marks, mark: number, { acrossThreads }: ExecutionDefinition): boolean {
  return thread[mark] >= 0 || (acrossThreads && isBegin[mark] === 1);
}

/** Numbers the groups of events that pair with each other. */
class Groups {
  readonly #acrossThreads: boolean;
  readonly #numbers = new Map<string, number>();

  constructor({ acrossThreads }: ExecutionDefinition) {
    this.#acrossThreads = acrossThreads;
  }

  of(host: number, { thread, key, keys }: Marks, mark: number): number {
    const text = this.#acrossThreads ? keys[key[mark]] : `${host} ${thread[mark]} ${keys[key[mark]]}`;
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }
}

/** Names of the processes in which a definition's executions begin, those with most begins first. */
export function beginningProcesses(hosts: readonly MarkedHost[], index: number): string[] {
  const counts = new Map<string, number>();
  for (const { marks, threads } of hosts) {
    const names = marks.threads.map((thread) => nameOf(threads, thread, 'process'));
    for (let mark = 0; mark < marks.length; mark++) {
      if (marks.definition[mark] !== index || marks.isBegin[mark] !== 1 || marks.thread[mark] < 0) continue;
      const name = names[marks.thread[mark]];
      if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
}

/** Tells whether the conditions about threads hold for a thread of a host's marks. */
function matchesThread(
  { marks, threads }: MarkedHost,
  where: readonly Condition[],
): (thread: number) => boolean {
  const tests = where.filter(({ field }) => THREAD_CONDITIONS.includes(field));
  if (tests.length === 0) return () => true;
  const holds = marks.threads.map((thread) =>
    tests.every(({ field, value }) => nameOf(threads, thread, field) === value),
  );
  return (thread) => holds[thread] ?? false;
}

/** The last known name of a thread, or of its process, which has that of its main thread. */
function nameOf(threads: ThreadRows, { row, pid, process }: EventThread, field: string): string {
  if (field === 'thread') return row < 0 ? process : threads.name[row];
  const main = pid < 0 ? -1 : threads.tid.lastIndexOf(pid, threads.length - 1);
  return main < 0 ? process : threads.name[main];
}
