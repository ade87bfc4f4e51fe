/**
 * Waits for locks as the execution graph has them. A contended wait that got the lock becomes one blocked edge from the
 * request to the hand-over, if the lock has an owner; of semaphores only if who gave had taken before. Conditions and
 * barriers change nothing: who waits for these waits for what others do, whatever they did before.
 */
import { trimmed, widen } from '../../base/columns.ts';
import { NOBODY } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import { AS_BLOCKED, type GraphLockWaits, HANDED_OVER, UNENDED } from '../../graph/lock-waits.ts';
import { blockedValue, CAUSE_LOCK } from '../../linux/events/values.ts';
import * as m from './model/lock-model.ts';

/** Locks of a host. */
export interface HostLocks {
  /** Number of the host in the graph. */
  readonly host: number;
  readonly model: m.LockModel;
}

/** The cause of a wait for a lock has the lock's row in its model as detail. */
export function graphLockWaits(graph: HistoryGraph, hosts: readonly HostLocks[]): GraphLockWaits {
  const columns = new WaitColumns(graph);
  for (const host of hosts) {
    columns.beginHost(host);
    addLockWaits(host.model, columns);
    addFutexWaits(host.model, columns);
  }
  return columns.finish();
}

function addLockWaits({ waits }: m.LockModel, columns: WaitColumns): void {
  for (let i = 0; i < waits.length; i++) {
    const flags = waits.flags[i];
    if ((flags & m.CONTENDED) === 0) continue;
    const cause = blockedValue(0, CAUSE_LOCK, waits.lock[i]);
    if (waits.outcome[i] !== m.ACQUIRED) {
      if (waits.mode[i] === m.NO_MODE) continue;
      const outcome = waits.outcome[i] === m.FAILED ? AS_BLOCKED : UNENDED;
      columns.add(outcome, waits.thread[i], waits.request[i], waits.end[i], waits.by[i], cause);
    } else if ((flags & m.TAKEN) !== 0)
      columns.add(HANDED_OVER, waits.thread[i], waits.request[i], waits.link[i], waits.by[i], cause);
  }
}

/** Adds waits for futexes, which tell of locks where no events of user space do. */
function addFutexWaits({ locks, futexes, futexWaits: waits }: m.LockModel, columns: WaitColumns): void {
  const known = processesOf(locks);
  for (let i = 0; i < waits.length; i++) {
    if (waits.waker[i] < 0 || waits.byEnd[i] === 1 || known.has(futexes[waits.futex[i]].process)) continue;
    columns.add(AS_BLOCKED, waits.thread[i], waits.from[i], waits.to[i], -1, 0);
  }
}

/** Processes whose events tell of locks in their memory. */
export function processesOf(locks: m.LockModel['locks']): ReadonlySet<number> {
  const inMemory = locks.filter(({ kind }) => kind !== 'file');
  return new Set(
    inMemory.flatMap(({ process, aliases = [] }) => [process, ...aliases.map((alias) => alias.process)]),
  );
}

class WaitColumns {
  #length = 0;
  readonly #columns = {
    worker: new Int32Array(0),
    begin: new Float64Array(0),
    end: new Float64Array(0),
    outcome: new Uint8Array(0),
    by: new Int32Array(0),
    cause: new Float64Array(0),
  };
  readonly #graph: HistoryGraph;
  #toGraph: (time: number) => number = (time) => time;
  /** Workers of the host's threads, NOBODY where the kernel's trace does not know one. */
  #workers = new Int32Array(0);

  constructor(graph: HistoryGraph) {
    this.#graph = graph;
  }

  /** Begins a host: what follows are waits of it. */
  beginHost({ host, model: { threads } }: HostLocks): void {
    this.#toGraph = this.#graph.hostData(host).toGraph;
    this.#workers = Int32Array.from(threads, ({ row }) =>
      row < 0 ? NOBODY : this.#graph.workerOfThread(host, row),
    );
  }

  /**
   * Times of the host.
   * @param by as `thread` a row of the model's threads, -1 nobody
   */
  add(outcome: number, thread: number, begin: number, end: number, by: number, cause: number): void {
    const worker = this.#workers[thread];
    if (worker === NOBODY) return;
    const from = Math.max(this.#toGraph(begin), this.#graph.firstOf(worker));
    const to = this.#toGraph(end);
    if (!(from < to)) return;
    const c = this.#columns;
    if (this.#length === c.worker.length) widen(c);
    const at = this.#length++;
    c.worker[at] = worker;
    c.begin[at] = from;
    c.end[at] = to;
    c.outcome[at] = outcome;
    c.by[at] = by < 0 ? NOBODY : this.#workers[by];
    c.cause[at] = cause;
  }

  finish(): GraphLockWaits {
    return { length: this.#length, ...trimmed(this.#columns, this.#length) };
  }
}
