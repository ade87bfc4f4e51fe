/**
 * A timeline source that computes its rows from a seed: any number of threads and intervals, nothing stored. The
 * intervals of a row are made slot by slot from a hash of row and slot, in the manner of its character.
 */
import { signal, type Signal } from '@preact/signals';
import * as values from '../../../src/engine/linux/events/values.ts';
import type { ExperimentInfo, HostInfo, Overview, Progress } from '../../../src/engine/protocol/session.ts';
import type { IntervalInfo, LoadAnswer, RowInfo } from '../../../src/engine/protocol/rows.ts';
import type { TimelineSource } from '../../../src/app/timeline/timeline-source.ts';
import type { TimeRange } from '../../../src/app/timeline/view/viewport.ts';
import { answering } from './answering.ts';
import { writeTile, type PlainInterval } from './tile-writer.ts';

export interface SyntheticOptions {
  readonly hosts: number;
  readonly cpus: number;
  /** Of all hosts together. */
  readonly threads: number;
  readonly intervalsPerThread: number;
  readonly lengthNs: number;
  readonly seed: number;
  /** The second and later hosts begin after this share of the length. */
  readonly lateShare: number;
  /** Share of the length that is read; below 1 reading goes on. */
  readonly readShare: number;
  /** Rows of event streams instead of states. */
  readonly streams: boolean;
  /** ms before an answer, as from a worker. */
  readonly delayMs: number;
}

const DEFAULTS: SyntheticOptions = {
  hosts: 2,
  cpus: 2,
  threads: 40,
  intervalsPerThread: 3000,
  lengthNs: 5_850_000_000,
  seed: 1,
  lateShare: 0.45,
  readShare: 1,
  streams: false,
  delayMs: 0,
};

export interface SyntheticSource extends TimelineSource {
  readonly info: Signal<ExperimentInfo | undefined>;
  readonly rows: Signal<readonly RowInfo[]>;
  readonly overview: Signal<Overview | undefined>;
  readonly progress: Signal<Progress | undefined>;
  readonly notes: Signal<readonly TimeRange[]>;
  /** All intervals of a row that overlap [from, to). */
  intervals(row: RowInfo, from: number, to: number): PlainInterval[];
}

/** Where the first host's CPU 1 lost events, as shares of the length. */
const LOST_FROM = 0.36;
const LOST_TO = 0.4;
/** Intervals a slot has on average. */
const SLOT_INTERVALS = 4;

