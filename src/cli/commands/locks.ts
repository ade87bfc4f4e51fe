/** `locks PATH…`: who waited for which lock, for whom, and who held it. */
import { compare } from '../../engine/base/compare.ts';
import { addNumber } from '../../engine/base/group-by.ts';
import { HOLD_PARTS } from '../../engine/layers/locks/model/lock-model.ts';
import { compareAddresses, compareLocks } from '../../engine/layers/locks/lock-names.ts';
import type { LockSums } from '../../engine/layers/locks/results/lock-sums.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import type {
  BlockingMatrix,
  HolderlessWait,
  LockLine,
  LockPlaces,
  LocksAnswer,
  LockWaitLine,
  ThreadIndex,
} from '../../engine/protocol/locks.ts';
import { reportLosses } from '../messages.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { faultsOf, readLocks, readStacksAndLocks } from '../read-layers.ts';
import { type NamedHost, onTrace, type TraceSession } from '../trace-session.ts';
import { type Command, type Options, UsageError } from '../options.ts';
import type { Statistic } from './statistic.ts';
import { stacksIn } from './profile.ts';
import { printTable } from './table.ts';

/** Advice that makes holders visible. */
const RECORD_HOLDERS =
  'record lttng_ust_pthread:* of programs under LD_PRELOAD=liblttng-ust-pthread-wrapper.so';

/** Pairs of a waiter and a holder that are printed for people, the longest waits first where there are more. */
const MOST_PAIRS = 1000;

const MODES = { exclusive: 'X', shared: 'S' };

export const locks: Command = (paths, options) =>
  onTrace(paths, options, async (session) => {
    await reportLosses(session);
    const layers = await (options.places ? readStacksAndLocks : readLocks)(session);
    const hosts = await locksByHost(session, layers, options.json);
    const places = options.places ? await session.ask('lockPlaces', {}, layers) : undefined;
    if (options.places && places === undefined)
      throw new UsageError('locks: --places needs a kernel trace, which this one has not');
    if (options.json)
      await writeJson({
        ...jsonOf(session, layers, hosts, options.places),
        ...(places && placesJson(places)),
      });
    else if (places !== undefined) printPlaces(places, options);
    else {
      await printRanks(session, layers);
      for (const host of hosts) {
        printSums(host);
        printHolds(host);
        printFutexes(host);
        printKernelLocks(host);
      }
    }
    return faultsOf(layers, 'lock');
  });

function placesJson({ places, tree }: LockPlaces): object {
  return { places, placeStacks: stacksIn(tree).map(({ text, ns }) => [text, ns]) };
}

/** Prints the places of each lock, those with most waits first; folded stacks of the waits with `--folded`. */
function printPlaces({ places, tree }: LockPlaces, { folded }: Options): void {
  if (folded) {
    for (const { text, ns } of stacksIn(tree)) print(`${text} ${ns}`, Infinity);
    return;
  }
  print('who asks for each lock, and for whom others waited, by place:');
  printTable(
    ['requests', 'waits', 'wait ns', 'max ns', 'hold ns', 'others waited ns', 'lock', 'place'],
    places.map(({ requests, waits, waitNs, maxNs, holds, holdNs, blameNs, name, place }) => [
      ...[requests, waits, waitNs, maxNs, holds > 0 ? holdNs : '', blameNs, name, place],
    ]),
  );
}

/** The lists of `locks --json`. */
export async function locksJson(session: TraceSession): Promise<object> {
  const layers = await readLocks(session);
  return jsonOf(session, layers, await locksByHost(session, layers, true), false);
}

/** `stats futex`: who waited in futex calls, and who woke them. */
export async function statFutex(session: TraceSession, options: Options): Promise<Statistic> {
  const hosts = await locksByHost(session, await readLocks(session), options.json);
  return {
    json: { futexes: hosts.flatMap(futexes) },
    print: () => hosts.forEach(printFutexes),
  };
}

/** The locks of one host in the words of output. */
interface HostLocks {
  readonly answer: LocksAnswer;
  /** Locks in order of kind, process and address. */
  readonly lines: readonly LockLine[];
  /** Name of a lock by its id. */
  readonly nameOf: (lock: string) => string;
  readonly workerOf: (thread: ThreadIndex) => string;
  readonly workerOrNull: (thread: ThreadIndex) => string | null;
  /** Display time to ns since the first event. */
  readonly since: (time: number) => number;
}

