/** `locks PATH…`: who waited for which lock, for whom, and who held it. */
import { kernelLockKinds } from '../../engine/layers/locks/kernel-lock-kinds.ts';
import { HOLD_PARTS } from '../../engine/layers/locks/model/lock-model.ts';
import { isIdle } from '../../engine/layers/locks/results/hold-parts.ts';
import { lockResults } from '../../engine/layers/locks/results/lock-results.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import { answerOf } from '../../engine/answers/queries.ts';
import type { QueryContext } from '../../engine/answers/context/query.ts';
import { LockJson } from '../lock-json.ts';
import { reportFaults } from '../messages.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { readLocks } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Options } from '../options.ts';
import type { Command } from './command.ts';
import type { Statistic } from './statistic.ts';
import { printTable } from './table.ts';

/** How holders become visible. */
const RECORD_HOLDERS =
  'record lttng_ust_pthread:* of programs under LD_PRELOAD=liblttng-ust-pthread-wrapper.so';

export const locks: Command = async (paths, options) => {
  const { session, faults } = await openTraceSession(paths, options);
  if (session === undefined) return reportFaults(faults, options.strict);
  const layers = await readLocks(session, options);
  const hosts = locksByHost(session, layers);
  if (options.json) await writeJson(jsonOf(session, hosts));
  else {
    await printRanks({ trace: session.trace, layers });
    for (const host of hosts) printLocks(host);
  }
  return reportFaults([...faults, ...(layers.info('lock')?.faults ?? [])], options.strict);
};

/** The lists of `locks --json`. */
export async function locksJson(session: TraceSession, options: Options): Promise<object> {
  return jsonOf(session, locksByHost(session, await readLocks(session, options)));
}

/** `stats futex`: who waited in futex calls, and who woke them; whatever the range. */
export async function statFutex(session: TraceSession, options: Options): Promise<Statistic> {
  const hosts = locksByHost(session, await readLocks(session, options));
  return {
    json: { futexes: hosts.flatMap((host) => host.futexes()) },
    print: () => hosts.forEach(printFutexes),
  };
}

/** Of the hosts asked for that have events of locks. */
function locksByHost(session: TraceSession, layers: SessionLayers): LockJson[] {
  const { hosts: found = [] } = layers.info('lock') ?? {};
  return session.hosts.flatMap(({ index, prefix, clock }) => {
    const own = found.find((host) => host.index === index);
    if (own === undefined) return [];
    const shown = (time: number) => clock.toExperiment(time) - session.firstNs;
    return [new LockJson({ results: lockResults(own.tables.model), prefix, shown })];
  });
}

function jsonOf({ originNs }: TraceSession, hosts: readonly LockJson[]): object {
  const each = <Member>(membersOf: (host: LockJson) => Iterable<Member>) =>
    new JsonList(
      (function* () {
        for (const host of hosts) yield* membersOf(host);
      })(),
    );
  return {
    originNs: String(originNs),
    locks: each((host) => host.locks()),
    threads: each((host) => host.threads()),
    matrix: each((host) => host.matrix()),
    chains: each((host) => host.chains()),
    convoys: each((host) => host.convoys()),
    deadlocks: each((host) => host.deadlocks()),
    inversions: each((host) => host.inversions()),
    futexes: each((host) => host.futexes()),
    kernelLocks: each((host) => host.kernelLocks()),
    problems: problemsOf(hosts),
  };
}

/** What locks cost, most first. Idleness costs nothing, however long it is waited for. */
async function printRanks(context: QueryContext): Promise<void> {
  const ranks = await answerOf(context, 'lockRanks', {});
  const pathNs = new Map(ranks?.map((rank) => [rank.lock, rank.pathNs]));
  const lines = ((await answerOf(context, 'locks', {}))?.locks ?? [])
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

function printLocks(host: LockJson): void {
  printSums(host);
  printHolds(host);
  printFutexes(host);
  printKernelLocks(host);
}

/** Most waiting time first. */
function printSums(host: LockJson): void {
  const lines = [...host.locks()].sort((a, b) => b.wait.totalNs - a.wait.totalNs);
  if (lines.length === 0) return;
  printTable(
    ['requests', 'contended', 'wait ns', 'p99 ns', 'max ns', 'hold ns', 'waiters', 'barging', 'lock'],
    lines.map(({ lock, requests, contended, wait, hold, maxWaiters, barging }) => [
      ...[requests, contended, wait.totalNs, wait.p99Ns, wait.maxNs, hold.totalNs, maxWaiters, barging],
      lock,
    ]),
  );
  print();
  printTable(
    ['wait ns', 'waits', 'waiter', 'holder'],
    host.matrix().map(([waiter, holder, ns, waits]) => [ns, waits, waiter, holder ?? '?']),
  );
  for (const { from, to, ended, threads, locks: names } of host.deadlocks()) {
    const steps = threads.map((thread, i) => `${thread} waits for ${names[i]}`);
    print(`deadlock from ${from} to ${to} (${ended}): ${steps.join(', ')}`);
  }
  for (const { locks: names } of host.inversions()) print(`locks taken in both orders: ${names.join(', ')}`);
}

function printHolds(host: LockJson): void {
  const holds = [...host.holdParts()];
  if (holds.length === 0) return;
  print();
  print('what holders did, ns:');
  printTable(
    [...HOLD_PARTS, 'lock'],
    holds.map(({ lock, parts }) => [
      ...HOLD_PARTS.map((part) => parts[part]),
      isIdle(parts) ? `${lock} (waits for work: idle)` : lock,
    ]),
  );
}

function printFutexes(host: LockJson): void {
  const futexes = host.futexes();
  if (futexes.length === 0) return;
  print();
  print(`futexes: holder not visible, ${RECORD_HOLDERS}`);
  printTable(
    ['waits', 'blocked', 'woken', 'blocked ns', 'process', 'futex'],
    futexes.map(({ waits, blocked, woken, blockedNs, process, address }) => [
      ...[waits, blocked, woken, blockedNs, process, address],
    ]),
  );
}

function printKernelLocks(host: LockJson): void {
  const kernelLocks = host.kernelLocks();
  if (kernelLocks.length === 0) return;
  print();
  print('locks of the kernel: holder not visible');
  printTable(
    ['waits', 'wait ns', 'max ns', 'waiters', 'kind', 'address'],
    kernelLocks.map(({ waits, wait, maxWaiters, rows, address }) => [
      ...[waits, wait.totalNs, wait.maxNs, maxWaiters],
      ...[kernelLockKinds(rows.map(([, , , flags]) => flags)), address],
    ]),
  );
}

/** By text, in its order. */
function problemsOf(hosts: readonly LockJson[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { problems } of hosts)
    for (const [text, count] of Object.entries(problems)) sums.set(text, (sums.get(text) ?? 0) + count);
  return Object.fromEntries([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
}