export function createSyntheticSource(options: Partial<SyntheticOptions> = {}): SyntheticSource {
  const settings = { ...DEFAULTS, ...options };
  const rows = settings.streams ? syntheticStreams(settings) : syntheticRows(settings);
  const readNs = Math.floor(settings.lengthNs * settings.readShare);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byAttribute = new Map(rows.filter((row) => row.attribute >= 0).map((row) => [row.attribute, row]));
  const answer = async <T>(make: () => T): Promise<T> => {
    // As from a worker: never before the caller went on.
    await new Promise((resolve) => setTimeout(resolve, settings.delayMs));
    return make();
  };
  const intervals = (row: RowInfo, from: number, to: number) =>
    rowIntervals({ ...row, lastNs: Math.min(row.lastNs, readNs) }, from, to, settings);
  const rowsOf = (attributes: readonly number[]) =>
    attributes.map((attribute) => byAttribute.get(attribute)).filter((row) => row !== undefined);
  const at = (row: string, time: number): IntervalInfo | undefined => {
    const found = byId.get(row);
    const interval = found && intervals(found, time, time + 1)[0];
    return found && interval && intervalInfo(found, interval);
  };
  const { ask } = answering({
    tile: ({ attributes, from, to, bucketNs }) =>
      answer(() => {
        const list = rowsOf(attributes).map((row) => ({
          kind: row.kind,
          intervals: intervals(row, from, to),
        }));
        return writeTile(list, from, to, bucketWidth(bucketNs));
      }),
    load: ({ attributes, from, to, bucketNs }) =>
      answer(() => syntheticLoad(rowsOf(attributes), from, to, bucketWidth(bucketNs), settings)),
    density: ({ rows: ids, from, to, bucketNs }) =>
      answer(() => {
        const buckets = Math.round((to - from) / bucketWidth(bucketNs));
        const out = new Float32Array(ids.length * buckets);
        const width = (to - from) / buckets;
        for (let i = 0; i < out.length; i++) {
          const time = from + (i % buckets) * width;
          const burst = random(Math.floor(time / 9e7), Math.floor(i / buckets), settings.seed) ** 4;
          out[i] = Math.floor(burst * 2 * Math.log2(1 + width / 1e4) * random(i, settings.seed));
        }
        return out;
      }),
    interval: ({ row, timeNs, step = 0 }) =>
      answer(() => {
        const here = at(row, timeNs);
        if (step === 0 || here === undefined) return here;
        return at(row, step < 0 ? here.from - 1 : here.to);
      }),
    call: ({ row, timeNs }) =>
      answer(() => {
        const here = at(row, timeNs);
        return here?.syscall === undefined ? undefined : { ...here, stateText: here.syscall, isCall: true };
      }),
  });
  return {
    info: signal(syntheticInfo(settings)),
    rows: signal(rows),
    byProgram: signal(false),
    hasPrograms: signal(false),
    overview: signal(syntheticOverview(rows, settings)),
    progress: signal({
      phase: settings.readShare < 1 ? 'reading' : 'done',
      bytes: settings.readShare,
      totalBytes: 1,
      events: 1,
      seconds: 1,
      watermarkNs: settings.readShare < 1 ? readNs : Infinity,
    }),
    notes: signal([]),
    intervals,
    ask,
  };
}

function syntheticInfo({ hosts, cpus, lengthNs, lateShare, streams }: SyntheticOptions): ExperimentInfo {
  const host = (index: number): HostInfo => ({
    index,
    name: ['server', 'client', 'db'][index] ?? `host-${index}`,
    hostname: 'wake',
    events: 25_317 - index * 6000,
    cpus,
    shiftNs: 0,
    firstNs: index === 0 ? 0 : lengthNs * lateShare,
    lastNs: lengthNs,
    notRecorded: [],
    recorder: 'lttng',
    lacks: [],
    lost: index === 0 ? [{ cpu: 1, from: lengthNs * LOST_FROM, to: lengthNs * LOST_TO }] : [],
  });
  return {
    key: 'synthetic',
    name: 'synthetic',
    originNs: '1715954571204113907',
    lengthNs,
    events: 44_365,
    bytes: 1e6,
    hosts: Array.from({ length: hosts }, (_, i) => host(i)),
    hasKernel: !streams,
    streams: [],
    faults: [],
    discardedEvents: 12,
    discardedPackets: 0,
    sideBySide: false,
    fromStore: false,
  };
}

const NAMES = [
  'wk-httpd',
  'curl',
  'postgres',
  'node',
  'lttng-consumerd',
  'guest-init.sh',
  'cc1plus',
  'java',
  'sshd',
];
const KERNEL_NAMES = ['rcu_preempt', 'kworker/1:0', 'ksoftirqd/1', 'jbd2/vdb-8', 'migration/0', 'kswapd0'];

