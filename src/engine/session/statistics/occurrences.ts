/** Every call or wait of a range by itself: the durations that the statistics sum up. */
import { callTimes } from '../../linux/calls/call-times.ts';
import { DurationLog } from '../../linux/duration-log.ts';
import { ioUsage, transfersOf } from '../../linux/io/io.ts';
import { schedDelays } from '../../linux/sched-delays.ts';
import { STATE_WOKEN } from '../../linux/values.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../host-history.ts';
import { hostsOfRow, threadOfRow } from '../thread-rows.ts';
import { ioOf, ioThread } from './io-stats.ts';
import { timesOfHost } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { Occurrences, OccurrencesRequest, OccurrenceThread } from './statistics-api.ts';

/** A list of different items, by their keys. */
class Places<Item> {
  readonly items: Item[] = [];
  readonly #placeOf = new Map<string, number>();

  of(key: string, item: () => Item): number {
    const known = this.#placeOf.get(key) ?? this.items.push(item()) - 1;
    this.#placeOf.set(key, known);
    return known;
  }
}

/** More are asked for by a part of the range, or by a thread. */
const MOST = 200_000;

export const occurrences = statistic<Occurrences, OccurrencesRequest>({
  essential: [],
  needs: [],
  none: listOf([], 0),
  count,
  isTransferred: true,
});

async function count(scope: StatisticScope, request: OccurrencesRequest): Promise<Counted<Occurrences>> {
  const { thread, limit = MOST } = request;
  const hosts = thread === undefined ? scope.hosts : hostsOfRow(scope.hosts, thread);
  const most = Math.min(MOST, limit);
  const found: HostList[] = [];
  const asked = hosts
    .filter(isKernelHost)
    .filter((host) => thread === undefined || threadOfRow(host, thread) >= 0);
  for (const host of asked) found.push(await hostList(host, scope, request, most));
  return listOf(found, most);
}

/** The longest of a host, and what its numbers mean. */
interface HostList {
  readonly host: HostHistory;
  readonly count: number;
  readonly rows: ReturnType<DurationLog['longest']>;
  readonly threadOf: (owner: number, subject: number) => OccurrenceThread;
  readonly subjectOf: (subject: number) => { readonly name: string; readonly file: string };
}

async function hostList(
  host: KernelHost,
  { range, trace }: StatisticScope,
  { of, thread, minNs = 0, maxNs = Infinity }: OccurrencesRequest,
  most: number,
): Promise<HostList> {
  const { query, tables, clock } = host;
  const { from, to } = timesOfHost(range, clock);
  const only = thread === undefined ? undefined : threadOfRow(host, thread);
  const log = new DurationLog(most, minNs, maxNs);
  const list = (told: Pick<HostList, 'subjectOf'> & Partial<HostList>): HostList => ({
    host,
    count: log.count,
    rows: log.longest(),
    threadOf: (owner) => ioThread(host, owner, tables.threads.tid[owner]),
    ...told,
  });
  switch (of) {
    case 'syscalls':
      await callTimes(query, tables, from, to, only, log);
      return list({ subjectOf: (name) => ({ name: query.text(name), file: '' }) });
    case 'sched':
      await schedDelays(query, tables, from, to, only, log);
      return list({
        subjectOf: (state) => ({ name: state === STATE_WOKEN ? 'woken' : 'preempted', file: '' }),
      });
    case 'io': {
      const transfers = transfersOf(await ioOf(host, await trace.leaves(ioUsage.id)));
      transfers?.addTo(log, from, to, only);
      const callOf = (row: number) => transfers?.call(row) ?? { call: '', path: '', owner: -1, tid: -1 };
      return list({
        threadOf: (owner, row) => ioThread(host, owner, callOf(row).tid),
        subjectOf: (row) => ({ name: callOf(row).call, file: callOf(row).path }),
      });
    }
  }
}

/** The longest of all hosts, of equal ones that which began first. */
function listOf(hosts: readonly HostList[], most: number): Counted<Occurrences> {
  const all = hosts.flatMap(({ host, rows }, of) =>
    Array.from(rows.begin, (begin, row) => ({
      of,
      row,
      ns: rows.ns[row],
      from: host.clock.toExperiment(begin),
    })),
  );
  if (hosts.length > 1) all.sort((a, b) => b.ns - a.ns || a.from - b.from || a.of - b.of);
  const listed = all.slice(0, most);
  const threads = new Places<OccurrenceThread>();
  const names = new Places<string>();
  const subjects = listed.map(({ of, row }) => hosts[of].subjectOf(hosts[of].rows.subject[row]));
  return {
    count: hosts.reduce((sum, { count }) => sum + count, 0),
    length: listed.length,
    fromNs: Float64Array.from(listed, ({ from }) => from),
    ns: Float64Array.from(listed, ({ ns }) => ns),
    thread: Int32Array.from(listed, ({ of, row }) => {
      const { rows, threadOf } = hosts[of];
      return threads.of(`${of} ${rows.owner[row]}`, () => threadOf(rows.owner[row], rows.subject[row]));
    }),
    subject: Int32Array.from(subjects, ({ name }) => names.of(name, () => name)),
    file: Int32Array.from(subjects, ({ file }) => names.of(file, () => file)),
    threads: threads.items,
    names: names.items,
  };
}