/** Locks of the hosts asked for. @throws UsageError where a range is, which they do not follow */
async function locksByHost(
  session: TraceSession,
  layers: SessionLayers,
  isWhole: boolean,
): Promise<HostLocks[]> {
  if (session.range !== undefined)
    throw new UsageError('locks and futexes are of the whole trace, without --range');
  const found: HostLocks[] = [];
  for (const host of session.hosts) {
    const answer = await session.ask('locks', { hosts: [host.index], isWhole }, layers);
    if (answer !== undefined) found.push(hostLocks(host, answer, session.firstNs));
  }
  return found;
}

function hostLocks({ index, prefix }: NamedHost, answer: LocksAnswer, firstNs: number): HostLocks {
  const workerOf = (thread: ThreadIndex): string => prefix + answer.threads[thread].key;
  return {
    answer,
    lines: [...answer.locks].sort((a, b) => compareLocks(placeOf(a), placeOf(b))),
    nameOf: (lock) => prefix + lock.slice(`${index}:`.length),
    workerOf,
    workerOrNull: (thread) => (thread < 0 ? null : workerOf(thread)),
    since: (time) => time - firstNs,
  };
}

function placeOf({ kind, pid: process, address }: LockLine) {
  return { kind, process, address };
}

function jsonOf(
  session: TraceSession,
  layers: SessionLayers,
  hosts: readonly HostLocks[],
  hasPlaces: boolean,
): object {
  const each = (membersOf: (host: HostLocks) => Iterable<unknown>) =>
    new JsonList(
      (function* () {
        for (const host of hosts) yield* membersOf(host);
      })(),
    );
  return {
    originNs: String(session.originNs),
    locks: new JsonList(lockMembers(session, layers, hosts)),
    threads: each(({ answer, workerOf }) => threadSums(answer.threadSums, workerOf)),
    matrix: each((host) => matrixRows(host, host.answer.matrix)),
    chains: each(chainRows),
    convoys: each(convoyRows),
    deadlocks: each(deadlocks),
    inversions: each(inversions),
    futexes: each(futexes),
    kernelLocks: each((host) => kernelLocks(host, hasPlaces)),
    problems: problemsOf(hosts),
  };
}

async function* lockMembers(session: TraceSession, layers: SessionLayers, hosts: readonly HostLocks[]) {
  for (const host of hosts)
    for (const line of host.lines) {
      const { id, kind, pid, address, maxWaiters, jainPpm, barging, counts } = line;
      const detail = await session.ask('lock', { lock: id, isWhole: true }, layers);
      const waits = await session.ask(
        'lockWaits',
        { lock: id, all: true, order: 'earliest', limit: Infinity },
        layers,
      );
      if (detail === undefined) continue;
      const { since, nameOf, workerOf } = host;
      yield {
        lock: nameOf(id),
        kind,
        process: pid < 0 ? null : pid,
        address,
        ...sumsOf(line),
        maxWaiters,
        jainPpm: jainPpm ?? null,
        barging,
        counts,
        threads: threadSums(detail.threadSums, workerOf),
        matrix: matrixRows(host, detail.matrix),
        episodes: detail.episodes.largest.map(({ from, to, ...rest }) => [
          since(from),
          since(to),
          rest.maxWaiters,
          rest.handOvers,
        ]),
        rows: waits.waits.map((wait) => waitRow(host, wait)),
      };
    }
}

function waitRow({ workerOf, workerOrNull, since }: HostLocks, wait: LockWaitLine): unknown[] {
  const sinceOrNull = (time: number | undefined) => (time === undefined ? null : since(time));
  return [
    workerOf(wait.waiter),
    since(wait.from),
    since(wait.to),
    sinceOrNull(wait.heldToNs),
    wait.outcome,
    wait.mode === undefined ? '' : MODES[wait.mode],
    wait.way,
    Number(wait.isContended),
    workerOrNull(wait.by),
    sinceOrNull(wait.handOverNs),
    wait.via ?? null,
    Number(wait.isLate),
    Number(wait.isOpen),
  ];
}

function sumsOf(line: LockSums): LockSums {
  const { requests, acquired, failed, unfinished, tries, contended, wait, uncontendedNs, spinningNs, hold } =
    line;
  return { requests, acquired, failed, unfinished, tries, contended, wait, uncontendedNs, spinningNs, hold };
}

function threadSums(sums: LocksAnswer['threadSums'], workerOf: HostLocks['workerOf']): unknown[] {
  return sums.map(({ thread, ...own }) => ({ worker: workerOf(thread), ...own }));
}