function syntheticRows({ hosts, cpus, threads, lengthNs, lateShare, seed }: SyntheticOptions): RowInfo[] {
  const rows: RowInfo[] = [];
  let attribute = 0;
  for (let host = 0; host < hosts; host++) {
    const firstNs = host === 0 ? 0 : lengthNs * lateShare;
    const life = { host, firstNs, lastNs: lengthNs, ran: true };
    const add = (row: Pick<RowInfo, 'id' | 'parent' | 'kind' | 'name'> & Partial<RowInfo>) =>
      rows.push({ attribute: -1, kernelThread: false, cpuTimeNs: 0, events: 0, ...life, ...row }) - 1;
    const root = add({
      id: `host:${host}`,
      parent: -1,
      kind: 'host',
      name: ['server', 'client', 'db'][host] ?? `host-${host}`,
      cpuTimeNs: lengthNs * cpus * 0.3,
    });
    for (let cpu = 0; cpu < cpus; cpu++) {
      add({
        id: `cpu:${host}:${cpu}`,
        parent: root,
        kind: 'cpu',
        name: `CPU ${cpu}`,
        cpu,
        attribute: attribute++,
      });
    }
    const thread = (
      parent: number,
      name: string,
      tid: number,
      pid: number,
      kernelThread: boolean,
      ran = true,
    ) =>
      add({
        id: `thread:${host}:${tid}`,
        parent,
        kind: 'thread',
        name,
        tid,
        pid,
        kernelThread,
        ran,
        attribute: attribute++,
        cpuTimeNs: ran ? lengthNs * 0.1 * random(tid, seed) ** 3 : 0,
      });
    const count = Math.floor(threads / hosts);
    const kernelCount = Math.floor(count * 0.3);
    for (let i = 0, tid = 130; i < count - kernelCount; i++, tid++) {
      const name = NAMES[hash(i, host, seed) % NAMES.length];
      if (i % 5 !== 0 || i + 3 > count - kernelCount) {
        thread(root, name, tid, tid, false);
        continue;
      }
      const process = add({
        id: `process:${host}:${tid}`,
        parent: root,
        kind: 'process',
        name,
        tid,
        pid: tid,
        cpuTimeNs: lengthNs * 0.06,
      });
      thread(process, name, tid, tid, false);
      thread(process, `${name.slice(0, 4)}-0`, tid + 1, tid, false);
      thread(process, `${name.slice(0, 4)}-1`, tid + 2, tid, false);
      i += 2;
      tid += 2;
    }
    const group = add({
      id: `kernel-threads:${host}`,
      parent: root,
      kind: 'kernel-threads',
      name: 'Kernel threads',
      cpuTimeNs: lengthNs * 0.02,
    });
    for (let i = 0; i < kernelCount; i++) {
      thread(group, KERNEL_NAMES[i % KERNEL_NAMES.length], 10 + i + host, 2, true);
    }
    const never = add({
      id: `never-ran:${host}`,
      parent: root,
      kind: 'never-ran',
      name: 'Never ran',
      ran: false,
    });
    for (let i = 0; i < 3; i++) thread(never, 'systemd', 900_000 + i, 900_000 + i, false, false);
  }
  return rows;
}

function syntheticStreams({ threads, lengthNs }: SyntheticOptions): RowInfo[] {
  const life = {
    host: 0,
    firstNs: 0,
    lastNs: lengthNs,
    ran: true,
    attribute: -1,
    cpuTimeNs: 0,
    events: 0,
    kernelThread: false,
  };
  const host: RowInfo = { ...life, id: 'host:0', parent: -1, kind: 'host', name: 'server' };
  const stream = (_: unknown, i: number): RowInfo => {
    return { ...life, id: `stream:0:${i}`, parent: 0, kind: 'stream', name: `worker-${i}`, tid: 4000 + i };
  };
  return [host, ...Array.from({ length: threads }, stream)];
}

/** What a thread does when it does not wait, and what it waits for. */
const CHARACTERS = [
  { cause: values.CAUSE_NETWORK, work: 0.25, user: 0.5, wait: 1 },
  { cause: values.CAUSE_THREAD, work: 0.1, user: 0.3, wait: 1 },
  { cause: values.CAUSE_TIMER, work: 0.05, user: 0.6, wait: 1 },
  { cause: values.CAUSE_DISK, work: 0.2, user: 0.2, wait: 0.6 },
  { cause: values.CAUSE_LOCK, work: 0.4, user: 0.8, wait: 0.5 },
  { cause: values.CAUSE_THREAD, work: 0.7, user: 0.8, wait: 0.2 },
] as const;

