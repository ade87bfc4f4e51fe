/** One interval of a row in words and links, for the hover card and the Selection tab. */
import type { DisplayNs, HostNs } from '../../base/units.ts';
import type { Interval } from '../../history/query-types.ts';
import { interruptName } from '../../linux/events/interrupt-names.ts';
import type { CpuRow } from '../../linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import * as values from '../../linux/events/values.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import { causeText, cpuStateText, threadStateText } from '../../words/state-text.ts';
import { threadOfKey, threadRow } from '../context/thread-rows.ts';
import { threadWords } from '../../words/thread-words.ts';

/** A row of states: its attribute, and the meaning of its values. */
interface StateRow {
  readonly id: string;
  readonly attribute: number;
  readonly text: (value: number) => string;
  /** Row of the thread table, -1 for CPUs. */
  readonly thread: number;
  /** undefined for threads. */
  readonly cpu: CpuRow | undefined;
}

const INTERRUPTS: ReadonlySet<number> = new Set([values.CPU_HARDIRQ, values.CPU_SOFTIRQ, values.CPU_TIMER]);
/** Maximum number of threads named for a CPU's interval. */
const MOST_THREADS = 4;

/** The interval of `row` ('thread:0:1234', 'cpu:0:1') at a display time, or that before or after it; undefined: none. */
export async function intervalInfo(
  host: HostHistory,
  row: string,
  timeNs: DisplayNs,
  step: -1 | 0 | 1,
): Promise<IntervalInfo | undefined> {
  if (!isKernelHost(host)) return undefined;
  const found = stateRow(host, row);
  const here = found && (await host.query.at(found.attribute, host.clock.toHost(timeNs)));
  if (found === undefined || here === undefined) return undefined;
  const interval = step === 0 ? here : await neighbour(host, here, step);
  return interval && describe(host, found, interval);
}

/** The system call of a thread's row at a display time, from entry to return; undefined: none. */
export async function callInfo(
  host: HostHistory,
  row: string,
  timeNs: DisplayNs,
): Promise<IntervalInfo | undefined> {
  if (!isKernelHost(host)) return undefined;
  const found = stateRow(host, row);
  if (found === undefined || found.thread < 0) return undefined;
  const { query, clock, tables } = host;
  const attribute = tables.threads.callAttribute[found.thread];
  const time = clock.toHost(timeNs);
  const call = attribute < 0 ? undefined : await query.at(attribute, time);
  const first = call && (await query.at(found.attribute, call.from));
  if (call === undefined || first === undefined) return undefined;
  const last = await query.at(found.attribute, call.to - 1);
  const [previous, next] = await Promise.all([neighbour(host, first, -1), last && neighbour(host, last, 1)]);
  return {
    row: found.id,
    from: clock.toExperiment(call.from),
    to: clock.toExperiment(call.to),
    value: first.value,
    state: values.stateOf(first.value),
    stateText: query.text(call.value),
    isCall: true,
    cpu: await numberAt(host, tables.threads.cpuAttribute[found.thread], call.from),
    previous: previous && shown(host, found, previous),
    next: next && shown(host, found, next),
  };
}

function neighbour(host: KernelHost, interval: Interval, direction: -1 | 1): Promise<Interval | undefined> {
  return host.query.at(interval.attribute, direction < 0 ? interval.from - 1 : interval.to);
}

