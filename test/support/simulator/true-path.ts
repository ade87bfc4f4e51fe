/**
 * The active path as the simulation knows it (criterion main task): what a thread did, and instead of each wait what
 * was done meanwhile by those who ended it. Built forward and by recursion from what really happened (`Thread.stays`),
 * not from events.
 */
import type { Arrival, Machine, Sending, SoftirqRun, Source, Stay, Thread } from './machine.ts';

export interface TrueSegment {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly label: 'running' | 'preempted' | 'blocked' | 'network' | 'unknown';
  readonly cause: string;
}

/** How threads and interrupts are called. */
export interface TrueNames {
  thread(machine: Machine, tid: number): string;
  interrupts(machine: Machine, cpu: number): string;
}

const OWN_NAMES: TrueNames = {
  thread: (_, tid) => `${tid}`,
  interrupts: (_, cpu) => `irq/cpu${cpu}`,
};

/** Names of the softirqs that the simulation has. */
const SOFTIRQ_NAMES: Readonly<Record<number, string>> = {
  1: 'TIMER',
  3: 'NET_RX',
  4: 'BLOCK',
  7: 'SCHED',
  9: 'RCU',
};

const LABELS = { running: 'running', ready: 'preempted' } as const;

export class TruePath {
  readonly #names: TrueNames;
  readonly #machineOf: (thread: Thread) => Machine;
  #segments: TrueSegment[] = [];

  constructor(machineOf: (thread: Thread) => Machine, names = OWN_NAMES) {
    this.#machineOf = machineOf;
    this.#names = names;
  }

  /** True times. */
  of(thread: Thread, from: number, to: number): readonly TrueSegment[] {
    this.#segments = [];
    this.#explain(thread, from, to);
    return this.#segments;
  }

  #explain(thread: Thread, from: number, to: number): void {
    const { stays, parent } = thread;
    const born = stays[0].from;
    if (parent !== undefined && from < born) this.#explain(parent, from, Math.min(to, born));
    stays.forEach((stay, i) => {
      const begin = Math.max(stay.from, from);
      const end = Math.min(stays[i + 1]?.from ?? Infinity, to);
      if (begin >= end || stay.state === 'gone') return;
      if (stay.state === 'blocked') this.#explainWait(thread, stay, begin, end);
      else this.#add(thread, begin, end, LABELS[stay.state], '');
    });
  }

  #explainWait(thread: Thread, stay: Stay, from: number, to: number): void {
    const { source, signal = NaN } = stay;
    const isGivenMeanwhile = signal > from;
    if (isGivenMeanwhile && source?.kind === 'thread') this.#explain(source.thread, from, to);
    else if (isGivenMeanwhile && source?.kind === 'network' && source.arrival !== undefined)
      this.#explainArrival(thread, source.arrival, from, to);
    else this.#addWait(thread, stay, from, to);
  }

  /** A wait that nobody explains: from the raise of the softirq on that ended it, it is that of the softirq. */
  #addWait(
    thread: Thread,
    { from: begin, source, signal = NaN, softirq }: Stay,
    from: number,
    to: number,
  ): void {
    const cause = this.causeOf(source);
    if (softirq?.raised === undefined || softirq.entered <= begin || !(signal > softirq.entered)) {
      this.#add(thread, from, to, 'blocked', cause);
      return;
    }
    const { raised, entered } = softirq;
    const within = (time: number) => Math.min(to, Math.max(from, time));
    this.#add(thread, from, within(Math.max(begin, raised)), 'blocked', cause);
    this.#addSoftirq(this.#machineOf(thread), softirq, within(raised), within(entered), within(signal));
    this.#add(thread, within(signal), to, 'blocked', cause);
  }

  /** It waited up to `entered`, and then ran. */
  #addSoftirq(
    machine: Machine,
    { cpu, vector }: SoftirqRun,
    from: number,
    entered: number,
    to: number,
  ): void {
    const worker = this.#names.interrupts(machine, cpu.index);
    const cause = `softirq ${SOFTIRQ_NAMES[vector]}`;
    this.#push({ worker, from, to: entered, label: 'preempted', cause });
    this.#push({ worker, from: entered, to, label: 'running', cause: 'interrupt' });
  }

  /** What ended at `to` because a packet had arrived. */
  #explainArrival(waiter: Thread, arrival: Arrival, from: number, to: number): void {
    const { machine, cpu, time, sending, softirq } = arrival;
    const worker = this.#names.interrupts(machine, cpu.index);
    const { raised = time, entered = time } = softirq ?? {};
    const hasWaited = sending.time < entered && softirq?.raised !== undefined;
    const arrived = Math.min(to, Math.max(from, hasWaited ? raised : time, sending.time));
    const sent = Math.min(to, Math.max(from, sending.time));
    if (sent > from) this.#explainSending(waiter, sending, from, sent);
    this.#push({ worker, from: sent, to: arrived, label: 'network', cause: 'network' });
    if (hasWaited && softirq !== undefined)
      this.#addSoftirq(machine, softirq, arrived, Math.min(to, Math.max(arrived, entered)), to);
    else this.#push({ worker, from: arrived, to, label: 'running', cause: 'interrupt' });
  }

  /** What led to a packet that was sent at `to`. */
  #explainSending(waiter: Thread, sending: Sending, from: number, to: number): void {
    const { thread, answers, before, machine, cpu } = sending;
    if (thread !== undefined) this.#explain(thread, from, to);
    else if (answers !== undefined) this.#explainArrival(waiter, answers, from, to);
    else if (before === undefined)
      this.#push({
        worker: this.#nameOf(waiter),
        from,
        to,
        label: 'unknown',
        cause: 'sender not known',
      });
    else {
      // A timer sent it again.
      const lost = Math.max(from, before.time);
      if (lost > from) this.#explainSending(waiter, before, from, lost);
      const worker = this.#names.interrupts(machine, cpu.index);
      this.#push({ worker, from: lost, to, label: 'blocked', cause: 'timer' });
    }
  }

  /** As `PathNames.cause` has it. */
  causeOf(source: Source | undefined): string {
    switch (source?.kind) {
      case undefined:
        return 'not ended in the trace';
      case 'thread':
        return `direct(${this.#nameOf(source.thread)})`;
      case 'softirq':
        return 'softirq';
      case 'acpi':
        return 'irq 9 acpi';
      case 'timer':
      case 'disk':
      case 'network':
      case 'user input':
        return source.kind;
    }
  }

  #nameOf(thread: Thread): string {
    return this.#names.thread(this.#machineOf(thread), thread.tid);
  }

  #add(thread: Thread, from: number, to: number, label: TrueSegment['label'], cause: string): void {
    this.#push({ worker: this.#nameOf(thread), from, to, label, cause });
  }

  /** The next segment; it joins a like one. */
  #push(segment: TrueSegment): void {
    if (segment.from >= segment.to) return;
    const last = this.#segments.at(-1);
    if (last?.worker === segment.worker && last.label === segment.label && last.cause === segment.cause)
      this.#segments[this.#segments.length - 1] = { ...last, to: segment.to };
    else this.#segments.push(segment);
  }
}