function rowIntervals(row: RowInfo, from: number, to: number, settings: SyntheticOptions): PlainInterval[] {
  const { lengthNs, intervalsPerThread, seed } = settings;
  const slots = Math.max(1, Math.round(intervalsPerThread / SLOT_INTERVALS));
  const slotNs = Math.max(SLOT_INTERVALS, Math.floor(lengthNs / slots));
  const first = Math.max(Math.floor(row.firstNs / slotNs), Math.floor(from / slotNs));
  const last = Math.min(Math.floor((row.lastNs - 1) / slotNs), Math.floor((to - 1) / slotNs));
  const out: PlainInterval[] = [];
  const push = (begin: number, end: number, value: number) => {
    const [b, e] = [Math.max(begin, row.firstNs), Math.min(end, row.lastNs)];
    const before = out.at(-1);
    if (e <= b) return;
    if (before?.value === value && before.to === b) out[out.length - 1] = { ...before, to: e };
    else out.push({ from: b, to: e, value });
  };
  // Whole runs of quiet slots are one interval, so they are read from their ends on.
  const begin = quietEdge(row, first, -1, slots, seed);
  const end = quietEdge(row, last, 1, slots, seed);
  for (let slot = begin; slot <= end; slot++) slotIntervals(row, slot, slotNs, slots, seed, push);
  return out.filter((interval) => interval.to > from && interval.from < to);
}

const LONGEST_QUIET = 64;

function quietEdge(row: RowInfo, slot: number, step: -1 | 1, slots: number, seed: number): number {
  let edge = slot;
  for (let i = 0; i < LONGEST_QUIET && activity(row, edge, slots, seed) === 0; i++) edge += step;
  return edge;
}

/** 0 quiet … 1 busy: phases of the whole host, and of the row. */
function activity(row: RowInfo, slot: number, slots: number, seed: number): number {
  const phase = Math.floor((slot / slots) * 30);
  const own = Math.floor((slot / slots) * 110);
  if (row.kind !== 'cpu' && own % 8 === 7) return 0.3;
  if (random(phase, row.host, seed) < 0.45) return 0;
  const key = row.attribute + 7;
  return random(own, key, seed) < 0.5 ? 0 : random(own, key, seed + 1);
}

function slotIntervals(
  row: RowInfo,
  slot: number,
  slotNs: number,
  slots: number,
  seed: number,
  push: (begin: number, end: number, value: number) => void,
): void {
  const begin = slot * slotNs;
  const busy = activity(row, slot, slots, seed);
  const cut = (i: number) => random(slot, row.attribute * 8 + i, seed);
  if (row.kind === 'cpu') {
    const lost = row.host === 0 && row.cpu === 1 && slot >= slots * LOST_FROM && slot < slots * LOST_TO;
    if (lost) return push(begin, begin + slotNs, values.CPU_UNKNOWN);
    if (busy === 0) return push(begin, begin + slotNs, values.CPU_IDLE);
    const work = Math.max(1, Math.floor(slotNs * (0.3 + 0.6 * cut(0))));
    const split = Math.floor(work * cut(1));
    push(begin, begin + split, cut(2) < 0.5 ? values.CPU_USER : values.CPU_KERNEL);
    push(begin + split, begin + work, cut(3) < 0.2 ? values.CPU_SOFTIRQ : values.CPU_KERNEL);
    return push(begin + work, begin + slotNs, values.CPU_IDLE);
  }
  const character = CHARACTERS[row.attribute % CHARACTERS.length];
  const idle = row.kernelThread
    ? values.STATE_IDLE_KTHREAD
    : values.blockedValue(values.STATE_BLOCKED_S, character.cause, -1);
  if (slot * 40 < slots && row.attribute % 3 === 0) return push(begin, begin + slotNs, values.STATE_UNKNOWN);
  if (busy === 0) return push(begin, begin + slotNs, idle);
  const ready = Math.floor(slotNs * 0.04 * cut(0));
  const work = Math.floor(slotNs * Math.min(0.9, character.work * (0.4 + busy) * (0.5 + cut(1))));
  const user = row.kernelThread ? 0 : Math.floor(work * character.user);
  const interrupted = cut(2) < 0.15 ? Math.floor(work * 0.1) : 0;
  const steps: [number, number][] = [
    [ready, values.STATE_WOKEN],
    [user, values.STATE_USER],
    [interrupted, values.STATE_INTERRUPTED],
    [work - user - interrupted, values.STATE_KERNEL],
    [slotNs - ready - work, idle],
  ];
  let at = begin;
  for (const [length, value] of steps) {
    push(at, at + length, value);
    at += length;
  }
}

