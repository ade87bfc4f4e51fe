/** The locks of an open trace, host by host, with the names and display times of answers. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { rowsBy } from '../../base/rows-by.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import * as lockNames from '../../layers/locks/lock-names.ts';
import { lockFinder } from '../../layers/locks/lock-places.ts';
import { threadColours } from '../../layers/locks/results/colours.ts';
import { type LockResults, lockResults } from '../../layers/locks/results/lock-results.ts';
import { sharedNames, type SharedNames, threadLabel } from '../context/thread-rows.ts';
import { withTexts } from '../rows/interval-info.ts';
import { threadRowId } from '../rows/event-rows.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { HostHistory } from '../context/host.ts';
import type { QueryContext, OpenLayers } from '../context/query.ts';
import type { LockThreadInfo, ThreadIndex } from '../../protocol/locks.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import { lockLayer, type LockTables } from '../../layers/locks/layer.ts';

/** Names that programs give their locks and futexes, by lock, then by futex; undefined: not known. */
type LockSymbols = readonly (string | undefined)[];

/** The locks of one host. */
export class LockHost {
  /** @param before number of threads of the hosts before */
  constructor(
    readonly index: number,
    readonly results: LockResults,
    readonly history: HostHistory | undefined,
    private readonly clock: ClockTransform,
    private readonly before: number,
    private readonly symbols: LockSymbols,
    private readonly shared: () => SharedNames,
  ) {}

  shown(time: HostNs): DisplayNs {
    return this.clock.toExperiment(time);
  }

  /** Display time; undefined for NaN. */
  shownIfKnown(time: HostNs): DisplayNs | undefined {
    return Number.isNaN(time) ? undefined : this.shown(time);
  }

  /** Index of a thread of the model in all answers. */
  thread(row: number): ThreadIndex {
    return row < 0 ? -1 : this.before + row;
  }

  /** Threads of the model; cached, as each lock may be asked for. */
  threads(): readonly LockThreadInfo[] {
    const lists = listsOfThreads(this.results);
    const known = lists.get(this.index) ?? this.#allThreads();
    lists.set(this.index, known);
    return known;
  }

  #allThreads(): LockThreadInfo[] {
    const colours = coloursOfThreads(this.results);
    const shared = this.shared();
    return this.results.model.threads.map(({ key, tid, pid, name, process }, thread) => ({
      row: this.rowOf(thread),
      key,
      host: this.index,
      name: name || process,
      label: threadLabel(shared, name || process, key),
      tid,
      pid: pid < 0 ? undefined : pid,
      colour: colours[thread],
    }));
  }

  /** Id of the row of a thread of the model. */
  rowOf(thread: number): string {
    const { key, row, tid, ns, pid } = this.results.model.threads[thread];
    return row >= 0 ? `thread:${this.index}:${key}` : threadRowId(this.index, { pid, tid, ns });
  }

  lockId(lock: number): string {
    return lockNames.lockId(this.index, this.results.model.locks[lock]);
  }

  lockName(lock: number): string {
    const { model } = this.results;
    return lockNames.lockWords(
      model.locks[lock],
      this.processName(model.locks[lock].process),
      this.symbols[lock],
    );
  }

  symbolNames(): [id: string, name: string][] {
    return this.results.model.locks.flatMap((_, lock): [string, string][] =>
      this.symbols[lock] === undefined ? [] : [[this.lockId(lock), this.lockName(lock)]],
    );
  }

  /** Names of locks and futexes that have one, with their default names. */
  namesByWords(): [words: string, name: string][] {
    const { locks, futexes } = this.results.model;
    const ofLocks = locks.map((lock, row): [string, string] => [
      lockNames.lockWords(lock, this.processName(lock.process)),
      this.lockName(row),
    ]);
    const ofFutexes = futexes.map((futex, row): [string, string] => [
      lockNames.futexWords(futex, this.processName(futex.process)),
      this.futexName(row),
    ]);
    return [...ofLocks, ...ofFutexes].filter(([words, name]) => name !== words);
  }

  /** Id of a futex; that of the lock that contains it, if known. */
  futexId(futex: number): string {
    const lock = this.lockOfFutex(futex);
    const { process, address } = this.results.model.futexes[futex];
    return lock < 0 ? `${this.index}:futex:${process}:${address}` : this.lockId(lock);
  }

  /** Name of a futex; that of the lock that contains it, if known. */
  futexName(futex: number): string {
    const { locks, futexes } = this.results.model;
    const lock = this.lockOfFutex(futex);
    if (lock >= 0) return this.lockName(lock);
    return lockNames.futexWords(
      futexes[futex],
      this.processName(futexes[futex].process),
      this.symbols[locks.length + futex],
    );
  }

  /** Row of the lock that contains a futex; -1: none is known. */
  lockOfFutex(futex: number): number {
    return locksOfFutexes(this.results)(futex)?.row ?? -1;
  }

  kernelLockId(lock: number): string {
    return `${this.index}:kernel:${this.results.model.kernelLocks[lock].address}`;
  }

  kernelLockName(lock: number): string {
    const { kernelLocks, kernelWaits } = this.results.model;
    const { start, order } = waitsOfKernelLocks(this.results);
    const rows = order.subarray(start[lock], start[lock + 1]);
    return lockNames.kernelLockWords(
      kernelLocks[lock],
      rows.map((row) => kernelWaits.flags[row]),
    );
  }

  /** Name of a process; '' unknown, or of no single process. */
  processName(pid: number): string {
    return namesOf(this.results).get(pid) ?? '';
  }

  /** Row of the lock with an id of this host; -1: there is none. */
  lockOf(id: string): number {
    return locksById(this.results).get(id.slice(`${this.index}:`.length)) ?? -1;
  }
}

