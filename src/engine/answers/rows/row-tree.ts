/**
 * The tree of rows that the page shows: hosts ▸ CPUs, processes ▸ threads, the tracer's own processes, kernel threads,
 * threads that never ran. A process with one thread is one row. Processes and threads are ordered by time on CPU, most
 * first. Where there are several nested pid namespaces, as of containers, each is a group of its processes.
 */
import { groupBy } from '../../base/group-by.ts';
import type { DisplayNs, Times } from '../../base/units.ts';
import { Parents } from '../../linux/states/read/parents.ts';
import {
  OWN_OF_TRACER,
  type ThreadRows,
  tracerThreads,
  type StateTables,
} from '../../linux/states/reduce/kernel-tables.ts';
import { STATE_KERNEL, ownTime, STATE_INTERRUPTED } from '../../linux/events/values.ts';
import { type ThreadIdentity, threadKey } from '../../linux/states/reduce/thread-table.ts';
import { addNamespaceRow, EventRows, type EventThreads, mostEventRows } from './event-rows.ts';
import { firstsOf } from './process-threads.ts';
import { RowWriter } from './row-writer.ts';
import type { RowColumns, RowKind } from '../../protocol/rows.ts';
import { freeBuffers } from '../../base/buffers.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { InsideNumbers, NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import { busyTimes } from '../../linux/states/read/cpu-totals.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';

export interface CpuEntry {
  readonly cpu: number;
  readonly attribute: number;
  /** ns the CPU was busy. */
  readonly busyNs: number;
}

/** Threads of a host. Idle threads have no row, as the rows of their CPUs show them. */
export interface HostThreads {
  readonly table: ThreadIdentity &
    Pick<ThreadRows, 'length' | 'pid' | 'ppid' | 'parent' | 'name' | 'mode' | 'ran' | 'stateAttribute'>;
  /** Numbers of threads within nested pid namespaces; undefined: there are none. */
  readonly inside?: InsideNumbers;
  /** Time in states 1, 2 and 3, by row of the table, ns. */
  readonly cpuTimeNs: Float64Array;
  readonly firstNs: Times<DisplayNs>;
  readonly lastNs: Times<DisplayNs>;
}

export interface StreamEntry {
  readonly key: string;
  readonly name: string;
  readonly cpu?: number;
  readonly events: number;
  readonly firstNs: DisplayNs;
  readonly lastNs: DisplayNs;
}

export interface HostEntry {
  readonly index: number;
  readonly name: string;
  readonly cpus: readonly CpuEntry[];
  /** undefined: none is known. */
  readonly threads: HostThreads | undefined;
  /** Rows of hosts without kernel events: threads named by events, and streams whose events name none. */
  readonly eventThreads?: EventThreads;
  readonly streams: readonly StreamEntry[];
  /** Bounds of what is known of the host: less than its recording while reading, or if reading was stopped. */
  readonly firstNs: DisplayNs;
  readonly lastNs: DisplayNs;
}

export function rowTree(hosts: readonly HostEntry[]): RowColumns {
  const writer = new RowWriter(hosts.reduce((sum, host) => sum + mostRows(host), 0));
  for (const host of hosts) new HostTree(host, writer).add();
  return writer.finish();
}

/** Upper bound: the host and three groups, and each thread with a process and a namespace of its own. */
function mostRows({ cpus, streams, threads, eventThreads }: HostEntry): number {
  const ofEvents = eventThreads === undefined ? 0 : mostEventRows(eventThreads);
  return 4 + cpus.length + streams.length + ofEvents + 2 * (threads?.table.length ?? 0);
}

/** Adds the rows of one host. A process is identified by one of its threads, as a row of the thread table. */
class HostTree {
  readonly #forkedBy: Parents | undefined;

  constructor(
    private readonly host: HostEntry,
    private readonly rows: RowWriter,
  ) {
    this.#forkedBy = host.threads && new Parents(host.threads.table, host.threads.firstNs);
  }

  add(): void {
    const { index, name, cpus, streams, threads, eventThreads } = this.host;
    const busyNs = cpus.reduce((sum, cpu) => sum + cpu.busyNs, 0);
    const root = this.#addWhole(-1, 'host', `host:${index}`, name, busyNs);
    for (const cpu of cpus) {
      const row = this.#addWhole(root, 'cpu', `cpu:${index}:${cpu.cpu}`, `CPU ${cpu.cpu}`, cpu.busyNs);
      this.rows.columns.cpu[row] = cpu.cpu;
      this.rows.columns.attribute[row] = cpu.attribute;
    }
    for (const stream of streams) this.#addStream(root, stream);
    if (eventThreads !== undefined) new EventRows(this.rows, index, eventThreads).add(root);
    if (threads !== undefined) this.#addThreads(root, threads);
  }

