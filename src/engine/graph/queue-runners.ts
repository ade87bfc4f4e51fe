/** Threads that ran on the CPUs on which a ready thread of a host was queued. */
import type { HostData } from './history-graph.ts';
import { firstEndingAfter, NO_INTERVAL_LIST } from './interval-lists.ts';

/** Intervals in order of time that tile the range asked for; reused by each `read`. */
export class QueueRunners {
  length = 0;
  readonly from: number[] = [];
  readonly to: number[] = [];
  /** Row of the thread that ran, an idle thread if the CPU was idle; -1: not known. */
  readonly thread: number[] = [];
  readonly #host: HostData;
  /** Attribute of the thread that runs on a CPU, by CPU number. */
  readonly #runners: number[] = [];

  constructor(host: HostData) {
    this.#host = host;
    for (const { cpu, threadAttribute } of host.tables.cpus) this.#runners[cpu] = threadAttribute;
  }

  /** Reads [from, to), times of the graph within `segment`. @returns whether the segment is in memory */
  read(thread: number, segment: number, from: number, to: number): boolean {
    this.length = 0;
    const { lists, tables } = this.#host;
    const cpus = lists.at(tables.threads.cpuAttribute[thread], segment);
    if (cpus === undefined) return false;
    let at = from;
    for (let i = firstEndingAfter(cpus, from); i < cpus.length && cpus.begin[i] < to; i++) {
      this.#add(at, cpus.begin[i], -1);
      at = Math.min(to, cpus.end[i]);
      if (!this.#readCpu(cpus.value[i], segment, Math.max(from, cpus.begin[i]), at)) return false;
    }
    this.#add(at, to, -1);
    return true;
  }

  /** Reads who ran on a CPU in [from, to), like `read`. @returns whether the segment is in memory */
  readOn(cpu: number, segment: number, from: number, to: number): boolean {
    this.length = 0;
    return this.#readCpu(cpu, segment, from, to);
  }

  #readCpu(cpu: number, segment: number, from: number, to: number): boolean {
    // `cpu` is no CPU if it is not known on which one a thread is queued.
    const attribute = this.#runners[cpu] ?? -1;
    const runners = attribute < 0 ? NO_INTERVAL_LIST : this.#host.lists.at(attribute, segment);
    if (runners === undefined) return false;
    let at = from;
    for (let i = firstEndingAfter(runners, from); i < runners.length && runners.begin[i] < to; i++) {
      this.#add(at, runners.begin[i], -1);
      at = Math.min(to, runners.end[i]);
      // 0: not known.
      this.#add(Math.max(from, runners.begin[i]), at, runners.value[i] - 1);
    }
    this.#add(at, to, -1);
    return true;
  }

  /** Adds an interval unless its length is 0. */
  #add(from: number, to: number, thread: number): void {
    if (!(from < to)) return;
    const at = this.length++;
    this.from[at] = from;
    this.to[at] = to;
    this.thread[at] = thread;
  }
}