const locksOfFutexes = cachedByKey(({ model }: LockResults) => lockFinder(model));

export const waitsOfKernelLocks = cachedByKey(({ model }: LockResults) =>
  rowsBy(model.kernelWaits.lock, model.kernelLocks.length),
);

const namesOf = cachedByKey(({ model }: LockResults) => lockNames.processNames(model.threads));

/** Cached: lists of waits are asked for with each move of the timeline. */
const coloursOfThreads = cachedByKey(({ model }: LockResults) => threadColours(model));

/** Lists by index of the host. */
const listsOfThreads = cachedByKey((_: LockResults) => new Map<number, readonly LockThreadInfo[]>());

const locksById = cachedByKey(
  ({ model }: LockResults) => new Map(model.locks.map((lock, row) => [lockNames.lockKey(lock), row])),
);

/** The hosts with lock events and their locks; undefined: not read yet. */
export async function lockHosts({ trace, layers }: QueryContext): Promise<readonly LockHost[] | undefined> {
  const locks = locksOf(layers);
  if (locks === undefined) return undefined;
  const symbols = await Promise.all(locks.map(({ tables }) => trace.lockSymbols(tables)));
  const shared = () =>
    sharedNames(
      trace.hosts,
      locks.flatMap(({ tables: { model } }) =>
        model.threads.flatMap(({ row, name, process }) => (row < 0 ? [name || process] : [])),
      ),
    );
  let before = 0;
  return locks.map(({ index, tables }, i) => {
    const clock = trace.time.of(index);
    const history = trace.hosts.find((each) => each.index === index);
    const results = lockResults(tables.model);
    const host = new LockHost(index, results, history, clock, before, symbols[i], shared);
    before += tables.model.threads.length;
    return host;
  });
}

/** Prefix of the ids of rows of locks, and of their texts that name a lock. */
const LOCK_ROWS = 'lock:';
const NAMING = ['waits for ', 'holds '];

/** An interval of a row of locks, with the current names of locks: the row has those known when it was made. */
export async function withLockNames(
  context: QueryContext,
  found: Promise<IntervalInfo | undefined>,
): Promise<IntervalInfo | undefined> {
  const info = await found;
  if (info?.row.startsWith(LOCK_ROWS) !== true) return info;
  const names = new Map(((await lockHosts(context)) ?? []).flatMap((host) => host.namesByWords()));
  const nameOf = (text: string) => {
    const before = NAMING.find((words) => text.startsWith(words)) ?? '';
    const name = names.get(text.slice(before.length));
    return name === undefined ? text : before + name;
  };
  const { layer } = info;
  const named = withTexts(info, ({ stateText }) => nameOf(stateText));
  return { ...named, layer: layer && { ...layer, subject: nameOf(layer.subject) } };
}

/** Display names of the locks that have a symbol in their program, by id. */
export function symbolNames(hosts: readonly LockHost[] = []): ReadonlyMap<string, string> {
  return new Map(hosts.flatMap((host) => host.symbolNames()));
}

/** The host that a lock's id names, and the lock's row there; undefined: no such lock. */
export function lockById(
  hosts: readonly LockHost[],
  id: string,
): { readonly host: LockHost; readonly lock: number } | undefined {
  const host = hosts.find(({ index }) => id.startsWith(`${index}:`));
  const lock = host?.lockOf(id) ?? -1;
  return host && lock >= 0 ? { host, lock } : undefined;
}

interface HostLocks {
  readonly index: number;
  readonly tables: LockTables;
}

const NO_LOCKS: readonly HostLocks[] = [];

/** Locks of each host with lock events; undefined: they have not been read yet. */
export function locksOf(layers: OpenLayers | undefined): readonly HostLocks[] | undefined {
  const { found, settings, hosts } = layers?.info('lock') ?? {};
  if (settings !== undefined) return hosts;
  return found !== undefined && lockLayer.first(found) === undefined ? NO_LOCKS : undefined;
}