function intervalInfo(row: RowInfo, interval: PlainInterval): IntervalInfo {
  const state = values.stateOf(interval.value);
  return {
    row: row.id,
    from: interval.from,
    to: interval.to,
    value: interval.value,
    state,
    stateText: values.THREAD_STATES[state] ?? '',
    causeText: values.causeOf(interval.value) > 0 ? 'woken by kworker/0:1' : undefined,
    cpu: state < values.STATE_PREEMPTED ? 1 : undefined,
    syscall: state === values.STATE_KERNEL ? 'epoll_wait' : undefined,
  };
}

const BUSY_CPU = new Set([
  values.CPU_USER,
  values.CPU_KERNEL,
  values.CPU_HARDIRQ,
  values.CPU_SOFTIRQ,
  values.CPU_TIMER,
]);
const BUSY_THREAD = new Set([values.STATE_USER, values.STATE_KERNEL, values.STATE_INTERRUPTED]);

function syntheticLoad(
  rows: readonly RowInfo[],
  from: number,
  to: number,
  width: number,
  settings: SyntheticOptions,
): LoadAnswer {
  const load = new Float32Array(Math.max(1, Math.round((to - from) / width)));
  const life = rows.reduce((first, row) => Math.min(first, row.firstNs), Infinity);
  // A few rows stand for many: a process of thousands of threads is not what is tested here.
  for (const row of rows.slice(0, 16)) {
    const busy = row.kind === 'cpu' ? BUSY_CPU : BUSY_THREAD;
    for (const interval of rowIntervals(row, Math.max(0, from), to, settings)) {
      if (!busy.has(values.stateOf(interval.value))) continue;
      const last = Math.min(load.length, (interval.to - from) / width);
      for (let at = Math.max(0, (interval.from - from) / width); at < last; at = Math.floor(at) + 1) {
        load[Math.floor(at)] += Math.min(last, Math.floor(at) + 1) - at;
      }
    }
  }
  const used = load.map((value, i) => {
    const time = from + (i + 0.5) * width;
    return time < life || time > settings.lengthNs * settings.readShare ? NaN : value;
  });
  return { used, unknown: used.map((value) => value * 0) };
}

function syntheticOverview(rows: readonly RowInfo[], settings: SyntheticOptions): Overview {
  const buckets = 1024;
  const bucketNs = settings.lengthNs / buckets;
  return {
    bucketNs,
    hosts: Array.from({ length: settings.hosts }, (_, host) => {
      const cpus = rows.filter((row) => row.host === host && row.kind === 'cpu');
      const { used, unknown } = syntheticLoad(cpus, 0, settings.lengthNs, bucketNs, settings);
      const load = { used: used.map((value) => value / settings.cpus), unknown };
      const first = host === 0 ? 0 : buckets * settings.lateShare;
      const density = used.map((_, i) => (i < first ? 0 : 20 * random(Math.floor(i / 12), host, 3) ** 2));
      return { host, load, density, estimated: settings.readShare < 1 };
    }),
  };
}

/** The level 4^k at or below. */
function bucketWidth(wanted: number): number {
  return 4 ** Math.max(0, Math.floor(Math.log2(Math.max(1, wanted)) / 2));
}

/** 0 … 1, from whole numbers. */
function random(...parts: number[]): number {
  return hash(...parts) / 0x1_0000_0000;
}

function hash(...parts: number[]): number {
  let h = 0x811c9dc5;
  for (const part of parts) {
    h = Math.imul(h ^ (part | 0), 0x01000193);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
  }
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
