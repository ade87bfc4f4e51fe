/** `stats sched`, `stats irq`, `stats syscalls`: distributions of durations. */
import { CAUSES } from '../../engine/linux/events/values.ts';
import type {
  CallStat,
  CallStats,
  DurationStat,
  IrqStat,
  IrqStats,
  SchedStats,
} from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { binsOf, hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

/** Scheduling latency: by thread, most time first, by priority where that was asked for, and of all. */
export function statSched(told: SchedStats, session: TraceSession, filter: StatFilter): Statistic {
  const durations = durationsOf(session);
  const all = told.threads
    .filter((thread) => filter.isThread(thread))
    .sort((a, b) => b.woken.totalNs - a.woken.totalNs || a.host - b.host || a.tid - b.tid);
  const threads = filter.limited(all).map(({ row, name, pid, woken, preempted }) => ({
    worker: workerOf(session, row),
    name,
    pid,
    woken: durations(woken),
    preempted: durations(preempted),
  }));
  const priorities = told.priorities?.map(({ host, woken, preempted, ...one }) => ({
    ...hostName(session, host),
    ...one,
    woken: durations(woken),
    preempted: durations(preempted),
  }));
  const { missing } = told;
  return {
    json: {
      threads,
      priorities,
      woken: durations(told.woken),
      preempted: durations(told.preempted),
      missing,
    },
    print() {
      printMissing(missing);
      const row = (woken: Durations, preempted: Durations, name: readonly string[]) => {
        return [...numbers(woken), preempted.count, preempted.totalNs, preempted.maxNs, ...name];
      };
      printTable(
        [...NUMBERS, 'preempted', 'total ns', 'max ns', 'thread', 'name'],
        [
          row(durations(told.woken), durations(told.preempted), ['all', '']),
          ...threads.map((thread) => row(thread.woken, thread.preempted, [thread.worker, thread.name])),
        ],
      );
      if (priorities !== undefined) {
        print();
        printTable(
          [...NUMBERS, 'preempted', 'total ns', 'max ns', 'threads', 'priority', 'host'],
          priorities.map(({ woken, preempted, threads: count, priority = 'unknown', host = '' }) => [
            ...row(woken, preempted, []),
            ...[count, priority, host],
          ]),
        );
      }
      printLongest('after a wake-up', durations(told.woken));
    },
  };
}

/** Interrupts: how long they ran, and of softirqs how long they waited from raise to entry; by CPU too. */
export function statIrq(told: IrqStats, session: TraceSession, filter: StatFilter): Statistic {
  const durations = durationsOf(session);
  const stat = ({ host, kind, id, name, cpu, run, raised }: IrqStat) => ({
    ...hostName(session, host),
    ...(cpu === undefined ? {} : { cpu }),
    kind,
    id,
    name,
    run: durations(run),
    ...(kind === 'softirq' ? { raised: durations(raised) } : {}),
  });
  const named = (stats: readonly IrqStat[]) => stats.filter(({ name }) => filter.isNamed(name));
  const interrupts = filter.limited(named(told.interrupts)).map(stat);
  const ofCpus = named(told.cpus).filter(({ cpu }) => filter.isCpu(cpu ?? -1));
  const cpus = filter.limited(ofCpus).map(stat);
  const { missing } = told;
  return {
    json: { interrupts, cpus, missing },
    print() {
      printMissing(missing);
      const name = (one: (typeof cpus)[number]) => [one.kind, one.id < 0 ? '' : String(one.id), one.name];
      printTable(
        [...NUMBERS, 'kind', 'id', 'name'],
        interrupts.map((one) => [...numbers(one.run), ...name(one)]),
      );
      print();
      print('raise to entry');
      printTable(
        [...NUMBERS, 'kind', 'id', 'name'],
        interrupts.flatMap((one) =>
          one.raised === undefined || one.raised.count === 0 ? [] : [[...numbers(one.raised), ...name(one)]],
        ),
      );
      print();
      print('by CPU');
      printTable(
        ['host', 'cpu', 'count', 'total ns', 'max ns', 'kind', 'id', 'name'],
        cpus.map((one) => [
          one.host ?? '',
          one.cpu ?? -1,
          one.run.count,
          one.run.totalNs,
          one.run.maxNs,
          ...name(one),
        ]),
      );
    },
  };
}

/** System calls: how long they took, and how much of that they were blocked; by call and by thread. */
export function statSyscalls(told: CallStats, session: TraceSession, filter: StatFilter): Statistic {
  const durations = durationsOf(session);
  const stat = ({ call, row, name, pid, durations: own, errors, blockedNs }: CallStat) => ({
    ...(call === '' ? {} : { call }),
    ...(row === undefined ? {} : { worker: workerOf(session, row), name, pid }),
    ...durations(own),
    failed: errors.reduce((sum, { count }) => sum + count, 0),
    errors,
    blocked: blockedBy(blockedNs),
  });
  const byTotal = (stats: readonly CallStat[]) =>
    filter.limited(stats.map(stat).sort((a, b) => b.totalNs - a.totalNs || b.count - a.count));
  const ofThreads = filter.threadsOf(session);
  const chosen = (stats: readonly CallStat[]) => stats.filter((one) => filter.isThread(one));
  const json = {
    // They are of one thread or of all.
    calls: byTotal(ofThreads === undefined || ofThreads.length === 1 ? told.calls : []),
    threads: byTotal(chosen(told.threads)),
    pairs: byTotal(chosen(told.pairs)),
    missing: told.missing,
  };
  return {
    json,
    print() {
      printMissing(told.missing);
      const blockedNs = (one: (typeof json.calls)[number]) =>
        Object.values(one.blocked).reduce((sum, ns) => sum + ns, 0);
      printTable(
        [...NUMBERS, 'blocked ns', 'failed', 'call'],
        json.calls.map((one) => [...numbers(one), blockedNs(one), one.failed, one.call ?? '']),
      );
      print();
      printTable(
        [...NUMBERS, 'blocked ns', 'failed', 'thread', 'name'],
        json.threads.map((one) => [
          ...numbers(one),
          blockedNs(one),
          one.failed,
          one.worker ?? '',
          one.name ?? '',
        ]),
      );
    },
  };
}

function blockedBy(blockedNs: readonly number[]): Record<string, number> {
  const blocked: Record<string, number> = {};
  CAUSES.forEach((cause, i) => {
    if (blockedNs[i] > 0) blocked[cause] = blockedNs[i];
  });
  return blocked;
}

/** `DurationStat` as the command line gives it: bins as triples, times from its own origin, workers by name. */
type Durations = ReturnType<ReturnType<typeof durationsOf>>;

function durationsOf(session: TraceSession) {
  return ({ count, totalNs, meanNs, minNs, p50Ns, p95Ns, p99Ns, maxNs, bins, longest }: DurationStat) => ({
    count,
    totalNs,
    meanNs,
    minNs,
    p50Ns,
    p95Ns,
    p99Ns,
    maxNs,
    bins: binsOf(bins),
    longest: longest.map(({ fromNs, ns, row }) => ({
      worker: workerOf(session, row),
      from: fromNs - session.firstNs,
      ns,
    })),
  });
}

const NUMBERS = ['count', 'total ns', 'mean ns', 'p50 ns', 'p95 ns', 'p99 ns', 'max ns'];

function numbers({ count, totalNs, meanNs, p50Ns, p95Ns, p99Ns, maxNs }: Durations): number[] {
  return [count, totalNs, meanNs, p50Ns, p95Ns, p99Ns, maxNs];
}

function printLongest(what: string, { longest }: Durations): void {
  print();
  print(`longest ${what}`);
  printTable(
    ['ns', 'from', 'thread'],
    longest.map(({ ns, from, worker }) => [ns, from, worker]),
  );
}
