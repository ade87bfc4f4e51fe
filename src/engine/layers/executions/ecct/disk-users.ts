/** Users of a host's disks: threads that used them while another one waited for them. */
import { DiskWaits } from '../../../graph/disk-waits.ts';
import { NOBODY } from '../../../graph/execution-graph.ts';
import type { HostData } from '../../../graph/history-graph.ts';

/** Threads that hand requests of others on to the disk: those of the kernel's queue kblockd. */
const HANDS_ON = /^kworker\/\d+:\d+H$/;

export interface DiskUser {
  /** Row of the thread. */
  readonly thread: number;
  /** Time at which the first of its requests that count was given to the disk. */
  issued: number;
}

/** Requests are read for one interval of the history after the other; waits come in order of time, mostly. */
export class DiskUsers {
  readonly #host: HostData;
  #requests: DiskWaits | undefined;
  /** Waits within [from, to] can be answered. */
  #from = Infinity;
  #to = -Infinity;

  constructor(host: HostData) {
    this.#host = host;
  }

  /**
   * Threads with a request at any disk within [from, to), in order of their tids. Flushes are nobody's, nor are requests
   * that are handed on.
   * @returns undefined: the interval has to be loaded first
   */
  during(from: number, to: number): DiskUser[] | undefined {
    if (this.#requests === undefined || from < this.#from || to > this.#to) return undefined;
    const { firstWorker, tables } = this.#host;
    const { name, tid } = tables.threads;
    const users = new Map<number, DiskUser>();
    for (const { worker, issued, isFlush } of this.#requests.within(from, to)) {
      const thread = worker - firstWorker;
      if (worker === NOBODY || isFlush || HANDS_ON.test(name[thread])) continue;
      const user = users.get(thread);
      if (user === undefined) users.set(thread, { thread, issued });
      else user.issued = Math.min(user.issued, issued);
    }
    return [...users.values()].sort((a, b) => tid[a.thread] - tid[b.thread] || a.thread - b.thread);
  }

  /** Reads the requests of the segments of history that hold [from, to]. */
  async load(from: number, to: number): Promise<void> {
    const { lists } = this.#host;
    const begin = lists.beginOf(lists.segmentAt(from));
    const end = lists.beginOf(lists.segmentAt(to) + 1);
    this.#requests = await DiskWaits.read(this.#host, begin, end - 1);
    this.#from = begin;
    this.#to = end;
  }
}
