/** Locks on paths: the graph with waits for them, their names, and the holders of locks that nobody handed over. */
import type { PathLocks, PathGraph } from './path-finder.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addNumber } from '../../base/group-by.ts';
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import { LockGraph } from '../../graph/lock-graph.ts';
import { HANDED_OVER, UNENDED } from '../../graph/lock-waits.ts';
import { BLOCKED, isNotHeld, PREEMPTED } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import type { HolderOf } from '../../graph/segment-parts.ts';
import { graphLockWaits } from '../../layers/locks/graph-lock-waits.ts';
import { kernelLockWords, lockId, lockKey, lockWords, processNames } from '../../layers/locks/lock-names.ts';
import type { LockModel } from '../../layers/locks/model/lock-model.ts';
import { TurnList } from '../../layers/locks/results/wait-parts.ts';
import { CAUSE_LOCK, causeOf, detailOf } from '../../linux/events/values.ts';
import type { KernelLockTime } from '../../protocol/paths.ts';
import { labelOfRow, sharedNames } from '../context/thread-rows.ts';

/** Tables of locks, with the hosts' indices in the experiment; the same object as long as nothing changes. */
export type LocksOfHosts = readonly {
  readonly index: number;
  readonly tables: { readonly model: LockModel };
}[];

/** Locks with display names for some of them, by id. */
export function withNames(locks: PathLocks, names: ReadonlyMap<string, string>): PathLocks {
  if (names.size === 0) return locks;
  return {
    ...locks,
    wordsOf: (worker, cause) => names.get(locks.idOf(worker, cause) ?? '') ?? locks.wordsOf(worker, cause),
  };
}

/** The locks of a graph; cached. */
export function pathLocks(known: PathGraph, locks: LocksOfHosts): PathLocks {
  return madeFor(known)(locks);
}

const madeFor = cachedByKey((known: PathGraph) =>
  cachedByKey((locks: LocksOfHosts) => makeLocks(known, locks)),
);

function makeLocks({ graph, hosts }: PathGraph, locks: LocksOfHosts): PathLocks {
  const placed = locks
    .map(({ index, tables: { model } }) => {
      return { host: hosts.findIndex((host) => host.index === index), model };
    })
    .filter(({ host }) => host >= 0);
  const lockOf = (worker: GraphWorker, cause: number) => {
    const { host } = graph.place(worker);
    const model = placed.find((each) => each.host === host)?.model;
    const lock = model?.locks[detailOf(cause)];
    return model && lock && { lock, index: hosts[host].index, processes: processesOf(model) };
  };
  return {
    graph: new LockGraph(graph, graphLockWaits(graph, placed)),
    hostOf: (worker) => graph.place(worker).host,
    hasWaits: placed.some(({ model }) => model.waits.length + model.futexWaits.length > 0),
    keyOf(worker, cause) {
      const found = lockOf(worker, cause);
      return found === undefined ? '' : lockKey(found.lock);
    },
    wordsOf(worker, cause) {
      const found = lockOf(worker, cause);
      return found === undefined
        ? 'a lock'
        : lockWords(found.lock, found.processes.get(found.lock.process) ?? '');
    },
    idOf(worker, cause) {
      const found = lockOf(worker, cause);
      return found && lockId(found.index, found.lock);
    },
  };
}

const processesOf = cachedByKey(({ threads }: LockModel) => processNames(threads));

/** Whether a cause or value of a wait names a lock. */
export function isLockWait(value: number): boolean {
  return causeOf(value) === CAUSE_LOCK && detailOf(value) >= 0;
}

/** Words of a wait for a lock, by its value or cause. */
export function lockWaitWords(lock: string, value: number): string {
  return isNotHeld(value) ? `${lock} while nobody held it` : lock;
}

/** Finder of the holders of locks. */
export function holderIn({ graph }: PathLocks): HolderOf {
  return (worker, time) => graph.holderAt(worker, time);
}

/** A wait for a lock that nobody handed over: see `VainLockWait`. */
export interface VainWait {
  readonly worker: GraphWorker;
  readonly ns: number;
  readonly chain: readonly { readonly lock: string; readonly holder: GraphWorker }[];
  readonly isCircle: boolean;
}

/** Waits without a hand-over: those of the thread studied that never ended, and those that are segments of the path. */
export function vainWaitsOn({ worker: studied, from, to, segments: s }: Path, locks: PathLocks): VainWait[] {
  const { graph } = locks;
  const { waits } = graph;
  const rows = new Set<number>();
  for (const row of graph.vainWaitsOf(studied))
    if (waits.outcome[row] === UNENDED && waits.begin[row] < to && waits.end[row] > from) rows.add(row);
  for (let i = 0; i < s.length; i++) {
    if (s.label[i] !== BLOCKED || !isLockWait(s.cause[i])) continue;
    const row = graph.waitAt(s.worker[i], s.from[i]);
    if (row >= 0 && waits.outcome[row] !== HANDED_OVER) rows.add(row);
  }
  return Array.from(rows, (row) => {
    const begin = Math.max(from, waits.begin[row]);
    const end = Math.min(to, waits.end[row]);
    return { worker: waits.worker[row], ns: end - begin, ...chainOf(locks, row) };
  });
}

