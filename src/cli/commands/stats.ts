/** `stats KIND PATH…`: the statistics of everything or a range. */
import { textAt } from '../../engine/base/text-column.ts';
import * as v from '../../engine/linux/events/values.ts';
import type { AnswerOf, RequestOf, StatisticName } from '../../engine/protocol/queries.ts';
import type { SessionLayers } from '../../engine/open/layers/session-layers.ts';
import type { CpuStat } from '../../engine/protocol/statistics.ts';
import { reportFaults } from '../messages.ts';
import { type Options, UsageError } from '../options.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { readHeap } from '../read-layers.ts';
import { openTraceSession, type TraceSession } from '../trace-session.ts';
import type { Command } from './command.ts';
import { EACH, statEach } from './each-stats.ts';
import { statHeap } from './heap-stats.ts';
import { statIo } from './io-stats.ts';
import { statIrq, statSched, statSyscalls } from './latency-stats.ts';
import { statFutex } from './locks.ts';
import { statMemory } from './memory-stats.ts';
import { statNet } from './net-stats.ts';
import { StatFilter } from './stat-filter.ts';
import { hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable, rowsOf } from './table.ts';

type Told = (session: TraceSession, options: Options) => Promise<Statistic>;

/** How each statistic is printed. Futexes are of the layer of locks. */
const PRINTED: Readonly<Record<StatisticName | 'futex', Told>> = {
  counts: printed('counts', statCounts),
  cpu: printed('cpu', statCpu, () => ({ allThreads: true })),
  io: printed('io', statIo, (thread) => ({ thread })),
  net: printed('net', statNet),
  memory: printed('memory', statMemory),
  heap: printed('heap', statHeap, undefined, readHeap),
  sched: printed('sched', statSched, (_, { perPriority }) => ({ withPriorities: perPriority })),
  irq: printed('irq', statIrq),
  syscalls: printed('syscalls', statSyscalls, (thread) => ({ thread })),
  futex: statFutex,
};

export const STATS = Object.keys(PRINTED) as (keyof typeof PRINTED)[];

function printed<Name extends StatisticName>(
  name: Name,
  tell: (stats: AnswerOf<Name>, session: TraceSession, filter: StatFilter) => Statistic,
  more?: (thread: string | undefined, options: Options) => Partial<RequestOf<Name>>,
  readLayer?: (session: TraceSession, options: Options) => Promise<SessionLayers>,
): Told {
  return async (session, options) => {
    const { range, hosts } = session;
    const filter = new StatFilter(options);
    if (options.each) {
      const of = EACH.find((each) => each === name);
      if (of === undefined) throw new UsageError(`--each: of ${EACH.join(', ')}, not of ${name}`);
      return statEach(of, session, filter);
    }
    const threads = filter.threadsOf(session);
    const only = threads?.length === 1 ? threads[0] : undefined;
    const request = {
      range,
      hosts: hosts.map(({ index }) => index),
      ...more?.(only, options),
    } as RequestOf<Name>;
    const layers = await readLayer?.(session, options);
    return tell(await session.ask(name, request, layers), session, filter);
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

function statCounts(told: AnswerOf<'counts'>, { firstNs }: TraceSession, filter: StatFilter): Statistic {
  const all = told.events
    .filter(({ name }) => filter.isNamed(name))
    .map(({ name, count, bytes, firstNs: first, lastNs }) => {
      return { name, count, bytes, firstNs: first - firstNs, lastNs: lastNs - firstNs };
    })
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const events = filter.limited(all);
  return {
    json: { events },
    print: () =>
      printTable(
        ['events', 'bytes', 'name'],
        events.map(({ count, bytes, name }) => [count, bytes, name]),
      ),
  };
}

function statCpu(
  { cpus: told, threads: all, missing }: AnswerOf<'cpu'>,
  session: TraceSession,
  filter: StatFilter,
): Statistic {
  const chosen = threadsIn(all, filter);
  const chosenCpus = told.filter(({ cpu }) => filter.isCpu(cpu));
  const cpus = chosenCpus.map(({ row: _, cpu, host, ...times }) => ({
    cpu,
    ...hostName(session, host),
    ...times,
  }));
  const threads = threadRows(all, chosen, session);
  return {
    json: { originNs: String(session.originNs), cpus, threads: new JsonList(threads), missing },
    print() {
      printMissing(missing);
      printCpus(cpus);
      print();
      printThreads(all, chosen, session);
    },
  };
}

/** In the order of the answer; with a limit those that ran longest. */
function threadsIn(threads: AnswerOf<'cpu'>['threads'], filter: StatFilter): readonly number[] {
  const chosen = Array.from({ length: threads.length }, (_, i) => i).filter((i) =>
    filter.isThread({ tid: threads.tid[i], name: textAt(threads.name, i) }),
  );
  if (filter.limit === undefined) return chosen;
  return filter.limited(chosen.sort((a, b) => onCpu(threads, b) - onCpu(threads, a) || a - b));
}

/** ns. */
function onCpu(threads: AnswerOf<'cpu'>['threads'], i: number): number {
  const states = statesOf(threads, i);
  return states[v.STATE_USER] + states[v.STATE_KERNEL];
}

/** Those without any time are there where no range was asked for. */
function* threadRows(threads: AnswerOf<'cpu'>['threads'], chosen: readonly number[], session: TraceSession) {
  const { firstNs, range: { from, to } = EVERYTHING } = session;
  const isWhole = from === EVERYTHING.from && to === EVERYTHING.to;
  for (const i of chosen) {
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
function printThreads(
  threads: AnswerOf<'cpu'>['threads'],
  chosen: readonly number[],
  session: TraceSession,
): void {
  const ns = Float64Array.from({ length: threads.length }, (_, i) => onCpu(threads, i));
  const busiest = Int32Array.from(chosen)
    .filter((i) => ns[i] > 0)
    .sort((a, b) => ns[b] - ns[a] || a - b);
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