  /** Adds a row that lasts as long as the host. */
  #addWhole(parent: number, kind: RowKind, id: string, name: string, cpuTimeNs: number): number {
    const { index, firstNs, lastNs } = this.host;
    const row = this.rows.add(parent, index, kind, id, name);
    this.#setTimes(row, cpuTimeNs, firstNs, lastNs);
    return row;
  }

  #addStream(root: number, { key, name, cpu, events, firstNs, lastNs }: StreamEntry): void {
    const { index } = this.host;
    const row = this.rows.add(root, index, 'stream', `stream:${index}:${key}`, name);
    this.rows.columns.events[row] = events;
    if (cpu !== undefined) this.rows.columns.cpu[row] = cpu;
    this.#setTimes(row, 0, firstNs, lastNs);
  }

  #addThreads(root: number, threads: HostThreads): void {
    const { tid, mode, ran, stateAttribute, length } = threads.table;
    const ofUsers: number[] = [];
    const ofKernel: number[] = [];
    const others: number[] = [];
    for (let thread = 0; thread < length; thread++) {
      if (tid[thread] === 0 || stateAttribute[thread] < 0) continue;
      (ran[thread] === 0 ? others : mode[thread] === STATE_KERNEL ? ofKernel : ofUsers).push(thread);
    }
    const ofTracer = tracerThreads(threads.table);
    const isOfTracer = (thread: number) => ofTracer[thread] === OWN_OF_TRACER;
    this.#addProcesses(
      root,
      threads,
      ofUsers.filter((thread) => !isOfTracer(thread)),
    );
    this.#addTracer(root, threads, ofUsers.filter(isOfTracer));
    this.#addGroup(root, 'kernel-threads', 'Kernel threads', threads, ofKernel);
    this.#addGroup(root, 'never-ran', 'Never ran', threads, others);
  }

  #addProcesses(root: number, threads: HostThreads, list: readonly number[]): void {
    const processes = new Processes(threads, list);
    const namespaceOf = (first: number) => threads.inside?.ns[first] ?? 0;
    const groups = groupBy(processes.firsts, namespaceOf);
    const isGrouped = groups.size - (groups.has(0) ? 1 : 0) > 1;
    const add = (parent: number, firsts: readonly number[]) => {
      for (const first of firsts) this.#addProcess(parent, threads, first, processes.below.get(first));
    };
    add(root, isGrouped ? (groups.get(0) ?? []) : processes.firsts);
    if (!isGrouped) return;
    for (const [ns, firsts] of groups) {
      if (ns === 0) continue;
      const row = this.#addNamespace(root, threads, ns, list);
      add(row, firsts);
    }
  }

  #addTracer(root: number, threads: HostThreads, list: readonly number[]): void {
    if (list.length === 0) return;
    const { index } = this.host;
    const row = this.rows.add(root, index, 'tracer', `tracer:${index}`, 'Tracer');
    const processes = new Processes(threads, list);
    for (const first of processes.firsts) this.#addProcess(row, threads, first, processes.below.get(first));
    this.#addSums(row, threads, list);
  }

  /** Adds a nested pid namespace, named by its number and by its first process (pid 1 in it). */
  #addNamespace(root: number, threads: HostThreads, ns: number, list: readonly number[]): number {
    const { index } = this.host;
    const { inside, table } = threads;
    const members = list.filter((thread) => inside?.ns[thread] === ns);
    const main = members.find((thread) => inside?.vtid[thread] === 1);
    const row = addNamespaceRow(this.rows, root, index, ns, main === undefined ? '' : table.name[main]);
    this.#addSums(row, threads, members);
    return row;
  }

  #addProcess(root: number, threads: HostThreads, first: number, members: number[] | undefined): void {
    if (members === undefined) {
      this.#setForker(this.#addThread(root, threads, first), first);
      return;
    }
    members.sort(byTime(threads));
    const { index } = this.host;
    const { table } = threads;
    const hasLeader = table.tid[first] === table.pid[first];
    const key = hasLeader ? threadKey(table, first) : table.pid[first];
    const name = table.name[hasLeader ? first : members[0]];
    const row = this.rows.add(root, index, 'process', `process:${index}:${key}`, name);
    this.rows.columns.tid[row] = this.rows.columns.pid[row] = table.pid[first];
    this.#setForker(row, first);
    if (hasLeader) this.#setInside(row, threads, first);
    this.#addMembers(row, threads, members);
  }

  #addGroup(
    root: number,
    kind: 'kernel-threads' | 'never-ran',
    name: string,
    threads: HostThreads,
    members: number[],
  ): void {
    if (members.length === 0) return;
    const { index } = this.host;
    const row = this.rows.add(root, index, kind, `${kind}:${index}`, name);
    this.rows.setFlags(row, kind !== 'never-ran', false);
    this.#addMembers(row, threads, members.sort(byTime(threads)), true);
  }

  /** Adds threads below a row, which gets the sum of their times. */
  #addMembers(parent: number, threads: HostThreads, members: readonly number[], isGroup = false): void {
    for (const thread of members) {
      const row = this.#addThread(parent, threads, thread);
      // In groups without process rows each leader's row carries the parent process.
      if (threads.table.tid[thread] === threads.table.pid[thread] && isGroup) this.#setForker(row, thread);
    }
    this.#addSums(parent, threads, members);
  }

  #addSums(row: number, threads: HostThreads, members: readonly number[]): void {
    let cpuTimeNs = 0;
    let firstNs = Infinity;
    let lastNs = -Infinity;
    for (const thread of members) {
      cpuTimeNs += threads.cpuTimeNs[thread];
      firstNs = Math.min(firstNs, threads.firstNs[thread]);
      lastNs = Math.max(lastNs, threads.lastNs[thread]);
    }
    this.#setTimes(row, cpuTimeNs, firstNs, lastNs);
  }

  #setForker(row: number, first: number): void {
    const ppid = this.#forkedBy?.pidOf(first);
    if (ppid !== undefined) this.rows.columns.ppid[row] = ppid;
  }

  /** Adds a thread; the row's number. */
  #addThread(parent: number, threads: HostThreads, thread: number): number {
    const { table, cpuTimeNs, firstNs, lastNs } = threads;
    const { index } = this.host;
    const id = `thread:${index}:${threadKey(table, thread)}`;
    const row = this.rows.add(parent, index, 'thread', id, table.name[thread]);
    this.rows.setFlags(row, table.ran[thread] !== 0, table.mode[thread] === STATE_KERNEL);
    this.rows.columns.tid[row] = table.tid[thread];
    this.rows.columns.pid[row] = table.pid[thread];
    this.rows.columns.attribute[row] = table.stateAttribute[thread];
    this.#setInside(row, threads, thread);
    this.#setTimes(row, cpuTimeNs[thread], firstNs[thread], lastNs[thread]);
    return row;
  }

  #setInside(row: number, { inside }: HostThreads, thread: number): void {
    if (inside === undefined || inside.vtid[thread] === 0) return;
    this.rows.columns.vtid[row] = inside.vtid[thread];
    this.rows.columns.ns[row] = inside.ns[thread];
  }

  #setTimes(row: number, cpuTimeNs: number, firstNs: DisplayNs, lastNs: DisplayNs): void {
    this.rows.columns.cpuTimeNs[row] = cpuTimeNs;
    this.rows.columns.firstNs[row] = firstNs;
    this.rows.columns.lastNs[row] = lastNs;
  }
}

