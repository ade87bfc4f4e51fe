/**
 * What the time of a path's segments consists of: user mode, system calls, interrupts of running ones (edges have only
 * `running`, Q25); who ran instead of preempted ones; which request disks were at. All of it is told by the histories.
 */
import { isKernelThread } from '../kernel/kernel-tables.ts';
import * as v from '../kernel/values.ts';
import { softirqName } from '../kernel/wake-ups.ts';
import { CulpritList, type Culprit, type RequestStep } from './culprits.ts';
import { DiskWaits, type Served } from './disk-waits.ts';
import type { HistoryGraph, HostData } from './history-graph.ts';
import { PartColumns, type Parts } from './part-columns.ts';
import { BLOCKED, NETWORK, PREEMPTED, RUNNING } from './path-codes.ts';
import type { Path } from './path.ts';

/** Value of a packet on its way; others are stored values of thread states (`kernel/values.ts`). */
export const PACKET_ON_ITS_WAY = -1;

export interface SegmentParts {
  /** By segment; the ns of each add up to the segment's. */
  readonly parts: Parts;
  /** What `Parts.culprit` refers to. */
  readonly culprits: readonly Culprit[];
  /** Whose requests the device served during a wait for it, by segment. */
  readonly served: ReadonlyMap<number, readonly Served[]>;
}

/** Value of a wait: its cause alone. */
export function waitValue(cause: number): number {
  return v.blockedValue(v.STATE_BLOCKED_S, v.causeOf(cause), -1, false);
}

export async function segmentParts(graph: HistoryGraph, path: Path): Promise<SegmentParts> {
  const reader = new PartReader(graph, path);
  for (let i = 0; i < path.segments.length; i++) await reader.read(i);
  return reader.finish();
}

interface Span {
  readonly from: number;
  readonly to: number;
}

class PartReader {
  readonly #graph: HistoryGraph;
  readonly #path: Path;
  readonly #columns = new PartColumns();
  readonly #culprits = new CulpritList();
  readonly #unknown: number;
  readonly #served = new Map<number, readonly Served[]>();
  readonly #disks = new Map<HostData, DiskWaits>();

  constructor(graph: HistoryGraph, path: Path) {
    this.#graph = graph;
    this.#path = path;
    this.#unknown = this.#culprits.numberOf({ kind: 'unknown' });
  }

  finish(): SegmentParts {
    return { parts: this.#columns.finish(), culprits: this.#culprits.list, served: this.#served };
  }

  async read(i: number): Promise<void> {
    const { worker, from, to, label, cause } = this.#path.segments;
    const host = this.#graph.dataOf(worker[i]);
    const { thread, cpu } = this.#graph.place(worker[i]);
    const span = { from: from[i], to: to[i] };
    this.#columns.begin();
    if (label[i] === RUNNING && thread >= 0) await this.#readRunning(host, thread, span);
    else if (label[i] === RUNNING) await this.#readInterrupts(host, cpu, span);
    else if (label[i] === PREEMPTED) await this.#readPreempted(host, thread, span);
    else if (label[i] === BLOCKED) await this.#readWait(host, thread, i, cause[i]);
    else this.#add(label[i] === NETWORK ? PACKET_ON_ITS_WAY : v.STATE_UNKNOWN, -1, -1, lengthOf(span));
  }

  #add(value: number, call: number, culprit: number, ns: number): void {
    this.#columns.add(value, call, culprit, ns);
  }

