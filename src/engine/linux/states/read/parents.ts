/** Parents of processes: which process forked another one, and in which life of its pid. */
import { groupBy } from '../../../base/group-by.ts';
import type { ThreadRows } from '../reduce/kernel-tables.ts';

type Table = Pick<ThreadRows, 'length' | 'tid' | 'pid' | 'ppid' | 'parent'>;

export class Parents {
  readonly #table: Table;
  readonly #first: Float64Array;
  /** Lives of leaders by pid, in order of their first mention. */
  readonly #lives: ReadonlyMap<number, readonly number[]>;

  /** @param first time when each thread was first mentioned */
  constructor(table: Table, first: Float64Array) {
    this.#table = table;
    this.#first = first;
    const { length, tid, pid } = table;
    const threads = Array.from({ length }, (_, thread) => thread);
    const leaders = threads.filter((thread) => pid[thread] > 0 && tid[thread] === pid[thread]);
    this.#lives = groupBy(leaders, (leader) => pid[leader]);
  }

  /** @returns pid of the process that forked the one of this leader; undefined: not known */
  pidOf(leader: number): number | undefined {
    const { pid, parent } = this.#table;
    // The parent was alive, so it is its pid's last life that began before.
    const by = parent[leader] >= 0 ? parent[leader] : this.lifeOf(leader);
    return by >= 0 && pid[by] > 0 ? pid[by] : undefined;
  }

  /**
   * The process that the state dump names as a thread's parent: the last life of its pid that began before the thread
   * did; a later one reuses the number. A single life may have been mentioned later, unless it was forked then.
   * @returns leader of the process; -1: not known
   */
  lifeOf(thread: number): number {
    const { ppid, parent } = this.#table;
    const lives = this.#lives.get(ppid[thread]) ?? [];
    const before = lives.findLast((life) => this.#first[life] <= this.#first[thread]);
    if (before !== undefined) return before;
    return lives.length === 1 && parent[lives[0]] < 0 ? lives[0] : -1;
  }
}