/** Threads by process (`process-threads.ts`). */
class Processes {
  /** Threads that stand for processes, by time on CPU, most first. */
  readonly firsts: readonly number[];
  /** The threads of processes with several threads. */
  readonly below: ReadonlyMap<number, number[]>;

  constructor(threads: HostThreads, list: readonly number[]) {
    const { pid, length } = threads.table;
    const firstOf = firstsOf(threads.table, threads.firstNs, list);
    const cpuTimeNs = new Float64Array(length);
    const firsts: number[] = [];
    const below = new Map<number, number[]>();
    for (const thread of list) {
      const first = firstOf[thread];
      cpuTimeNs[first] += threads.cpuTimeNs[thread];
      if (first === thread) firsts.push(thread);
      else if (!below.has(first)) below.set(first, [first]);
    }
    for (const thread of list) if (firstOf[thread] !== thread) below.get(firstOf[thread])?.push(thread);
    this.firsts = firsts.sort((a, b) => cpuTimeNs[b] - cpuTimeNs[a] || pid[a] - pid[b]);
    this.below = below;
  }
}

function byTime({ table, cpuTimeNs, firstNs }: HostThreads): (a: number, b: number) => number {
  return (a, b) => cpuTimeNs[b] - cpuTimeNs[a] || table.tid[a] - table.tid[b] || firstNs[a] - firstNs[b];
}

/** CPUs and threads known so far, and the time up to which they are. */
export async function hostEntries(
  tables: StateTables,
  query: HistoryQuery,
  clock: ClockTransform,
  namespaces: NamespaceThreads,
): Promise<{ readonly cpus: CpuEntry[]; readonly threads: HostThreads; readonly lastNs: DisplayNs }> {
  const { threads } = tables;
  const { from, to } = query.extent();
  const busy = await busyTimes(query, tables, { from, to });
  const totals = await query.totals(threads.stateAttribute, from, to);
  const { ns, states } = totals;
  const cpuTimeNs = new Float64Array(threads.length);
  for (let thread = 0; thread < threads.length; thread++) {
    const at = thread * states;
    cpuTimeNs[thread] = ownTime(ns, at) + ns[at + STATE_INTERRUPTED];
  }
  // 15 MB for a hundred thousand threads, at each picture.
  freeBuffers(totals);
  return {
    cpus: tables.cpus.map((c, i) => ({ cpu: c.cpu, attribute: c.stateAttribute, busyNs: busy[i] })),
    threads: {
      table: threads,
      inside: namespaces.isNested ? namespaces.insideNumbers(threads.tid, threads.first) : undefined,
      cpuTimeNs,
      firstNs: clock.columnToExperiment(threads.first),
      lastNs: clock.columnToExperiment(threads.last),
    },
    lastNs: clock.toExperiment(to),
  };
}
