/** Relations of threads: their process, their children, and whether they are the tracer's own. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { isKernelThread, NOT_TRACER, tracerThreads } from '../../linux/states/reduce/kernel-tables.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import { labelOfRow, sharedNames, type SharedNames } from '../context/thread-rows.ts';
import { processOf } from '../rows/process-threads.ts';

export interface ThreadRole {
  /** Place of its host in the graph, and its row there. */
  readonly host: number;
  readonly thread: number;
  readonly name: string;
  /** Name with the tid where several threads share it; likewise `processLabel`. */
  readonly label: string;
  /** Row of the thread that stands for its process, and its label. */
  readonly leader: number;
  readonly process: string;
  readonly processLabel: string;
  readonly isKernel: boolean;
  /** Whether it belongs to LTTng: its daemons, or its threads within a program. */
  readonly isTracer: boolean;
}

export class ThreadRoles {
  readonly #shared: SharedNames;

  private constructor(private readonly known: PathGraph) {
    this.#shared = sharedNames(known.hosts);
  }

  /** Cached for each graph. */
  static readonly of: (known: PathGraph) => ThreadRoles = cachedByKey((known) => new ThreadRoles(known));

  /** Role of a worker; undefined: interrupts. */
  role(worker: GraphWorker): ThreadRole | undefined {
    const { host, thread } = this.known.graph.place(worker);
    if (thread < 0) return undefined;
    const { threads } = this.known.hosts[host].tables;
    const name = threads.name[thread] || 'a thread';
    const { leader, name: process } = processOf(threads, thread);
    return {
      host,
      thread,
      name,
      label: labelOfRow(this.#shared, threads, thread),
      leader,
      process,
      processLabel: labelOfRow(this.#shared, threads, leader),
      isKernel: isKernelThread(threads, thread),
      isTracer: tracerThreads(threads)[thread] !== NOT_TRACER,
    };
  }

  /** Whether a thread was created by another one or by a descendant of it. */
  isDescendant({ host, thread }: ThreadRole, of: ThreadRole): boolean {
    if (host !== of.host) return false;
    const { parent } = this.known.hosts[host].tables.threads;
    for (let at = parent[thread]; at >= 0; at = parent[at]) if (at === of.thread) return true;
    return false;
  }
}