function matrixRows({ workerOf, workerOrNull }: HostLocks, { length, ...cells }: BlockingMatrix) {
  return Array.from({ length }, (_, i): [string, string | null, number, number] => [
    workerOf(cells.waiter[i]),
    workerOrNull(cells.holder[i]),
    cells.ns[i],
    cells.waits[i],
  ]);
}

function* chainRows({ answer, nameOf, workerOf, since }: HostLocks): Generator<unknown[]> {
  for (const { from, to, waiter, lock, holder, nextLock, nextHolder } of answer.chains.listed)
    yield [
      ...[since(from), since(to), workerOf(waiter), nameOf(lock)],
      ...[workerOf(holder), nameOf(nextLock), workerOf(nextHolder)],
    ];
}

/** Convoys lock by lock, as these are ordered. */
function convoyRows({ answer, lines, nameOf, since }: HostLocks): unknown[] {
  const places = new Map(lines.map(({ id }, place) => [id, place]));
  return [...answer.convoys]
    .sort((a, b) => (places.get(a.lock) ?? -1) - (places.get(b.lock) ?? -1))
    .map(({ lock, from, to, maxWaiters, handOvers }) => {
      return [nameOf(lock), since(from), since(to), maxWaiters, handOvers];
    });
}

function deadlocks({ answer, nameOf, workerOf, since }: HostLocks) {
  return answer.deadlocks.map(({ from, to, ended, threads, locks: ids }) => ({
    from: since(from),
    to: since(to),
    ended,
    threads: threads.map(workerOf),
    locks: ids.map(nameOf),
  }));
}

function inversions({ answer, nameOf, workerOf, since }: HostLocks) {
  return answer.inversions.map(({ locks: ids, orders }) => ({
    locks: ids.map(nameOf),
    orders: orders.map(({ first, second, by }) => [
      nameOf(first),
      nameOf(second),
      by.map(({ thread, times, firstNs }) => [workerOf(thread), times, since(firstNs)]),
    ]),
  }));
}

function futexes({ answer, ...host }: HostLocks) {
  return byAddress(answer.futexes).map(({ pid, address, waits, blocked, woken, blockedNs, list = [] }) => ({
    process: pid,
    address,
    waits,
    blocked,
    woken,
    blockedNs,
    rows: list.map((wait) => {
      const { result = null, blockedNs: ns } = wait;
      return [...waitEnds(host, wait), result, ns, ...wakeUp(host, wait)];
    }),
  }));
}

function kernelLocks({ answer, ...host }: HostLocks, hasPlaces: boolean) {
  return byAddress(answer.kernelLocks).map(({ address, place, wait: durations, maxWaiters, list = [] }) => ({
    address,
    ...(hasPlaces && { place }),
    waits: durations.count,
    wait: durations,
    maxWaiters,
    rows: list.map((wait) => {
      const { flags, result = null } = wait;
      return [...waitEnds(host, wait), flags, result, ...wakeUp(host, wait)];
    }),
  }));
}

function byAddress<Line extends { readonly pid?: number; readonly address: string }>(lines: readonly Line[]) {
  const addressOf = ({ pid = -1, address }: Line) => ({ process: pid, address });
  return [...lines].sort((a, b) => compareAddresses(addressOf(a), addressOf(b)));
}

type RowWords = Pick<HostLocks, 'workerOf' | 'workerOrNull' | 'since'>;

function waitEnds({ workerOf, since }: RowWords, { waiter, from, to }: HolderlessWait): unknown[] {
  return [workerOf(waiter), since(from), since(to)];
}

function wakeUp({ workerOrNull, since }: RowWords, { waker, wokenNs }: HolderlessWait): unknown[] {
  return [workerOrNull(waker), wokenNs === undefined ? null : since(wokenNs)];
}

/** Numbers of problems, in order of their text. */
function problemsOf(hosts: readonly HostLocks[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { answer } of hosts) for (const { text, count } of answer.problems) addNumber(sums, text, count);
  return Object.fromEntries([...sums].sort(([a], [b]) => compare(a, b)));
}

