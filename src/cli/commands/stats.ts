/** `stats KIND PATH…`: the statistics of everything or a range. */
import type { StatisticName } from '../../engine/answers/statistics/tables.ts';
import { textAt } from '../../engine/base/text-column.ts';
import type { AnswerOf, RequestOf } from '../../engine/protocol/queries.ts';
import type { StatisticTables } from '../../engine/answers/statistics/columns.ts';
import { Usage } from '../../engine/answers/statistics/cpu-usage.ts';
import { STATISTIC_NAMES, STATISTICS } from '../../engine/answers/statistics/statistics.ts';
import { cpus, cpuThreads } from '../../engine/answers/statistics/tables/cpu.ts';
import { countedSentences } from '../../engine/words/machine-text.ts';
import { reportFaults, reportLosses } from '../messages.ts';
import { type Command, type Options, UsageError, oneOf } from '../options.ts';
import { JsonList, print, writeJson } from '../output.ts';
import { readHeap } from '../read-layers.ts';
import { countedHosts, openTraceSession, type TraceSession } from '../trace-session.ts';
import { EACH, statEach } from './each-stats.ts';
import { statFutex } from './locks.ts';
import { StatFilter } from './stat-filter.ts';
import { type Answer, printRows, outputOf, statisticOfTables } from './stat-tables.ts';
import { printMissing, type Statistic, workerOf } from './statistic.ts';

/** Names of the statistics; futexes are those of the layer of locks. */
export const STATS = [...STATISTIC_NAMES, 'futex'] as const;

/** Requests of statistics beside a range of some hosts. @param thread the one that is meant */
const ASKED: { readonly [Name in StatisticName]?: (thread: string | undefined, options: Options) => object } =
  {
    cpu: () => ({ allThreads: true }),
    io: (thread) => ({ thread }),
    sched: (_, { perPriority }) => ({ withPriorities: perPriority }),
    // The pairs are not printed.
    syscalls: (thread, { json, output }) => ({ thread, withPairs: json || output !== undefined }),
  };

export const stats: Command = async ([kind = '', ...paths], options) => {
  const name = oneOf('stats', STATS, kind);
  const { session, faults } = await openTraceSession(paths, options, name === 'heap' || name === 'futex');
  if (session !== undefined) {
    await reportLosses(session);
    const statistic = await statisticOf(name, session, options);
    const counted =
      name === 'futex' ? [] : countedSentences(countedHosts(session), STATISTICS[name].tables.essential);
    if (options.json) await writeJson({ ...statistic.json, ...(counted.length > 0 && { counted }) });
    else {
      for (const sentence of counted) print(`${sentence}\n`);
      statistic.print();
    }
  }
  return reportFaults(faults, options.strict);
};

/** @param name one of `STATS` */
export async function statisticOf(
  name: (typeof STATS)[number],
  session: TraceSession,
  options: Options,
): Promise<Statistic> {
  if (name === 'futex') return statFutex(session, options);
  const filter = new StatFilter(options);
  if (options.each) {
    const of = EACH.find((each) => each === name);
    if (of === undefined) throw new UsageError(`--each: of ${EACH.join(', ')}, not of ${name}`);
    return statEach(of, session, filter);
  }
  const threads = filter.threadsOf(session);
  const only = threads?.length === 1 ? threads[0] : undefined;
  const hosts = session.hosts.map(({ index }) => index);
  const request = { range: session.range, hosts, ...ASKED[name]?.(only, options) };
  const layers = name === 'heap' ? await readHeap(session) : undefined;
  if (name === 'cpu') return statCpu(await session.ask(name, request), session, filter);
  const stats = await session.ask(name, request as RequestOf<typeof name>, layers);
  const { tables, needs } = STATISTICS[name];
  return statisticOfTables(tables as StatisticTables<Answer>, needs, stats, session, filter);
}

type Threads = AnswerOf<'cpu'>['threads'];

/** Statistic of CPUs and threads. Threads may be a million: each is read when it is written. */
function statCpu(
  { cpus: cpuList, threads: all, missing }: AnswerOf<'cpu'>,
  session: TraceSession,
  filter: StatFilter,
): Statistic {
  const chosen = threadsIn(all, filter);
  const cpuRows = cpuList.filter(({ cpu }) => filter.isCpu(cpu));
  return {
    json: {
      originNs: String(session.originNs),
      cpus: cpuRows.map((row) => outputOf(session, cpus.json(row))),
      threads: new JsonList(threadRows(all, chosen, session)),
      missing,
    },
    print() {
      printMissing(missing);
      printRows(cpus, cpuRows, session);
      print();
      printRows(cpuThreads, usageOf(all, busiest(all, chosen)), session);
    },
  };
}

/** Places of threads in the order of the answer; with a limit those that ran longest. */
function threadsIn(threads: Threads, filter: StatFilter): readonly number[] {
  const chosen = Array.from({ length: threads.length }, (_, i) => i).filter((i) =>
    filter.isThread({ tid: threads.tid[i], name: textAt(threads.name, i) }),
  );
  if (filter.options.limit === undefined) return chosen;
  return filter.limited(chosen.sort((a, b) => ranNs(threads, b) - ranNs(threads, a) || a - b));
}

/** Places of threads that ran, most time on a CPU first. */
function busiest(threads: Threads, chosen: readonly number[]): Int32Array {
  const ns = Float64Array.from({ length: threads.length }, (_, i) => ranNs(threads, i));
  return Int32Array.from(chosen)
    .filter((i) => ns[i] > 0)
    .sort((a, b) => ns[b] - ns[a] || a - b);
}

/** Time on a CPU without interrupts, in ns. */
function ranNs(threads: Threads, i: number): number {
  const { user, kernel } = new Usage(threads, i, 0);
  return user + kernel;
}

function usageOf(threads: Threads, places: Int32Array): Iterable<Usage> {
  return {
    *[Symbol.iterator]() {
      for (const place of places) yield new Usage(threads, place, 0);
    },
  };
}

/** Threads for JSON; those without any time are left out of a range. */
function* threadRows(threads: Threads, chosen: readonly number[], session: TraceSession) {
  const { firstNs, range } = session;
  const isWhole = range === undefined || (range.from === -Infinity && range.to === Infinity);
  for (const i of chosen) {
    const { row, name, states, runs, migrations } = new Usage(threads, i, 0);
    if (!isWhole && states.every((ns) => !(ns > 0))) continue;
    yield {
      worker: workerOf(session, row),
      name,
      pid: threads.pid[i],
      first: (threads.lives?.firstNs[i] ?? NaN) - firstNs,
      last: (threads.lives?.lastNs[i] ?? NaN) - firstNs,
      states: [...states],
      runs,
      wakeups: threads.lives?.wakeups[i] ?? 0,
      migrations,
    };
  }
}
