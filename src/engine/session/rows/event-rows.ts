/**
 * Rows of threads that only their events tell of (`density/thread-events`): processes ▸ threads, those with most events
 * first. A process with one thread is one row, and threads without a lane of their own are one row together.
 */
import { type HostEvents, MOST_KNOWN, MOST_THREADS } from '../../density/thread-events.ts';
import { findPair } from '../../density/pair-keys.ts';
import { nameOfProcess } from '../../density/process-names.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RowWriter } from './row-columns.ts';

export interface EventThreads {
  readonly events: HostEvents;
  /** To display time. */
  readonly clock: ClockTransform;
}

/** A row for each thread, perhaps one for its process, and one for all others. */
export function mostEventRows({ events }: EventThreads): number {
  return 2 * events.threads.events.length + 1;
}

/**
 * Adds the row of a nested pid namespace.
 * @param ns low 32 bits of its inode number
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
  const name = `Namespace ${inode}${main === '' ? '' : ` of ${main}`}`;
  const row = rows.add(parent, host, 'namespace', `namespace:${host}:${inode}`, name);
  rows.ns[row] = ns;
  return row;
}

/** Adds the rows of a host's threads below `root`. */
export class EventRows {
  readonly #rows: RowWriter;
  readonly #host: number;
  readonly #events: HostEvents;
  readonly #clock: ClockTransform;

  constructor(rows: RowWriter, host: number, { events, clock }: EventThreads) {
    this.#rows = rows;
    this.#host = host;
    this.#events = events;
    this.#clock = clock;
  }

  add(root: number): void {
    for (const members of this.#processes()) {
      if (members.length === 1) this.#addThread(root, members[0]);
      else this.#addProcess(root, members);
    }
    if (this.#events.threads.events.length > MOST_THREADS) this.#addOthers(root);
  }

  /** Lanes by process, most events first. Keys stand by pid. */
  #processes(): number[][] {
    const { keys, events } = this.#events.threads;
    const lanes = Math.min(events.length, MOST_THREADS);
    const processes: { readonly members: number[]; events: number }[] = [];
    for (let lane = 0; lane < lanes; lane++) {
      const pid = keys[2 * lane + 1];
      const isSame = lane > 0 && pid >= 0 && keys[2 * lane - 1] === pid;
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
    const pid = threads.keys[2 * members[0] + 1];
    const leader = findPair(threads.keys, pid, pid);
    const ofLeader = members.includes(leader) ? names[leader] : '';
    const name = ofLeader || nameOfProcess(processes, pid) || names[members[0]] || 'Process';
    const row = this.#rows.add(root, this.#host, 'process', `process:${this.#host}:${pid}`, name);
    this.#rows.tid[row] = this.#rows.pid[row] = pid;
    this.#setEvents(row, members);
    for (const lane of members) this.#addThread(row, lane);
  }

  #addThread(parent: number, lane: number): void {
    const { threads, names, processes } = this.#events;
    const [tid, pid] = threads.keys.subarray(2 * lane);
    const id = `thread:${this.#host}:${pid}.${tid}`;
    const name = names[lane] || nameOfProcess(processes, pid) || 'Thread';
    const row = this.#rows.add(parent, this.#host, 'thread', id, name);
    this.#rows.tid[row] = tid;
    this.#rows.pid[row] = pid;
    this.#setEvents(row, [lane]);
  }

  #addOthers(root: number): void {
    const known = this.#events.threads.keys.length / 2;
    const name = `${known === MOST_KNOWN ? 'At least ' : ''}${known - MOST_THREADS} more threads`;
    const row = this.#rows.add(root, this.#host, 'more-threads', `more-threads:${this.#host}`, name);
    this.#setEvents(row, [MOST_THREADS]);
  }

  #setEvents(row: number, lanes: readonly number[]): void {
    const { events, from, to } = this.#events.threads;
    let first = Infinity;
    let last = -Infinity;
    for (const lane of lanes) {
      this.#rows.events[row] += events[lane];
      first = Math.min(first, from[lane]);
      last = Math.max(last, to[lane]);
    }
    this.#rows.firstNs[row] = this.#clock.toExperiment(first);
    this.#rows.lastNs[row] = this.#clock.toExperiment(last);
  }
}
