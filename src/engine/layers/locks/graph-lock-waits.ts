/**
 * Waits for locks in the form of the execution graph. A contended wait for a lock with an owner is cut by holder, up
 * to the hand-over; a wait for a semaphore only if the giver had taken before. Waits for conditions and barriers stay
 * whole: they are for an action of others, whatever those did before.
 */
import { GrowingTable } from '../../base/columns.ts';
import { i32, noRows, type Table } from '../../base/tables.ts';
import { NOBODY } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import {
  FAILED,
  type GraphLockWaits,
  HANDED_OVER,
  LOCK_PIECES,
  type LockPieces,
  UNENDED,
  WORKER_TIMES,
  WORKER_WAITS,
} from '../../graph/lock-waits.ts';
import { blockedValue, CAUSE_LOCK } from '../../linux/events/values.ts';
import * as lockModel from './model/lock-model.ts';
import { waitParts } from './results/wait-parts.ts';

/** Locks of a host. */
export interface HostLocks {
  /** Number of the host in the graph. */
  readonly host: number;
  readonly model: lockModel.LockModel;
}

/** Pieces of waits that are kept. */
const MOST_PIECES = 1_000_000;

const WAITS = {
  ...WORKER_WAITS,
  /** Index of the host in the list, and row of its model. */
  host: i32(),
  row: i32(),
};

/** Waits whose cause has the lock's row in its model as detail. */
export function graphLockWaits(graph: HistoryGraph, hosts: readonly HostLocks[]): GraphLockWaits {
  const waits = new WaitColumns();
  const bounded = new TimeColumns();
  const clocks = hosts.map((host) => new HostTimes(graph, host));
  for (const [at, { model }] of hosts.entries()) {
    addLockWaits(model, waits, clocks[at], at);
    addRequests(model, bounded, clocks[at]);
    addFutexWaits(model, bounded, clocks[at]);
  }
  const columns = waits.toTable();
  const piecesOf = keptPieces((row) => {
    const host = columns.host[row];
    return piecesIn(hosts[host].model, columns, row, clocks[host]);
  });
  return { ...columns, piecesOf, bounded: bounded.toTable() };
}

function addLockWaits(
  { waits }: lockModel.LockModel,
  columns: WaitColumns,
  times: HostTimes,
  host: number,
): void {
  for (let i = 0; i < waits.length; i++) {
    const flags = waits.flags[i];
    const isGot = waits.outcome[i] === lockModel.ACQUIRED;
    const isOfLock = isGot ? (flags & lockModel.TAKEN) !== 0 : waits.mode[i] !== lockModel.NO_MODE;
    if ((flags & lockModel.CONTENDED) !== 0 && isOfLock) columns.add(waits, i, times, host);
  }
}

/** Adds requests of locks with an owner, whose waits other than contended ones have no known holder. */
function addRequests({ waits }: lockModel.LockModel, columns: TimeColumns, times: HostTimes): void {
  for (let i = 0; i < waits.length; i++)
    if (waits.mode[i] !== lockModel.NO_MODE)
      columns.add(waits.thread[i], waits.request[i], waits.end[i], times);
}

/** Adds waits for futexes, which reveal locks without user-space events. */
function addFutexWaits(
  { locks, futexes, futexWaits: waits }: lockModel.LockModel,
  columns: TimeColumns,
  times: HostTimes,
): void {
  const known = processesOf(locks);
  for (let i = 0; i < waits.length; i++) {
    if (waits.waker[i] < 0 || waits.byEnd[i] === 1 || known.has(futexes[waits.futex[i]].process)) continue;
    columns.add(waits.thread[i], waits.from[i], waits.to[i], times);
  }
}

class HostTimes {
  readonly toGraph: (time: number) => number;
  /** Workers of the model's threads; NOBODY if the kernel's trace does not have the thread. */
  readonly workers: Int32Array;
  readonly #graph: HistoryGraph;

  constructor(graph: HistoryGraph, { host, model: { threads } }: HostLocks) {
    this.#graph = graph;
    this.toGraph = graph.hostData(host).toGraph;
    this.workers = Int32Array.from(threads, ({ row }) =>
      row < 0 ? NOBODY : graph.workerOfThread(host, row),
    );
  }

