/** `stats KIND PATH…`: the statistics of everything or a range. */
import { append } from '../../engine/base/append.ts';
import { cpuTotals, threadTotals } from '../../engine/kernel/cpu-totals.ts';
import type { StateTables } from '../../engine/kernel/reduce/kernel-tables.ts';
import { threadKey } from '../../engine/kernel/reduce/thread-table.ts';
import * as v from '../../engine/kernel/values.ts';
import { missingForCpu } from '../../engine/session/statistics/cpu-stats.ts';
import { timesOfHost } from '../../engine/session/statistics/range-aggregates.ts';
import type { IoTransfer } from '../../engine/session/statistics/statistics-api.ts';
import { reportFaults } from '../messages.ts';
import { UsageError } from '../options.ts';
import { print, printJson } from '../output.ts';
import { hostIndices, openTraceSession } from '../trace-session.ts';
import type { NamedHost, TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { statIrq, statSched, statSyscalls } from './latency-stats.ts';
import { printMissing, type Statistic } from './statistic.ts';
import { printTable } from './table.ts';
import { inWorkerOrder, workerOf } from './worker-order.ts';

const STATISTICS: Readonly<Record<string, (session: TraceSession) => Promise<Statistic>>> = {
  counts: statCounts,
  cpu: statCpu,
  io: statIo,
  sched: statSched,
  irq: statIrq,
  syscalls: statSyscalls,
};

export const stats: Command = async ([kind = '', ...paths], options) => {
  if (!Object.hasOwn(STATISTICS, kind)) {
    throw new UsageError(`stats: one of ${Object.keys(STATISTICS).join(', ')} is expected, not "${kind}"`);
  }
  const { session, faults } = await openTraceSession(paths, options);
  if (session !== undefined) {
    const statistic = await STATISTICS[kind](session);
    if (options.json) printJson(statistic.json);
    else statistic.print();
  }
  return reportFaults(faults, options.strict);
};

async function statCounts(session: TraceSession): Promise<Statistic> {
  const { trace, range, firstNs } = session;
  const told = await trace.counts(range, hostIndices(session));
  const events = told.events
    .map(({ name, count, bytes, firstNs: first, lastNs }) => {
      return { name, count, bytes, firstNs: first - firstNs, lastNs: lastNs - firstNs };
    })
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  return {
    json: { events },
    print: () =>
      printTable(
        ['events', 'bytes', 'name'],
        events.map(({ count, bytes, name }) => [count, bytes, name]),
      ),
  };
}

interface CpuRow {
  readonly cpu: number;
  readonly host?: string;
  readonly idle: number;
  readonly user: number;
  readonly kernel: number;
  readonly hardirq: number;
  readonly softirq: number;
  readonly timer: number;
  readonly unknown: number;
  readonly switches: number;
}

interface ThreadRow {
  readonly worker: string;
  readonly name: string;
  readonly pid: number;
  readonly first: number;
  readonly last: number;
  readonly states: readonly number[];
  readonly runs: number;
  readonly wakeups: number;
  readonly migrations: number;
}

async function statCpu(session: TraceSession): Promise<Statistic> {
  const cpus: CpuRow[] = [];
  const threads: ThreadRow[] = [];
  for (const host of session.hosts) {
    const { tables } = host;
    if (tables === undefined) continue;
    const { from, to } = timesOfHost(session.range, host.clock);
    append(cpus, await cpuRows(host, tables, from, to));
    append(threads, await threadRows(host, tables, from, to, session.firstNs));
  }
  const missing = missingForCpu(session.trace.hosts);
  return {
    json: { originNs: String(session.originNs), cpus, threads, missing },
    print() {
      printMissing(missing);
      printCpu(cpus, threads);
    },
  };
}

async function cpuRows(host: NamedHost, tables: StateTables, from: number, to: number): Promise<CpuRow[]> {
  const totals = await cpuTotals(host.query, tables, from, to);
  return tables.cpus.map(({ cpu, switches }, i) => {
    const ns = totals[i];
    return {
      cpu,
      ...(host.prefix === '' ? {} : { host: host.name }),
      idle: ns[v.CPU_IDLE],
      user: ns[v.CPU_USER],
      kernel: ns[v.CPU_KERNEL],
      hardirq: ns[v.CPU_HARDIRQ],
      softirq: ns[v.CPU_SOFTIRQ],
      timer: ns[v.CPU_TIMER],
      unknown: ns[v.CPU_UNKNOWN],
      switches,
    };
  });
}

async function threadRows(
  host: NamedHost,
  tables: StateTables,
  from: number,
  to: number,
  firstNs: number,
): Promise<ThreadRow[]> {
  const { threads } = tables;
  const { ns, states } = await threadTotals(host.query, tables, from, to);
  const statesOf = (i: number) => ns.subarray(i * states, i * states + v.THREAD_STATES.length);
  return inWorkerOrder(threads)
    .filter((i) => statesOf(i).some((time) => time > 0) || (from === -Infinity && to === Infinity))
    .map((i) => ({
      worker: host.prefix + threadKey(threads, i),
      name: threads.name[i],
      pid: threads.pid[i],
      first: host.clock.toExperiment(threads.first[i]) - firstNs,
      last: host.clock.toExperiment(threads.last[i]) - firstNs,
      states: [...statesOf(i)],
      runs: threads.runs[i],
      wakeups: threads.wakeups[i],
      migrations: threads.migrations[i],
    }));
}

function printCpu(cpus: readonly CpuRow[], threads: readonly ThreadRow[]): void {
  const classes = ['idle', 'user', 'kernel', 'hardirq', 'softirq', 'timer', 'unknown'] as const;
  printTable(
    ['cpu', ...classes, 'switches'],
    cpus.map((row) => [
      row.host === undefined ? row.cpu : `${row.host}:${row.cpu}`,
      ...classes.map((c) => row[c]),
      row.switches,
    ]),
  );
  const onCpu = ({ states }: ThreadRow): number => states[v.STATE_USER] + states[v.STATE_KERNEL];
  const busiest = threads.filter((row) => onCpu(row) > 0).sort((a, b) => onCpu(b) - onCpu(a));
  print();
  printTable(
    ['user', 'kernel', 'interrupted', 'runs', 'thread', 'name'],
    busiest.map(({ states, runs, worker, name }) => [
      states[v.STATE_USER],
      states[v.STATE_KERNEL],
      states[v.STATE_INTERRUPTED],
      runs,
      worker,
      name,
    ]),
  );
}

async function statIo(session: TraceSession): Promise<Statistic> {
  const { trace, range, hosts, experiment } = session;
  const told = await trace.io(range, hostIndices(session));
  const several = experiment.hosts.length > 1;
  const threads = told.threads.map(({ row, name, pid, read, write, disk }) => {
    return { worker: workerOf(row, several, hosts), name, pid, read, write, disk };
  });
  const { errors, missing } = told;
  const hostOf = ({ host }: { readonly host: number }) => hosts.find(({ index }) => index === host);
  const files = told.files.map((row) => ({ ...row, host: several ? hostOf(row)?.name : undefined }));
  const disks = told.disks.map((row) => ({ ...row, host: several ? hostOf(row)?.name : undefined }));
  const prefixOf = (row: { readonly host: number }) => hostOf(row)?.prefix ?? '';
  const transfer = ({ bytes, ops, errors }: IoTransfer): number[] => [bytes, ops, errors];
  const columns = ['read bytes', 'ops', 'errors', 'written bytes', 'ops', 'errors'];
  return {
    json: { threads, files, disks, errors, missing },
    print() {
      printMissing(missing);
      const row = ({ read, write }: { read: IoTransfer; write: IoTransfer }) => [
        ...transfer(read),
        ...transfer(write),
      ];
      printTable(
        [...columns, 'thread', 'name'],
        threads.map((t) => [...row(t), t.worker, t.name]),
      );
      print();
      printTable(
        [...columns, 'file'],
        told.files.map((file) => [...row(file), prefixOf(file) + file.path]),
      );
      print();
      printTable(
        [
          'requests',
          'writes',
          'sectors',
          'sequential',
          'queued ns',
          'mean ns',
          'max ns',
          'depth',
          'deepest',
          'disk',
        ],
        told.disks.map((d) => [
          ...[d.requests, d.writes, d.sectors, d.sequential, d.meanQueuedNs, d.meanLatencyNs, d.maxLatencyNs],
          ...[d.meanDepth.toFixed(2), d.maxDepth, prefixOf(d) + d.dev],
        ]),
      );
    },
  };
}
