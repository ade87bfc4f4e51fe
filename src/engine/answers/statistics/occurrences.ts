/** Single calls, waits, requests and interrupts of a range: the durations that the statistics sum up. */
import { TextList } from '../../base/text-list.ts';
import { matcherOf } from '../../base/glob.ts';
import { callTimes } from '../../linux/states/read/call-times.ts';
import { DurationLog } from '../../linux/sums/duration-log.ts';
import type { DurationTable } from '../../linux/sums/duration-sums.ts';
import { RAISED, RUN_SOFTIRQ } from '../../linux/sums/interrupts/interrupt-chunk.ts';
import { cutLength, cpuOwner, interruptTitle, nameOf } from './irq-stats.ts';
import { singleInterrupts, type SingleInterrupts } from '../../linux/sums/interrupts/single-interrupts.ts';
import { priorities, type Priorities } from '../../linux/sums/priorities.ts';
import { addRequests, requestAt } from '../../linux/sums/io/io-disks.ts';
import { ioUsage } from '../../linux/sums/io/io.ts';
import { eachDelay } from '../../linux/states/read/sched-delays.ts';
import { STATE_WOKEN } from '../../linux/events/values.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import { hostsOfRow, threadOfRow } from '../context/thread-rows.ts';
import { durationStatOf, inDisplayTime, type Owner } from './duration-stat.ts';
import { ioOf, ioThread } from './io-stats.ts';
import { timesOfHost } from './range-aggregates.ts';
import { type Counted, rangeQuery, type StatisticScope } from './statistic.ts';
import type { OccurrenceOwner, Occurrences, OccurrencesRequest } from '../../protocol/statistics.ts';

/** Maximum number listed; others are found by a narrower range or a single thread. */
const MOST = 200_000;

export const occurrences = rangeQuery<Occurrences, OccurrencesRequest>({
  needs: [],
  none: listOf('io', [], 0),
  count,
  isTransferred: true,
});

async function count(scope: StatisticScope, request: OccurrencesRequest): Promise<Counted<Occurrences>> {
  const { of, thread, limit = MOST } = request;
  const hosts = thread === undefined ? scope.hosts : hostsOfRow(scope.hosts, thread);
  const most = Math.min(MOST, limit);
  const found: HostList[] = [];
  const asked = hosts
    .filter(isKernelHost)
    .filter((host) => thread === undefined || threadOfRow(host, thread) >= 0);
  for (const host of asked) found.push(await hostList(host, scope, request, most));
  return listOf(of, found, most);
}

/** Description of an occurrence by the number of its subject. */
interface Found {
  readonly name: string;
  /** Default: none. */
  readonly file?: string;
  readonly bytes?: number;
  readonly request?: {
    readonly queuedNs: number;
    readonly sector: number;
    readonly disk: string;
    readonly call: string;
  };
}

/** The longest of a host, with the meaning of their numbers. */
interface HostList {
  readonly host: HostHistory;
  readonly sums: DurationTable;
  readonly rows: ReturnType<DurationLog['longest']>;
  /** @param subject one of the owner's, where there is one */
  readonly ownerOf: (owner: number, subject?: number) => OccurrenceOwner;
  readonly describe: (subject: number) => Found;
}

async function hostList(
  host: KernelHost,
  scope: StatisticScope,
  request: OccurrencesRequest,
  most: number,
): Promise<HostList> {
  const { of, thread, minNs = 0, maxNs = Infinity, only: part, isRealTime = false } = request;
  const { query, tables, clock } = host;
  const { from, to } = timesOfHost(scope.range, clock);
  const only = thread === undefined ? undefined : threadOfRow(host, thread);
  const log = new DurationLog(most, minNs, maxNs);
  const list = (hostPart: Pick<HostList, 'describe'> & Partial<HostList>): HostList => ({
    host,
    sums: log.sums.finish(),
    rows: log.longest(),
    ownerOf: (owner) => ioThread(host, owner, tables.threads.tid[owner]),
    ...hostPart,
  });
  switch (of) {
    case 'syscalls':
      await callTimes(query, tables, { from, to }, [], only, log);
      return list({ describe: (name) => ({ name: query.text(name) }) });
    case 'sched': {
      const known = isRealTime
        ? await scope.trace.onDemand?.resultOf<readonly Priorities[]>(priorities.id)
        : undefined;
      const ofHost = known?.find((one) => one.host === host.index);
      const isCounted = (tid: number, running: number) => !isRealTime || ofHost?.isRealTime(tid, running);
      await eachDelay(
        query,
        tables,
        { from, to },
        (row, state, begin, ns) => {
          const tid = tables.threads.tid[row];
          // Idle threads do not wait.
          if (tid === 0 || (part !== undefined && part !== partOfState(state))) return;
          if (isCounted(tid, begin + ns)) log.add(begin, ns, row, state);
        },
        only,
      );
      return list({ describe: (state) => ({ name: partOfState(state) }) });
    }
    case 'irq': {
      const keys = await addInterrupts(log, host, scope, request);
      const ownerOf = (cpu: number) => ({ ...cpuOwner(host.index, cpu), tid: -1, host: host.index });
      return list({ ownerOf, describe: (key) => ({ name: keys[key] }) });
    }
    case 'io':
    case 'requests': {
      const added = await addInputOutput(log, host, scope, request);
      return list(added);
    }
  }
}

function partOfState(state: number): 'woken' | 'preempted' {
  return state === STATE_WOKEN ? 'woken' : 'preempted';
}