async function describe(host: KernelHost, row: StateRow, interval: Interval): Promise<IntervalInfo> {
  const { value } = interval;
  const waker =
    row.thread >= 0 && values.causeOf(value) === values.CAUSE_THREAD ? values.detailOf(value) : -1;
  const [previous, next, cpu, call, threads] = await Promise.all([
    neighbour(host, interval, -1),
    neighbour(host, interval, 1),
    numberAt(host, row.thread < 0 ? -1 : host.tables.threads.cpuAttribute[row.thread], interval.from),
    numberAt(host, row.thread < 0 ? -1 : host.tables.threads.callAttribute[row.thread], interval.from),
    row.cpu && threadsOn(host, row.cpu, interval),
  ]);
  return {
    row: row.id,
    ...shown(host, row, interval),
    state: values.stateOf(value),
    causeText:
      row.thread < 0
        ? undefined
        : causeText(
            value,
            (t) => workerName(host, t),
            (s) => host.query.text(s),
          ),
    waker: waker < 0 ? undefined : threadRow(host, waker),
    wakerName: waker < 0 ? undefined : workerName(host, waker),
    cpu: cpu === values.CPU_NOT_KNOWN ? undefined : cpu,
    syscall: call === undefined ? undefined : host.query.text(call),
    interrupt: await interruptOf(host, row, interval, cpu),
    threads,
    previous: previous && shown(host, row, previous),
    next: next && shown(host, row, next),
  };
}

/** Threads of a CPU's interval. Its state may stay while threads change, as from one system call to another. */
async function threadsOn(host: KernelHost, cpu: CpuRow, { from, to }: Interval) {
  const { threads } = host.tables;
  const found = await host.query.intervals(cpu.threadAttribute, from, to, MOST_THREADS);
  // 0: unknown.
  const known = new Set(found.map(({ value }) => value - 1).filter((t) => t >= 0 && threads.idleCpu[t] < 0));
  return Array.from(known, (thread) => ({ row: threadRow(host, thread), name: threads.name[thread] }));
}

async function interruptOf(
  host: KernelHost,
  row: StateRow,
  { value, from }: Interval,
  cpu: number | undefined,
): Promise<string | undefined> {
  const state = row.cpu
    ? value
    : values.stateOf(value) === values.STATE_INTERRUPTED
      ? await numberAt(host, host.tables.cpus.find((each) => each.cpu === cpu)?.stateAttribute ?? -1, from)
      : undefined;
  const inInterrupt = state !== undefined && INTERRUPTS.has(values.stateOf(state));
  return inInterrupt ? interruptName(state, (text) => host.query.text(text)) : undefined;
}

/** The interval and its neighbours with replaced texts. */
export function withTexts(
  info: IntervalInfo,
  textOf: (words: Pick<IntervalInfo, 'stateText' | 'from'>) => string,
): IntervalInfo {
  const named = <Words extends Parameters<typeof textOf>[0]>(words: Words): Words => {
    return { ...words, stateText: textOf(words) };
  };
  const { previous, next } = info;
  return { ...named(info), previous: previous && named(previous), next: next && named(next) };
}

function shown(host: KernelHost, row: StateRow, interval: Interval) {
  return {
    from: host.clock.toExperiment(interval.from),
    to: host.clock.toExperiment(interval.to),
    value: interval.value,
    stateText: row.text(interval.value),
  };
}

async function numberAt(host: KernelHost, attribute: number, time: HostNs): Promise<number | undefined> {
  return attribute < 0 ? undefined : (await host.query.at(attribute, time))?.value;
}

function workerName(host: KernelHost, thread: number): string {
  const { threads } = host.tables;
  return threadWords(threads.name[thread], threadKey(threads, thread));
}

function stateRow(host: KernelHost, row: string): StateRow | undefined {
  const [kind, , ...rest] = row.split(':');
  const key = rest.join(':');
  if (kind === 'cpu') {
    const cpu = host.tables.cpus.find((c) => String(c.cpu) === key);
    const { program } = host.tables;
    const text = (value: number) =>
      program !== undefined && values.stateOf(value) === values.CPU_UNKNOWN
        ? `Unknown: only ${program} was recorded`
        : cpuStateText(value);
    return cpu && { id: row, attribute: cpu.stateAttribute, text, thread: -1, cpu };
  }
  if (kind !== 'thread') return undefined;
  const thread = threadOfKey(host.tables, key);
  if (thread < 0) return undefined;
  const attribute = host.tables.threads.stateAttribute[thread];
  return { id: row, attribute, text: threadStateText, thread, cpu: undefined };
}
