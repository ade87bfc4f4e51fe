/** Parts of an interval of a worker's time within one segment of its host's history, so that reading never waits. */
import { interruptName } from '../linux/events/interrupt-names.ts';
import { meantThreadValue } from '../linux/states/reduce/kernel-tables.ts';
import * as values from '../linux/events/values.ts';
import type { BlockerList, Ready, PartColumns } from './part-columns.ts';
import type { HostData } from './history-graph.ts';
import { PREEMPTED_BY_HOST, softirqWaitValue } from './path-codes.ts';
import { firstEndingAfter, NO_INTERVAL_LIST, type IntervalList, valueIn } from './interval-lists.ts';
import { QueueRunners } from './queue-runners.ts';

/**
 * Kinds of intervals. `stolen`: the thread, a virtual CPU, was ready but did not run; `softirq`: one was raised but
 * did not run.
 */
export type IntervalKind = 'running' | 'interrupts' | 'preempted' | 'stolen' | 'softirq';

/** Reads waits of the workers of one host. */
export class WaitReader {
  readonly #host: HostData;
  readonly #blockers: BlockerList;
  readonly #unknown: number;
  /** Attributes of the states of CPUs, by their number. */
  readonly #cpuStates: number[] = [];
  readonly #queue: QueueRunners;
  /** Numbers of blockers: interrupts by value of the CPU's state, threads by row. */
  readonly #interrupts = new Map<number, number>();
  readonly #runners = new Map<number, number>();
  /** Numbers of idle threads by what waited. */
  readonly #idlers: Readonly<Record<Ready, Map<number, number>>> = {
    woken: new Map(),
    preempted: new Map(),
    softirq: new Map(),
  };
  /** Intervals in which the present one was interrupted, and those in which it was outside the kernel. */
  readonly #interrupted = new Spans();
  readonly #away = new Spans();
  readonly #parts = new FoundParts();
  #segment = 0;
  #missing = false;
  #ready: Ready = 'woken';

  constructor(host: HostData, blockers: BlockerList) {
    this.#host = host;
    this.#blockers = blockers;
    this.#unknown = blockers.numberOf({ kind: 'unknown' });
    this.#queue = new QueueRunners(host);
    for (const { cpu, stateAttribute } of host.tables.cpus) this.#cpuStates[cpu] = stateAttribute;
  }

  /**
   * Adds the parts of [from, to), which lies in `segment` of the history, to `columns`.
   * @param row of a thread, or the number of a CPU whose interrupts are read
   * @param cause of the segment; tells which `softirq`
   * @returns whether the segment is in memory; if not, nothing is added
   */
  read(
    kind: IntervalKind,
    row: number,
    segment: number,
    from: number,
    to: number,
    columns: PartColumns,
    cause: number,
  ): boolean {
    this.#segment = segment;
    this.#missing = false;
    this.#parts.length = 0;
    if (kind === 'running') this.#readRunning(row, from, to);
    else if (kind === 'interrupts') this.#readInterrupts(row, from, to);
    else if (kind === 'softirq') this.#readSoftirq(row, from, to, softirqWaitValue(values.detailOf(cause)));
    else this.#readReady(row, from, to, kind === 'stolen' ? PREEMPTED_BY_HOST : values.STATE_PREEMPTED);
    if (!this.#missing) this.#parts.addTo(columns);
    return !this.#missing;
  }

  /** The system call that a thread is in at a time within a segment, -1 none; undefined: not in memory. */
  callAt(thread: number, segment: number, time: number): number | undefined {
    const list = this.#host.lists.at(this.#host.tables.threads.callAttribute[thread], segment);
    return list && valueIn(list, time);
  }

  #list(attribute: number): IntervalList {
    const list = this.#host.lists.at(attribute, this.#segment);
    if (list === undefined) this.#missing = true;
    return list ?? NO_INTERVAL_LIST;
  }

  #readRunning(thread: number, from: number, to: number): void {
    const { tables } = this.#host;
    const { threads } = tables;
    const states = this.#list(threads.stateAttribute[thread]);
    const interrupted = this.#interrupted;
    const away = this.#away;
    interrupted.length = away.length = 0;
    for (let i = firstEndingAfter(states, from); i < states.length && states.begin[i] < to; i++) {
      const state = values.stateOf(meantThreadValue(tables, thread, states.value[i]));
      if (state === values.STATE_KERNEL || !values.isRunning(state)) continue;
      const begin = Math.max(from, states.begin[i]);
      const end = Math.min(to, states.end[i]);
      away.push(begin, end);
      if (state === values.STATE_INTERRUPTED) interrupted.push(begin, end);
      else this.#parts.add(state, -1, -1, end - begin);
    }
    this.#readKernel(threads.callAttribute[thread], from, to);
    for (let i = 0; i < interrupted.length; i++)
      this.#readInterruptions(thread, interrupted.from[i], interrupted.to[i]);
  }

  /** Adds the time in the kernel by system call: that of [from, to) in which the thread was not interrupted or in user mode. */
  #readKernel(attribute: number, from: number, to: number): void {
    const calls = this.#list(attribute);
    const away = this.#away;
    let at = firstEndingAfter(calls, from);
    let begin = from;
    for (let i = 0; i <= away.length; i++) {
      const end = i < away.length ? away.from[i] : to;
      while (begin < end) {
        while (at < calls.length && calls.end[at] <= begin) at++;
        const inCall = at < calls.length && calls.begin[at] <= begin;
        const border = at === calls.length ? end : inCall ? calls.end[at] : calls.begin[at];
        const until = Math.min(end, border);
        this.#parts.add(values.STATE_KERNEL, inCall ? calls.value[at] : -1, -1, until - begin);
        begin = until;
      }
      if (i < away.length) begin = away.to[i];
    }
  }

  /** Adds the interrupts of a CPU during a time in interrupts. */
  #readInterrupts(cpu: number, from: number, to: number): void {
    const states = this.#list(this.#cpuStates[cpu] ?? -1);
    let left = to - from;
    for (let i = firstEndingAfter(states, from); i < states.length && states.begin[i] < to; i++) {
      const value = states.value[i];
      if (!values.isInterrupt(value)) continue;
      const ns = Math.min(to, states.end[i]) - Math.max(from, states.begin[i]);
      this.#parts.add(values.STATE_INTERRUPTED, -1, this.#interrupt(value), ns);
      left -= ns;
    }
    this.#parts.add(values.STATE_INTERRUPTED, -1, this.#unknown, left);
  }

  /** Adds the threads that ran while a thread was ready, as parts of `value`. */
  #readReady(thread: number, from: number, to: number, value: number): void {
    const states = this.#list(this.#host.tables.threads.stateAttribute[thread]);
    let at = from;
    for (let i = firstEndingAfter(states, from); i < states.length && at < to; i++) {
      const state = values.stateOf(states.value[i]);
      const end = Math.min(to, states.end[i]);
      this.#ready = state === values.STATE_WOKEN || state === values.STATE_NEW ? 'woken' : 'preempted';
      this.#readRunners(thread, at, end, value);
      at = end;
    }
    this.#parts.add(value, -1, this.#unknown, to - at);
  }

  /** Adds the threads that ran on the CPUs on which a thread was ready, as parts of `value`. */
  #readRunners(thread: number, from: number, to: number, value: number): void {
    const queue = this.#queue;
    if (!queue.read(thread, this.#segment, from, to)) this.#missing = true;
    this.#addRunners(value);
  }

  /** Adds the threads that ran on a CPU while a softirq waited there, as parts of `value`. */
  #readSoftirq(cpu: number, from: number, to: number, value: number): void {
    this.#ready = 'softirq';
    if (!this.#queue.readOn(cpu, this.#segment, from, to)) this.#missing = true;
    this.#addRunners(value);
  }

  #addRunners(value: number): void {
    const queue = this.#queue;
    for (let i = 0; i < queue.length; i++) {
      const runner = queue.thread[i] < 0 ? this.#unknown : this.#runner(queue.thread[i]);
      this.#parts.add(value, -1, runner, queue.to[i] - queue.from[i]);
    }
  }

  /** Adds the interrupts of the CPUs on which a thread was interrupted. */
  #readInterruptions(thread: number, from: number, to: number): void {
    const cpus = this.#list(this.#host.tables.threads.cpuAttribute[thread]);
    let left = to - from;
    for (let i = firstEndingAfter(cpus, from); i < cpus.length && cpus.begin[i] < to; i++) {
      const begin = Math.max(from, cpus.begin[i]);
      const end = Math.min(to, cpus.end[i]);
      this.#readInterrupts(cpus.value[i], begin, end);
      left -= end - begin;
    }
    this.#parts.add(values.STATE_INTERRUPTED, -1, this.#unknown, left);
  }

  #interrupt(value: number): number {
    const known = this.#interrupts.get(value);
    if (known !== undefined) return known;
    const name = interruptName(value, this.#host.text);
    const number = this.#blockers.numberOf({ kind: 'interrupt', name });
    this.#interrupts.set(value, number);
    return number;
  }

  #runner(thread: number): number {
    const { tables, firstWorker, index } = this.#host;
    const cpu = tables.threads.idleCpu[thread];
    const waits = this.#ready;
    const numbers = cpu < 0 ? this.#runners : this.#idlers[waits];
    const known = numbers.get(thread);
    if (known !== undefined) return known;
    const number = this.#blockers.numberOf(
      cpu >= 0 ? { kind: 'idle', host: index, cpu, waits } : { kind: 'thread', worker: firstWorker + thread },
    );
    numbers.set(thread, number);
    return number;
  }
}

/** Intervals of time, reused for each that is read. */
class Spans {
  length = 0;
  readonly from: number[] = [];
  readonly to: number[] = [];

  push(from: number, to: number): void {
    this.from[this.length] = from;
    this.to[this.length++] = to;
  }
}

/** Parts found in one interval. */
class FoundParts {
  length = 0;
  readonly #value: number[] = [];
  readonly #call: number[] = [];
  readonly #blocker: number[] = [];
  readonly #ns: number[] = [];

  add(value: number, call: number, blocker: number, ns: number): void {
    const at = this.length++;
    this.#value[at] = value;
    this.#call[at] = call;
    this.#blocker[at] = blocker;
    this.#ns[at] = ns;
  }

  addTo(columns: PartColumns): void {
    for (let i = 0; i < this.length; i++)
      columns.add(this.#value[i], this.#call[i], this.#blocker[i], this.#ns[i]);
  }
}
