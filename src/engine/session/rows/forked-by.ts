/** Which process forked another one, as far as the page can find its row by the pid alone. */
import { groupBy } from '../../base/group-by.ts';
import type { ThreadRows } from '../../linux/reduce/kernel-tables.ts';

type Table = Pick<ThreadRows, 'length' | 'tid' | 'pid' | 'ppid' | 'parent'>;

export class ForkedBy {
  readonly #table: Table;
  readonly #first: Float64Array;
  /** Lives of leaders by pid, in order of their first mention. */
  readonly #lives: ReadonlyMap<number, readonly number[]>;

  /** @param first when each thread was first mentioned */
  constructor(table: Table, first: Float64Array) {
    this.#table = table;
    this.#first = first;
    const { length, tid, pid } = table;
    const threads = Array.from({ length }, (_, thread) => thread);
    const leaders = threads.filter((thread) => pid[thread] > 0 && tid[thread] === pid[thread]);
    this.#lives = groupBy(leaders, (leader) => pid[leader]);
  }

  /**
   * @param leader thread that stands for a process
   * @returns pid of the process that forked it: of its lives the last one that begins before the leader does, or the only
   * one; undefined: not known, or no life is that one
   */
  pidOf(leader: number): number | undefined {
    const { pid, ppid, parent } = this.#table;
    const forker = parent[leader];
    // It was alive when it forked, so it is its pid's last life to begin before.
    if (forker >= 0) return pid[forker] > 0 ? pid[forker] : undefined;
    const lives = this.#lives.get(ppid[leader]);
    if (lives === undefined) return undefined;
    const isBefore = (life: number) => this.#first[life] <= this.#first[leader];
    if (lives.some(isBefore)) return ppid[leader];
    // The only life may have been mentioned later, unless it was forked then.
    return lives.length === 1 && parent[lives[0]] < 0 ? ppid[leader] : undefined;
  }
}