/** Chain of a wait: who held its lock, which lock that thread waited for without a hand-over meanwhile, and so on. */
function chainOf(locks: PathLocks, wait: number): Pick<VainWait, 'chain' | 'isCircle'> {
  const { graph } = locks;
  const { worker, begin, end, by, cause } = graph.waits;
  const chain: { lock: string; holder: GraphWorker }[] = [];
  const seen = new Set<GraphWorker>();
  let [from, to] = [-Infinity, Infinity];
  for (let row: number | undefined = wait; row !== undefined;) {
    from = Math.max(from, begin[row]);
    to = Math.min(to, end[row]);
    const holder: GraphWorker = by[row];
    seen.add(worker[row]);
    chain.push({ lock: locks.wordsOf(worker[row], cause[row]), holder });
    if (holder === NOBODY || seen.has(holder)) break;
    row = graph.vainWaitsOf(holder).findLast((each) => begin[each] < to && end[each] > from);
  }
  return { chain, isCircle: seen.has(chain[chain.length - 1].holder) };
}

/** Waits of the thread studied for a lock, as divided by segments of the path. */
export interface DividedWaits {
  readonly lock: string;
  waits: number;
  ns: number;
  /** Turns of holders, which are workers. */
  turns: TurnList;
  /** ns by worker that was ready to run while nobody held the lock. */
  readonly ready: Map<GraphWorker, number>;
}

/** Divided waits of the thread studied, by lock, longest first; none by criteria that do not divide waits. */
export function dividedWaitsOn(path: Path, locks: PathLocks): DividedWaits[] {
  const { worker: studied, segments: s, waits: around } = path;
  const { graph } = locks;
  const byLock = new Map<string, DividedWaits>();
  if (!around.cause.subarray(0, around.length).some(isLockWait)) return [];
  let last = -1;
  for (let i = 0; i < s.length; i++) {
    let root = s.wait[i];
    while (root >= 0 && around.parent[root] >= 0) root = around.parent[root];
    const isOwn = root < 0 ? s.worker[i] === studied : around.worker[root] === studied;
    const row = isOwn ? graph.waitAt(studied, s.from[i]) : -1;
    if (row < 0) continue;
    const lock = locks.wordsOf(studied, graph.waits.cause[row]);
    const found = byLock.get(lock) ?? { lock, waits: 0, ns: 0, turns: new TurnList(), ready: new Map() };
    byLock.set(lock, found);
    if (row !== last) found.waits++;
    last = row;
    const ns = s.to[i] - s.from[i];
    found.ns += ns;
    const { hold, holder, isHeld } = graph.pieceAt(row, s.from[i]);
    found.turns.add(holder, isHeld ? hold : undefined, ns);
    if (!isHeld && s.label[i] === PREEMPTED) addNumber(found.ready, s.worker[i], ns);
  }
  for (const found of byLock.values()) if (found.waits > 1) found.turns = found.turns.byHolder();
  return [...byLock.values()].sort((a, b) => b.ns - a.ns);
}

/** Waits of the thread studied for locks of the kernel, longest first. No edges of the path, as holders are unknown. */
export function kernelWaitsOn(
  { worker, from, to }: Path,
  { graph, hosts }: PathGraph,
  locks: LocksOfHosts,
): KernelLockTime[] {
  const { host, thread } = graph.place(worker);
  const model = locks.find(({ index }) => index === hosts[host].index)?.tables.model;
  if (model === undefined || thread < 0) return [];
  const { kernelWaits: waits, kernelLocks, threads } = model;
  const { toGraph } = graph.hostData(host);
  const { tables } = hosts[host];
  const found = new Map<number, { ns: number; waits: number; by: Map<number, number> }>();
  for (let row = 0; row < waits.length; row++) {
    if (threads[waits.thread[row]]?.row !== thread) continue;
    const ns = Math.min(to, toGraph(waits.to[row])) - Math.max(from, toGraph(waits.from[row]));
    if (!(ns > 0)) continue;
    const sum = found.get(waits.lock[row]) ?? { ns: 0, waits: 0, by: new Map<number, number>() };
    found.set(waits.lock[row], sum);
    sum.ns += ns;
    sum.waits++;
    addNumber(sum.by, waits.waker[row], ns);
  }
  const labelOf = (waker: number): string | undefined => {
    const row = threads[waker]?.row ?? -1;
    return row < 0 ? undefined : labelOfRow(sharedNames(hosts), tables.threads, row);
  };
  return Array.from(found, ([lock, { by, ...sums }]) => ({
    lock: kernelLockWords(
      kernelLocks[lock],
      waits.flags.filter((_, row) => waits.lock[row] === lock),
    ),
    ...sums,
    by: labelOf([...by].sort(([, a], [, b]) => b - a)[0][0]),
  })).sort((a, b) => b.ns - a.ns);
}
