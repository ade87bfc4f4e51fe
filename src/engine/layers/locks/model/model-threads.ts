/** The threads of a model: those of the log, and others that woke them. */
import { compare } from '../../../base/compare.ts';
import type { StateTables } from '../../../linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../../linux/states/reduce/thread-table.ts';
import type { EventThread } from '../../contract/event-threads.ts';
import type { LockLog } from '../lock-log.ts';
import type { ModelThread } from './lock-model.ts';

export class ModelThreads {
  readonly list: ModelThread[];
  readonly #tables: StateTables | undefined;
  /** Row of the list by row of the kernel's table; -1 none. */
  readonly #places: Int32Array;
  readonly #processNames = new Map<number, string>();

  constructor(threads: readonly EventThread[], tables: StateTables | undefined) {
    this.#tables = tables;
    this.#places = new Int32Array(tables?.threads.length ?? 0).fill(-1);
    this.list = threads.map((thread, place) => {
      if (thread.row >= 0 && this.#places[thread.row] < 0) this.#places[thread.row] = place;
      return this.#named(thread);
    });
  }

  /** Row of a thread by its row in the kernel's table; adds it if missing. */
  placeOf(row: number): number {
    const known = this.#places[row];
    const tables = this.#tables;
    if (known >= 0 || tables === undefined) return known;
    const { tid, pid } = tables.threads;
    this.#places[row] = this.list.length;
    const thread = { row, tid: tid[row], ns: 0, pid: pid[row], process: '' };
    return this.list.push(this.#named(thread)) - 1;
  }

  /** Last name of the main thread, '' unknown. */
  #processName(pid: number): string {
    let name = this.#processNames.get(pid);
    if (name === undefined) {
      const threads = this.#tables?.threads;
      name = threads?.name[threads.tid.lastIndexOf(pid)] ?? '';
      this.#processNames.set(pid, name);
    }
    return name;
  }

  #named(thread: EventThread): ModelThread {
    const { tid, row, pid } = thread;
    const threads = this.#tables?.threads;
    if (row < 0 || threads === undefined) return { ...thread, key: String(tid), name: '' };
    const process = thread.process || this.#processName(pid);
    return { ...thread, process, key: threadKey(threads, row), name: threads.name[row] };
  }
}

/** Process of a thread; its own number if not known. */
export function processOf({ pid, tid }: EventThread): number {
  return pid >= 0 ? pid : tid;
}

/** Rank of each row in the order of texts. */
export function textRanks(threads: readonly ModelThread[]): Int32Array {
  return ranksBy(threads, (a, b) => compare(a.key, b.key));
}

/** Rank of each row in the order of thread ids, and of lives of one id. */
export function threadRanks(threads: readonly ModelThread[]): Int32Array {
  return ranksBy(
    threads,
    (a, b) => a.tid - b.tid || a.ns - b.ns || a.key.length - b.key.length || compare(a.key, b.key),
  );
}

function ranksBy(
  threads: readonly ModelThread[],
  compare: (a: ModelThread, b: ModelThread) => number,
): Int32Array {
  const order = threads.map((_, row) => row).sort((a, b) => compare(threads[a], threads[b]) || a - b);
  const ranks = new Int32Array(threads.length);
  order.forEach((row, rank) => (ranks[row] = rank));
  return ranks;
}

/** Times until which threads may go on: their end, the begin of the next life of their id, or the last event. */
export function threadEnds(
  log: LockLog,
  tables: StateTables | undefined,
  end: number,
): (thread: number) => number {
  const ends = new Float64Array(log.threads.length).fill(Math.max(end, log.end));
  log.threads.forEach(({ row }, thread) => {
    if (row < 0 || tables === undefined) return;
    const { ended, last } = tables.threads;
    if (!Number.isNaN(ended[row])) ends[thread] = ended[row];
    else if (last[row] < tables.end) ends[thread] = last[row];
  });
  return (thread) => ends[thread];
}
