/**
 * Rows of threads that only their events describe (`density/thread-events`): processes ▸ threads, those with most
 * events first. A process with one thread is one row, and the threads without a lane of their own share a row. Where
 * there are several pid namespaces, each is a group.
 */
import { groupBy } from '../../base/group-by.ts';
import { type HostEvents, MOST_KNOWN, MOST_THREADS } from '../../density/thread-events.ts';
import { findKey, KEY } from '../../density/lanes.ts';
import { nameOfProcess } from '../../density/process-names.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RowWriter } from './row-writer.ts';

export interface EventThreads {
  readonly events: HostEvents;
  /** Transform of the events' times to display time. */
  readonly clock: ClockTransform;
}

/** Upper bound of the rows: one for each thread, its process and its namespace, and one for all others. */
export function mostEventRows({ events }: EventThreads): number {
  return 3 * events.threads.events.length + 1;
}

/**
 * Adds the row of a pid namespace.
 * @param ns low half of its inode number
 * @param main name of its first process, '' not known
 */
export function addNamespaceRow(
  rows: RowWriter,
  parent: number,
  host: number,
  ns: number,
  main: string,
): number {
  const inode = ns >>> 0;
  // The distinctive part comes first, as the end is cut where space is small.
  const name = main === '' ? `Namespace ${inode}` : `${main} (namespace ${inode})`;
  const row = rows.add(parent, host, 'namespace', `namespace:${host}:${inode}`, name);
  rows.columns.ns[row] = ns;
  return row;
}

/** Adds the rows of a host's threads below `root`. */
export class EventRows {
  readonly #events: HostEvents;
  readonly #clock: ClockTransform;

  constructor(
    private readonly rows: RowWriter,
    private readonly host: number,
    { events, clock }: EventThreads,
  ) {
    this.#events = events;
    this.#clock = clock;
  }

  add(root: number): void {
    const groups = groupBy(this.#processes(), ([first]) => this.#key(first).ns);
    const isGrouped = groups.size - (groups.has(0) ? 1 : 0) > 1;
    for (const [ns, processes] of groups) {
      const parent = isGrouped && ns !== 0 ? this.#addNamespace(root, ns, processes) : root;
      for (const members of processes) {
        if (members.length === 1) this.#addThread(parent, members[0]);
        else this.#addProcess(parent, members);
      }
    }
    if (this.#events.threads.events.length > MOST_THREADS) this.#addOthers(root);
  }

  #key(lane: number): { readonly tid: number; readonly pid: number; readonly ns: number } {
    const [tid, pid, ns] = this.#events.threads.keys.subarray(KEY * lane, KEY * (lane + 1));
    return { tid, pid, ns };
  }

  #addNamespace(root: number, ns: number, processes: readonly (readonly number[])[]): number {
    const { names, processes: dumped } = this.#events;
    const lanes = processes.flat();
    const main = lanes.find((lane) => this.#key(lane).tid === 1);
    const name = (main === undefined ? '' : names[main]) || nameOfProcess(dumped, 1, ns);
    const row = addNamespaceRow(this.rows, root, this.host, ns, name);
    this.#setEvents(row, lanes);
    return row;
  }

  /** Lanes by process, most events first. Keys are grouped by pid and namespace. */
  #processes(): number[][] {
    const { events } = this.#events.threads;
    const lanes = Math.min(events.length, MOST_THREADS);
    const processes: { readonly members: number[]; events: number }[] = [];
    for (let lane = 0; lane < lanes; lane++) {
      const { pid, ns } = this.#key(lane);
      const before = lane > 0 ? this.#key(lane - 1) : undefined;
      const isSame = pid >= 0 && before?.pid === pid && before.ns === ns;
      if (!isSame) processes.push({ members: [], events: 0 });
      const process = processes[processes.length - 1];
      process.members.push(lane);
      process.events += events[lane];
    }
    for (const { members } of processes) members.sort((a, b) => events[b] - events[a] || a - b);
    return processes.sort((a, b) => b.events - a.events).map(({ members }) => members);
  }

  #addProcess(root: number, members: readonly number[]): void {
    const { threads, names, processes } = this.#events;
    const { pid, ns } = this.#key(members[0]);
    const leader = findKey(threads.keys, pid, pid, ns);
    const ofLeader = members.includes(leader) ? names[leader] : '';
    const name = ofLeader || nameOfProcess(processes, pid, ns) || names[members[0]] || 'Process';
    const row = this.rows.add(root, this.host, 'process', `process:${this.host}:${pid}${suffixOf(ns)}`, name);
    this.rows.columns.tid[row] = this.rows.columns.pid[row] = pid;
    this.rows.columns.ns[row] = ns;
    this.#setEvents(row, members);
    for (const lane of members) this.#addThread(row, lane);
  }

  #addThread(parent: number, lane: number): void {
    const { names, processes } = this.#events;
    const { tid, pid, ns } = this.#key(lane);
    const id = threadRowId(this.host, { pid, tid, ns });
    const name = names[lane] || nameOfProcess(processes, pid, ns) || 'Thread';
    const row = this.rows.add(parent, this.host, 'thread', id, name);
    this.rows.columns.tid[row] = tid;
    this.rows.columns.pid[row] = pid;
    this.rows.columns.ns[row] = ns;
    this.#setEvents(row, [lane]);
  }

  #addOthers(root: number): void {
    const known = this.#events.threads.keys.length / KEY;
    const name = `${known === MOST_KNOWN ? 'At least ' : ''}${known - MOST_THREADS} more threads`;
    const row = this.rows.add(root, this.host, 'more-threads', `more-threads:${this.host}`, name);
    this.#setEvents(row, [MOST_THREADS]);
  }

  #setEvents(row: number, lanes: readonly number[]): void {
    const { events, from, to } = this.#events.threads;
    let first = Infinity;
    let last = -Infinity;
    for (const lane of lanes) {
      this.rows.columns.events[row] += events[lane];
      first = Math.min(first, from[lane]);
      last = Math.max(last, to[lane]);
    }
    this.rows.columns.firstNs[row] = this.#clock.toExperiment(first);
    this.rows.columns.lastNs[row] = this.#clock.toExperiment(last);
  }
}

/** Row id of a thread that only events describe; `ns` is the nested namespace of its numbers, 0: none. */
export function threadRowId(
  host: number,
  { pid, tid, ns }: { readonly pid: number; readonly tid: number; readonly ns: number },
): string {
  return `thread:${host}:${pid}.${tid}${suffixOf(ns)}`;
}

/** Suffix of thread and process numbers in ids: the nested namespace that they belong to. */
function suffixOf(ns: number): string {
  return ns === 0 ? '' : `.${ns >>> 0}`;
}