/** @returns names by subject of the logged interrupts */
async function addInterrupts(
  log: DurationLog,
  host: KernelHost,
  { trace, range }: StatisticScope,
  { thread, names, cpus, only }: OccurrencesRequest,
): Promise<readonly string[]> {
  const all = await trace.onDemand?.resultOf<readonly SingleInterrupts[]>(singleInterrupts.id);
  const { from, to } = timesOfHost(range, host.clock);
  const matchers = names?.map(matcherOf);
  const titles = new TextList();
  // Interrupts belong to no thread.
  const asked = thread !== undefined || all === undefined ? [] : all;
  for (const { host: of, cpu, keys, length, runs } of asked) {
    if (of !== host.index || cpus?.includes(cpu) === false) continue;
    const subjects = keys.map((key) => {
      const isNamed = matchers?.some((matches) => matches(nameOf(key))) ?? true;
      const isSoftirq = key.kind === RUN_SOFTIRQ || key.kind === RAISED;
      const isAsked = only === undefined || (only === 'softirqs') === isSoftirq;
      return isNamed && isAsked ? titles.indexOf(interruptTitle(key)) : -1;
    });
    const attribute = host.tables.cpus.find((row) => row.cpu === cpu)?.threadAttribute;
    for (let i = 0; i < length; i++) {
      const [begin, end, subject] = [runs.begin[i], runs.end[i], subjects[runs.key[i]]];
      if (begin < from || end >= to || subject < 0) continue;
      if (runs.isCut[i] === 0) log.add(begin, Math.max(0, end - begin), cpu, subject);
      else if (attribute !== undefined)
        log.add(begin, await cutLength(host.query, attribute, begin, end), cpu, subject);
    }
  }
  return titles.list;
}

async function addInputOutput(
  log: DurationLog,
  host: KernelHost,
  { trace, range }: StatisticScope,
  { of, thread, minBytes, maxBytes }: OccurrencesRequest,
): Promise<Pick<HostList, 'ownerOf' | 'describe'>> {
  const { from, to } = timesOfHost(range, host.clock);
  const only = thread === undefined ? undefined : threadOfRow(host, thread);
  const isBounded = minBytes !== undefined || maxBytes !== undefined;
  const bounds = isBounded ? { least: minBytes ?? 0, greatest: maxBytes ?? Infinity } : undefined;
  const io = (await ioOf(host, await trace.chunkResults(ioUsage.id))).at(0);
  const ownerOf = (tidOf: (subject: number) => number) => (owner: number, subject?: number) =>
    ioThread(host, owner, subject === undefined ? -1 : tidOf(subject));
  if (io === undefined) return { ownerOf: ownerOf(() => -1), describe: () => ({ name: '' }) };
  const { transfers, disks } = io;
  if (of === 'io') {
    transfers.addTo(log, from, to, bounds, only);
    return {
      ownerOf: ownerOf((row) => transfers.call(row).tid),
      describe(row) {
        const { call, path, bytes } = transfers.call(row);
        return { name: call, file: path, bytes };
      },
    };
  }
  addRequests(disks, log, from, to, bounds, only);
  return {
    ownerOf: ownerOf((place) => requestAt(disks, place).tid),
    describe(place) {
      const { flags, bytes, queuedNs, sector, name, dev, owner, begin } = requestAt(disks, place);
      const { call, path } = transfers.callAt(owner, begin) ?? { call: 'unknown', path: 'unknown' };
      return {
        name: flags,
        file: path,
        bytes,
        request: { queuedNs, sector, disk: name === '' ? dev : name, call },
      };
    },
  };
}

/** The longest of all hosts; of equal ones the earliest. */
function listOf(
  of: OccurrencesRequest['of'],
  hosts: readonly HostList[],
  most: number,
): Counted<Occurrences> {
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
  const ownerKeys = new TextList();
  const owners: OccurrenceOwner[] = [];
  const names = new TextList();
  const described = listed.map(({ of, row }) => hosts[of].describe(hosts[of].rows.subject[row]));
  const requests = of === 'requests' ? described.map(({ request }) => request) : undefined;
  return {
    durations: durationsOf(hosts),
    length: listed.length,
    fromNs: Float64Array.from(listed, ({ from }) => from),
    ns: Float64Array.from(listed, ({ ns }) => ns),
    owner: Int32Array.from(listed, ({ of, row }) => {
      const { rows, ownerOf } = hosts[of];
      const place = ownerKeys.indexOf(`${of} ${rows.owner[row]}`);
      owners[place] ??= ownerOf(rows.owner[row], rows.subject[row]);
      return place;
    }),
    subject: Int32Array.from(described, ({ name }) => names.indexOf(name)),
    file: Int32Array.from(described, ({ file = '' }) => names.indexOf(file)),
    bytes: Float64Array.from(described, ({ bytes = NaN }) => bytes),
    requests: requests && {
      queuedNs: Float64Array.from(requests, (request) => request?.queuedNs ?? NaN),
      sector: Float64Array.from(requests, (request) => request?.sector ?? NaN),
      disk: Int32Array.from(requests, (request) => names.indexOf(request?.disk ?? '')),
      call: Int32Array.from(requests, (request) => names.indexOf(request?.call ?? '')),
    },
    owners,
    names: names.list,
  };
}

/** Summary of all durations, listed or not. */
function durationsOf(hosts: readonly HostList[]): Occurrences['durations'] {
  const owners: Owner[] = [];
  const parts = hosts.map(({ host, sums, ownerOf }) => {
    return { table: inDisplayTime(sums, host.clock, owners, ownerOf), group: 0 };
  });
  return durationStatOf(parts, owners);
}
