/** `stats KIND PATH…`: the statistics of everything or a range. */
import { textAt } from '../../engine/base/text-column.ts';
import * as v from '../../engine/linux/values.ts';
import type { AnswerOf, RequestOf } from '../../engine/session/queries.ts';
import type { CpuStat, IoTransfer } from '../../engine/session/statistics/statistics-api.ts';
import type { StatisticName } from '../../engine/session/statistics/statistics.ts';
import { reportFaults } from '../messages.ts';
import { type Options, UsageError } from '../options.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { statIrq, statSched, statSyscalls } from './latency-stats.ts';
import { statFutex } from './locks.ts';
import { hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable, rowsOf } from './table.ts';

type Told = (session: TraceSession, options: Options) => Promise<Statistic>;

/** How each statistic is printed. Futexes are of the layer of locks. */
const PRINTED: Readonly<Record<StatisticName | 'futex', Told>> = {
  counts: printed('counts', statCounts),
  cpu: printed('cpu', statCpu, { allThreads: true }),
  io: printed('io', statIo),
  sched: printed('sched', statSched),
  irq: printed('irq', statIrq),
  syscalls: printed('syscalls', statSyscalls),
  futex: statFutex,
};

export const STATS = Object.keys(PRINTED) as (keyof typeof PRINTED)[];

function printed<Name extends StatisticName>(
  name: Name,
  tell: (stats: AnswerOf<Name>, session: TraceSession) => Statistic,
  more?: Partial<RequestOf<Name>>,
): Told {
  return async (session) => {
    const { range, hosts } = session;
    const request = { range, hosts: hosts.map(({ index }) => index), ...more } as RequestOf<Name>;
    return tell(await session.ask(name, request), session);
  };
}

export const stats: Command = async ([kind = '', ...paths], options) => {
  const name = STATS.find((known) => known === kind);
  if (name === undefined)
    throw new UsageError(`stats: one of ${STATS.join(', ')} is expected, not "${kind}"`);
  const { session, faults } = await openTraceSession(paths, options);
  if (session !== undefined) {
    const statistic = await statisticOf(name, session, options);
    if (options.json) await writeJson(statistic.json);
    else statistic.print();
  }
  return reportFaults(faults, options.strict);
};

/** @param name one of `STATS` */
export function statisticOf(
  name: (typeof STATS)[number],
  session: TraceSession,
  options: Options,
): Promise<Statistic> {
  return PRINTED[name](session, options);
}

function statCounts(told: AnswerOf<'counts'>, { firstNs }: TraceSession): Statistic {
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

function statCpu({ cpus: told, threads: all, missing }: AnswerOf<'cpu'>, session: TraceSession): Statistic {
  const cpus = told.map(({ row: _, cpu, host, ...times }) => ({ cpu, ...hostName(session, host), ...times }));
  const threads = () => threadRows(all, session);
  return {
    json: { originNs: String(session.originNs), cpus, threads: new JsonList(threads()), missing },
    print() {
      printMissing(missing);
      printCpus(cpus);
      print();
      printThreads(all, session);
    },
  };
}

/** Those without any time are there where no range was asked for. */
function* threadRows(threads: AnswerOf<'cpu'>['threads'], session: TraceSession) {
  const { firstNs, range: { from, to } = EVERYTHING } = session;
  const isWhole = from === EVERYTHING.from && to === EVERYTHING.to;
  for (let i = 0; i < threads.length; i++) {
    const states = statesOf(threads, i);
    if (!isWhole && states.every((ns) => !(ns > 0))) continue;
    yield {
      worker: workerOf(session, textAt(threads.row, i)),
      name: textAt(threads.name, i),
      pid: threads.pid[i],
      first: (threads.lives?.firstNs[i] ?? NaN) - firstNs,
      last: (threads.lives?.lastNs[i] ?? NaN) - firstNs,
      states: [...states],
      runs: threads.lives?.runs[i] ?? 0,
      wakeups: threads.lives?.wakeups[i] ?? 0,
      migrations: threads.migrations[i],
    };
  }
}

/** ns by state number: a view. */
function statesOf({ states }: AnswerOf<'cpu'>['threads'], i: number): Float64Array {
  const count = v.THREAD_STATES.length;
  return states.subarray(i * count, (i + 1) * count);
}

const EVERYTHING = { from: -Infinity, to: Infinity };

function printCpus(cpus: readonly (Omit<CpuStat, 'row' | 'host'> & { readonly host?: string })[]): void {
  const classes = ['idle', 'user', 'kernel', 'hardirq', 'softirq', 'timer', 'unknown'] as const;
  printTable(
    ['cpu', ...classes, 'switches'],
    cpus.map((row) => [
      row.host === undefined ? row.cpu : `${row.host}:${row.cpu}`,
      ...classes.map((c) => row[c]),
      row.switches,
    ]),
  );
}

/** Those that ran, most time on a CPU first. */
function printThreads(threads: AnswerOf<'cpu'>['threads'], session: TraceSession): void {
  const onCpu = Float64Array.from({ length: threads.length }, (_, i) => {
    const states = statesOf(threads, i);
    return states[v.STATE_USER] + states[v.STATE_KERNEL];
  });
  const busiest = Int32Array.from(onCpu.keys())
    .filter((i) => onCpu[i] > 0)
    .sort((a, b) => onCpu[b] - onCpu[a] || a - b);
  const row = (i: number) => {
    const states = statesOf(threads, i);
    return [
      states[v.STATE_USER],
      states[v.STATE_KERNEL],
      states[v.STATE_INTERRUPTED],
      threads.lives?.runs[i] ?? 0,
      workerOf(session, textAt(threads.row, i)),
      textAt(threads.name, i),
    ];
  };
  printTable(['user', 'kernel', 'interrupted', 'runs', 'thread', 'name'], rowsOf(busiest, row));
}

function statIo(told: AnswerOf<'io'>, session: TraceSession): Statistic {
  const threads = told.threads.map(({ row, name, pid, read, write, disk }) => {
    return { worker: workerOf(session, row), name, pid, read, write, disk };
  });
  const { errors, missing } = told;
  const named = <Row extends { readonly host: number }>(row: Row) => {
    return { ...row, host: hostName(session, row.host).host };
  };
  const prefixOf = (row: { readonly host: number }) =>
    session.hosts.find(({ index }) => index === row.host)?.prefix ?? '';
  const transfer = ({ bytes, ops, errors }: IoTransfer): number[] => [bytes, ops, errors];
  const columns = ['read bytes', 'ops', 'errors', 'written bytes', 'ops', 'errors'];
  return {
    json: { threads, files: told.files.map(named), disks: told.disks.map(named), errors, missing },
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