/** Prints what locks cost, most first. Idleness costs nothing, however long it is waited for. */
async function printRanks(session: TraceSession, layers: SessionLayers): Promise<void> {
  const ranks = await session.ask('lockRanks', {}, layers);
  const pathNs = new Map(ranks?.map((rank) => [rank.lock, rank.pathNs]));
  if (ranks?.some((rank) => rank.pathNs === undefined))
    print('time of waits on critical paths that is due to each lock: not known, the paths are too long');
  const lines = ((await session.ask('locks', {}, layers))?.locks ?? [])
    .map(({ id, name, isIdle = false }) => ({ name, isIdle, ns: pathNs.get(id) ?? 0 }))
    .filter(({ ns }) => ns > 0)
    .sort((a, b) => Number(a.isIdle) - Number(b.isIdle) || b.ns - a.ns);
  if (lines.length === 0) return;
  print('time of waits on critical paths that is due to each lock:');
  printTable(
    ['ns', 'lock'],
    lines.map(({ name, isIdle, ns }) => [isIdle ? 'idleness' : ns, name]),
  );
  print();
}

/** Prints sums, most waiting time first. */
function printSums(host: HostLocks): void {
  const lines = [...host.lines].sort((a, b) => b.wait.totalNs - a.wait.totalNs);
  if (lines.length > 0) printWaits(host, lines);
  for (const { text, count } of host.answer.problems) print(`${text}: ${count}`);
}

function printWaits(host: HostLocks, lines: HostLocks['lines']): void {
  printTable(
    ['requests', 'contended', 'wait ns', 'p99 ns', 'max ns', 'hold ns', 'waiters', 'barging', 'lock', 'name'],
    lines.map(({ id, name, requests, contended, wait, hold, maxWaiters, barging }) => [
      ...[requests, contended, wait.totalNs, wait.p99Ns, wait.maxNs, hold.totalNs, maxWaiters, barging],
      ...[host.nameOf(id), name],
    ]),
  );
  print();
  const rows = matrixRows(host, host.answer.matrix);
  const shown = rows.length <= MOST_PAIRS ? rows : [...rows].sort((a, b) => b[2] - a[2]).slice(0, MOST_PAIRS);
  printTable(
    ['wait ns', 'waits', 'waiter', 'holder'],
    shown.map(([waiter, holder, ns, waits]) => [ns, waits, waiter, holder ?? '?']),
  );
  if (shown.length < rows.length) print(`${rows.length - shown.length} more pairs with shorter waits`);
  for (const { from, to, ended, threads, locks: names } of deadlocks(host)) {
    const steps = threads.map((thread, i) => `${thread} waits for ${names[i]}`);
    print(`deadlock from ${from} to ${to} (${ended}): ${steps.join(', ')}`);
  }
  for (const { locks: names } of inversions(host)) print(`locks taken in both orders: ${names.join(', ')}`);
}

/** Prints what holders did while they held each lock that was held, ns. */
function printHolds({ lines, nameOf }: HostLocks): void {
  const holds = lines.flatMap(({ id, holdParts, isIdle }) => {
    if (holdParts === undefined || !Object.values(holdParts).some((ns) => ns > 0)) return [];
    const name = isIdle === true ? `${nameOf(id)} (waits for work: idle)` : nameOf(id);
    return [[...HOLD_PARTS.map((part) => holdParts[part]), name]];
  });
  if (holds.length === 0) return;
  print();
  print('what holders did, ns:');
  printTable([...HOLD_PARTS, 'lock'], holds);
}

function printFutexes(host: HostLocks): void {
  const lines = futexes(host);
  if (lines.length === 0) return;
  const areEnds = host.answer.futexes.every(({ waits, ended }) => waits === ended);
  print();
  print(areEnds ? 'futexes: waits for threads to end' : `futexes: holder not visible, ${RECORD_HOLDERS}`);
  printTable(
    ['waits', 'blocked', 'woken', 'blocked ns', 'process', 'futex'],
    lines.map(({ waits, blocked, woken, blockedNs, process, address }) => [
      ...[waits, blocked, woken, blockedNs, process, address],
    ]),
  );
}

/** Threads that are named beside a lock of the kernel. */
const SHOWN_WAKERS = 3;

function printKernelLocks({ answer, workerOf }: HostLocks): void {
  const lines = byAddress(answer.kernelLocks);
  if (lines.length === 0) return;
  print();
  print('locks of the kernel: holder not visible');
  printTable(
    ['waits', 'wait ns', 'max ns', 'waiters', 'kind', 'address', 'place', 'let in by'],
    lines.map(({ wait, maxWaiters, kind, address, place, wakers }) => [
      ...[wait.count, wait.totalNs, wait.maxNs, maxWaiters, kind, address, place],
      wakers
        .slice(0, SHOWN_WAKERS)
        .map(({ thread, times }) => `${thread < 0 ? 'nobody' : workerOf(thread)} ${times}x`)
        .join(', '),
    ]),
  );
}