  async #readRunning(host: HostData, thread: number, span: Span): Promise<void> {
    const { threads } = host.tables;
    const kernelThread = isKernelThread(threads, thread);
    const interrupted: Span[] = [];
    /** Pieces of user mode and interrupts: the rest is in the kernel. */
    const away: Span[] = [];
    await host.lists.each(threads.stateAttribute[thread], span.from, span.to, (from, to, value) => {
      const state = v.stateOf(v.readThreadValue(value, kernelThread));
      if (state === v.STATE_USER) this.#add(v.STATE_USER, -1, -1, to - from);
      else if (state === v.STATE_INTERRUPTED) interrupted.push({ from, to });
      else return;
      away.push({ from, to });
    });
    await this.#readCalls(host, threads.callAttribute[thread], span, away);
    for (const piece of interrupted) {
      const left = await this.#onCpus(host, thread, piece, (cpu, part) =>
        this.#readInterrupts(host, cpu, part),
      );
      this.#add(v.STATE_INTERRUPTED, -1, this.#unknown, left);
    }
  }

  /** Time in the kernel by system call: that of `span` without `away`. */
  async #readCalls(host: HostData, calls: number, span: Span, away: readonly Span[]): Promise<void> {
    let at = 0;
    /** Adds the time in the kernel within [from, to). */
    const add = (from: number, to: number, call: number): void => {
      let ns = to - from;
      while (at < away.length && away[at].to <= from) at++;
      for (let i = at; i < away.length && away[i].from < to; i++)
        ns -= Math.min(to, away[i].to) - Math.max(from, away[i].from);
      this.#add(v.STATE_KERNEL, call, -1, ns);
    };
    let done = span.from;
    await host.lists.each(calls, span.from, span.to, (from, to, call) => {
      add(done, from, -1);
      add(from, to, call);
      done = to;
    });
    add(done, span.to, -1);
  }

  /** The interrupts of a CPU over a time in which it was in interrupts. */
  async #readInterrupts(host: HostData, cpu: number, span: Span): Promise<void> {
    const row = host.tables.cpus.find((each) => each.cpu === cpu);
    let left = lengthOf(span);
    await host.lists.each(row?.stateAttribute ?? -1, span.from, span.to, (from, to, value) => {
      if (!v.isInterrupt(value)) return;
      const name = interruptName(value, host.text);
      this.#add(v.STATE_INTERRUPTED, -1, this.#culprits.numberOf({ kind: 'interrupt', name }), to - from);
      left -= to - from;
    });
    this.#add(v.STATE_INTERRUPTED, -1, this.#unknown, left);
  }

  /** Who ran on the CPU on which the thread was ready. */
  async #readPreempted(host: HostData, thread: number, span: Span): Promise<void> {
    let left = lengthOf(span);
    await this.#onCpus(host, thread, span, async (cpu, part) => {
      const row = host.tables.cpus.find((each) => each.cpu === cpu);
      await host.lists.each(row?.threadAttribute ?? -1, part.from, part.to, (from, to, value) => {
        if (value <= 0) return;
        this.#add(v.STATE_PREEMPTED, -1, this.#runner(host, value - 1), to - from);
        left -= to - from;
      });
    });
    this.#add(v.STATE_PREEMPTED, -1, this.#unknown, left);
  }

  #runner({ tables: { threads }, firstWorker }: HostData, thread: number): number {
    const worker = firstWorker + thread;
    const cpu = threads.idleCpu[thread];
    const { host } = this.#graph.place(worker);
    return this.#culprits.numberOf(cpu >= 0 ? { kind: 'idle', host, cpu } : { kind: 'thread', worker });
  }

  /**
   * Calls `read` for each stretch of `span` with the CPU that the thread was on or queued on.
   * @returns ns for which that is not known
   */
  async #onCpus(
    { lists, tables }: HostData,
    thread: number,
    { from, to }: Span,
    read: (cpu: number, part: Span) => Promise<void>,
  ): Promise<number> {
    const stretches: { readonly cpu: number; readonly part: Span }[] = [];
    await lists.each(tables.threads.cpuAttribute[thread], from, to, (begin, end, cpu) => {
      stretches.push({ cpu, part: { from: begin, to: end } });
    });
    let left = to - from;
    for (const { cpu, part } of stretches) {
      await read(cpu, part);
      left -= lengthOf(part);
    }
    return left;
  }

  async #readWait(host: HostData, thread: number, segment: number, cause: number): Promise<void> {
    const { from, to } = this.#path.segments;
    const span = { from: from[segment], to: to[segment] };
    const call = await host.lists.valueOf(host.tables.threads.callAttribute[thread], span.from);
    if (v.causeOf(cause) === v.CAUSE_DISK) await this.#readDiskWait(host, segment, waitValue(cause), call);
    else this.#add(waitValue(cause), call, -1, lengthOf(span));
  }

  async #readDiskWait(host: HostData, segment: number, value: number, call: number): Promise<void> {
    const { segments: s, from: first, to: last } = this.#path;
    const disks = this.#disks.get(host) ?? (await DiskWaits.read(host, first, last));
    this.#disks.set(host, disks);
    const request = await disks.endedBy(s.to[segment]);
    let at = s.from[segment];
    if (request === undefined) {
      this.#add(value, call, -1, s.to[segment] - at);
      return;
    }
    const { device, worker, isFlush, queued, issued, completed } = request;
    const upTo = (time: number, step: RequestStep): void => {
      const end = Math.min(time, s.to[segment]);
      if (!(end > at)) return;
      const culprit: Culprit = { kind: 'request', device, step, worker, isFlush };
      this.#add(value, call, this.#culprits.numberOf(culprit), end - at);
      at = end;
    };
    upTo(Number.isNaN(queued) ? issued : queued, 'not made yet');
    upTo(issued, 'queued');
    upTo(completed, 'at the device');
    upTo(s.to[segment], 'completed');
    this.#served.set(segment, disks.served(device, s.from[segment], s.to[segment]));
  }
}

function lengthOf({ from, to }: Span): number {
  return to - from;
}

/** `softirq NET_RX`, `nvme0q1`, `local_timer`, `hrtimer`. */
function interruptName(value: number, text: (index: number) => string): string {
  const detail = v.detailOf(value);
  switch (v.stateOf(value)) {
    case v.CPU_SOFTIRQ:
      return detail < 0 ? 'softirq' : `softirq ${softirqName(detail)}`;
    case v.CPU_TIMER:
      return detail < 0 ? 'hrtimer' : text(detail);
    default:
      return detail < 0 ? 'an interrupt' : text(detail);
  }
}