  /** Limits a time to the life of a worker. */
  within(worker: number, time: number): number {
    return Math.min(Math.max(this.toGraph(time), this.#graph.firstOf(worker)), this.#graph.endOf(worker));
  }
}

class TimeColumns extends GrowingTable<Table<typeof WORKER_TIMES>> {
  constructor() {
    super(noRows(WORKER_TIMES));
  }

  add(thread: number, from: number, to: number, times: HostTimes): void {
    const worker = times.workers[thread];
    if (worker === NOBODY || !(from < to)) return;
    const at = this.addRow();
    this.rows.worker[at] = worker;
    this.rows.begin[at] = times.toGraph(from);
    this.rows.end[at] = times.toGraph(to);
  }
}

/** Processes whose events identify locks in their memory. */
export function processesOf(locks: lockModel.LockModel['locks']): ReadonlySet<number> {
  const inMemory = locks.filter(({ kind }) => kind !== 'file');
  return new Set(
    inMemory.flatMap(({ process, aliases = [] }) => [process, ...aliases.map((alias) => alias.process)]),
  );
}

class WaitColumns extends GrowingTable<Table<typeof WAITS>> {
  constructor() {
    super(noRows(WAITS));
  }

  add(waits: lockModel.LockWaits, row: number, times: HostTimes, host: number): void {
    const worker = times.workers[waits.thread[row]];
    if (worker === NOBODY) return;
    const from = times.within(worker, waits.request[row]);
    const to = times.within(worker, waits.until[row]);
    if (!(from < to)) return;
    const c = this.rows;
    const at = this.addRow();
    c.worker[at] = worker;
    c.begin[at] = from;
    c.end[at] = to;
    c.until[at] = times.toGraph(waits.end[row]);
    c.outcome[at] = OUTCOMES[waits.outcome[row]];
    c.by[at] = waits.by[row] < 0 ? NOBODY : times.workers[waits.by[row]];
    c.cause[at] = blockedValue(0, CAUSE_LOCK, waits.lock[row]);
    c.host[at] = host;
    c.row[at] = row;
  }
}

const OUTCOMES: Readonly<Record<number, number>> = {
  [lockModel.ACQUIRED]: HANDED_OVER,
  [lockModel.FAILED]: FAILED,
  [lockModel.UNFINISHED]: UNENDED,
};

type Columns = ReturnType<WaitColumns['toTable']>;

/** Pieces of a wait, limited to its edge. */
function piecesIn(
  model: lockModel.LockModel,
  columns: Columns,
  at: number,
  { toGraph, workers }: HostTimes,
): LockPieces {
  const [begin, end] = [columns.begin[at], columns.end[at]];
  const table = new GrowingTable(noRows(LOCK_PIECES), 4);
  const pieces = table.rows;
  const add = (holder: number, to: number, isHeld: boolean, asked: number) => {
    if (!(to > (table.length > 0 ? pieces.to[table.length - 1] : begin))) return;
    const at = table.addRow();
    pieces.to[at] = to;
    pieces.holder[at] = holder;
    pieces.isHeld[at] = isHeld ? 1 : 0;
    pieces.asked[at] = asked;
  };
  waitParts(model).each(columns.row[at], (holder, _, to, isHeld, hold) => {
    const worker = isHeld && holder >= 0 ? workers[holder] : NOBODY;
    const asked = hold < 0 ? Infinity : toGraph(model.waits.request[hold]);
    add(worker, Math.min(end, toGraph(to)), isHeld, asked);
  });
  add(NOBODY, end, false, Infinity);
  return table.toTable();
}

/** Caches the pieces that were asked for last. */
function keptPieces(make: (row: number) => LockPieces): (row: number) => LockPieces {
  const kept = new Map<number, LockPieces>();
  let pieces = 0;
  return (row) => {
    const known = kept.get(row);
    if (known !== undefined) return known;
    const made = make(row);
    if (pieces + made.length > MOST_PIECES) {
      kept.clear();
      pieces = 0;
    }
    kept.set(row, made);
    pieces += made.length;
    return made;
  };
}
