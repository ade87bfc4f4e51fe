/** CPUs of a virtual machine as its host let them run: a virtual CPU only runs while its thread on the host does. */
import { BEFORE_LIFE, Edge, FOUND, MISSING, NOBODY, type GraphWorker } from './execution-graph.ts';
import type { HistoryGraph, HostData } from './history-graph.ts';
import { RUNNING, UNKNOWN } from './path-codes.ts';
import { firstEndingAfter } from './interval-lists.ts';

/** Thread of another host that each virtual CPU is, by CPU, by number of the virtual machine's host in the graph. */
export type VirtualCpus = ReadonlyMap<number, ReadonlyMap<number, GraphWorker>>;

export const NO_VIRTUAL_CPUS: VirtualCpus = new Map();

/** Finds what the host let a virtual CPU do from some time on; the result is in its fields. */
export class VirtualCpuReader {
  /** The thread of the host; NOBODY: not known. */
  thread: GraphWorker = NOBODY;
  /** Label of its edge; RUNNING unless another one is known. */
  label = RUNNING;
  cause = 0;
  /** End of the time for which the label holds, ns. */
  end = Infinity;
  /** Loads what is needed to know it. */
  missing: () => Promise<void> = () => Promise.resolve();
  readonly #edge = new Edge();

  constructor(
    private readonly graph: HistoryGraph,
    private readonly cpus: VirtualCpus,
  ) {}

  /** @returns false: something is `missing` */
  findForThread(guest: HostData, thread: number, time: number): boolean {
    if (!this.cpus.has(guest.index)) return this.#tellNothing(Infinity);
    const segment = guest.lists.segmentAt(time);
    const on = guest.lists.at(guest.tables.threads.cpuAttribute[thread], segment);
    if (on === undefined) {
      this.missing = () => guest.lists.load(segment);
      return false;
    }
    const at = firstEndingAfter(on, time);
    if (at === on.length) return this.#tellNothing(guest.lists.beginOf(segment + 1));
    if (on.begin[at] > time) return this.#tellNothing(on.begin[at]);
    if (!this.findForCpu(guest, on.value[at], time)) return false;
    this.end = Math.min(this.end, on.end[at]);
    return true;
  }

  /** @returns false: something is `missing` */
  findForCpu(guest: HostData, cpu: number, time: number): boolean {
    const thread = this.cpus.get(guest.index)?.get(cpu);
    if (thread === undefined) return this.#tellNothing(Infinity);
    const edge = this.#edge;
    const found = this.graph.find(thread, time + 1, edge);
    if (found === MISSING) {
      this.missing = () => this.graph.load();
      return false;
    }
    if (found !== FOUND) return this.#tellNothing(this.#nextKnown(thread, time, found));
    this.thread = thread;
    this.label = edge.label === UNKNOWN ? RUNNING : edge.label;
    this.cause = edge.cause;
    this.end = edge.end;
    return true;
  }

  #tellNothing(end: number): true {
    this.thread = NOBODY;
    this.label = RUNNING;
    this.end = end;
    return true;
  }

  /** End of the time in which nothing can be known of a thread that has no edge at `time`. */
  #nextKnown(thread: GraphWorker, time: number, found: number): number {
    const { lists, tables, toGraph } = this.graph.dataOf(thread);
    const first = toGraph(tables.threads.first[this.graph.place(thread).thread]);
    return found === BEFORE_LIFE && first > time ? first : lists.beginOf(lists.segmentAt(time) + 1);
  }
}
