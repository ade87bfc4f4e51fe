/**
 * Attributes the time of one path to nodes of the tree. Below the frames of a waiting thread is the thread that it
 * waited for, with its frames, and so on. Who waits for whom follows from the nesting of the path's waits: by the
 * order of segments, as in Doray & Dagenais (2016), a thread that waited twice would be below the last thread it
 * waited for. Where a thread could not run the cause is a frame, with who took the time below it.
 */
import { type GraphWorker, NOBODY } from '../../../graph/execution-graph.ts';
import type { HistoryGraph, HostData } from '../../../graph/history-graph.ts';
import { BLOCKED, NETWORK, PREEMPTED, RUNNING } from '../../../graph/path-codes.ts';
import type { Path } from '../../../graph/path.ts';
import type { QueueRunners } from '../../../graph/queue-runners.ts';
import { softirqName } from '../../../linux/events/interrupt-names.ts';
import * as values from '../../../linux/events/values.ts';
import { ROOT, type UnionTree } from '../union-tree.ts';
import { frameWords } from '../../stacks/frame-names.ts';
import { threadFrame } from '../frames.ts';
import { type ThreadContexts, threadName } from './thread-contexts.ts';
import { DiskWaits } from '../../../graph/disk-waits.ts';

/** Readers used for paths. */
export interface EcctReaders {
  readonly graph: HistoryGraph;
  readonly tree: UnionTree;
  /** Frame that leads to another thread; for a thread of another host than `host` with that host's name. */
  readonly arrowTo: (worker: GraphWorker, host: number) => string;
  /** Readers of hosts in the graph's order. */
  readonly hosts: readonly HostReaders[];
}

interface HostReaders {
  readonly data: HostData;
  readonly contexts: ThreadContexts;
  readonly queue: QueueRunners;
  readonly disk: DiskUsers;
}

/** Depth of nested waits from which on the waited-for thread is not shown. */
const DEEPEST_WAIT = 64;

const NONE = -1;

export class PathReading {
  /** ns by node, of the segments read so far. */
  readonly times = new Map<number, number>();
  readonly #path: Path;
  readonly #readers: EcctReaders;
  /** Number of the host whose threads are shown without its name. */
  readonly #home: number;
  /** Frames of the waiter at its begin, by wait of the path; NONE: not known yet. */
  readonly #waits: Int32Array;
  /** The present segment, and the time up to which it is known. */
  #at = 0;
  #time = 0;
  /** Frames of the segment's worker at its begin; NONE: not known yet. */
  #frames = NONE;
  /** Loads what is needed to go on. */
  #missing: () => Promise<void> = () => Promise.resolve();

  constructor(path: Path, readers: EcctReaders) {
    this.#path = path;
    this.#readers = readers;
    this.#home = readers.graph.place(path.worker).host;
    this.#waits = new Int32Array(path.waits.length).fill(NONE);
  }

  /** Begins a segment. Segments are read in order, as those within waits need the earlier ones. */
  begin(segment: number): void {
    this.#at = segment;
    this.#time = this.#path.segments.from[segment];
    this.#frames = NONE;
  }

  load(): Promise<void> {
    return this.#missing();
  }

  /** @returns whether the segment is done; if not, something has to be loaded first */
  read(): boolean {
    const { worker, wait, label } = this.#path.segments;
    const at = this.#at;
    if (!this.#findWaiter(wait[at])) return false;
    const host = this.#hostOf(worker[at]);
    const thread = worker[at] - host.data.firstWorker;
    const isThread = thread < host.data.tables.threads.length;
    if (this.#isTooDeep(wait[at])) return this.#readAs(this.#waits[wait[at]], '…');
    // A packet in transit, and the interrupt that received it, belong to the waiter.
    if (label[at] === NETWORK) return this.#readAs(this.#waiter(wait[at]), 'network');
    if (!isThread && label[at] === PREEMPTED) return this.#readSoftirq(host, this.#waiter(wait[at]));
    // A timer's wait, until it retransmitted a lost packet.
    if (!isThread) return this.#readAs(this.#waiter(wait[at]), label[at] === BLOCKED ? 'timer' : 'interrupt');
    const below = this.#belowWaiter(wait[at], worker[at]);
    if (label[at] === RUNNING) return this.#readFrames(host, below, thread, this.#path.segments.to[at]);
    if (this.#frames === NONE) {
      if (!this.#findFrames(host, below, thread, this.#time)) return false;
      this.#frames = host.contexts.node;
    }
    if (label[at] === PREEMPTED) return this.#readQueue(host, thread);
    return label[at] === BLOCKED ? this.#readWait(host, thread) : this.#readAs(this.#frames, 'unknown');
  }

  #isTooDeep(wait: number): boolean {
    return wait >= 0 && this.#path.waits.depth[wait] >= DEEPEST_WAIT;
  }

  /** Finds the frames of the waiters around the segment. The oldest segment within a wait begins with it. */
  #findWaiter(wait: number): boolean {
    if (wait < 0 || this.#waits[wait] !== NONE) return true;
    const { worker, parent } = this.#path.waits;
    if (!this.#findWaiter(parent[wait])) return false;
    const host = this.#hostOf(worker[wait]);
    const below = this.#belowWaiter(parent[wait], worker[wait]);
    if (!this.#findFrames(host, below, worker[wait] - host.data.firstWorker, this.#time)) return false;
    this.#waits[wait] = host.contexts.node;
    return true;
  }

  /** Frames of the innermost waiter; the root if nobody waits. */
  #waiter(wait: number): number {
    return wait < 0 ? ROOT : this.#waits[wait];
  }

  /** Node under which the frames of a worker go that explains a wait. */
  #belowWaiter(wait: number, worker: GraphWorker): number {
    return wait < 0 ? ROOT : this.#child(this.#waits[wait], this.#arrowTo(worker));
  }

  /** Attributes the whole segment to one cause. */
  #readAs(node: number, cause: string): true {
    this.#add(this.#child(node, cause), this.#path.segments.to[this.#at]);
    return true;
  }

  /** Adds a thread's time up to `to`, by the frames in force. */
  #readFrames(host: HostReaders, below: number, thread: number, to: number): boolean {
    while (this.#time < to) {
      if (!this.#findFrames(host, below, thread, this.#time)) return false;
      this.#add(host.contexts.node, Math.min(to, host.contexts.until));
    }
    return true;
  }

  #readQueue(host: HostReaders, thread: number): boolean {
    return this.#readRunners(host, this.#child(this.#frames, 'preempted'), (segment, from, to) =>
      host.queue.read(thread, segment, from, to),
    );
  }

  /** Adds who ran on a softirq's CPU instead. */
  #readSoftirq(host: HostReaders, node: number): boolean {
    const { worker, cause } = this.#path.segments;
    const { cpu } = this.#readers.graph.place(worker[this.#at]);
    const softirq = this.#child(node, `softirq ${softirqName(values.detailOf(cause[this.#at]))}`);
    return this.#readRunners(host, this.#child(softirq, 'preempted'), (segment, from, to) =>
      host.queue.readOn(cpu, segment, from, to),
    );
  }

  /** Adds threads below a node, as `read` finds them in a segment of the history; false: it is not in memory. */
  #readRunners(
    host: HostReaders,
    preempted: number,
    read: (segment: number, from: number, to: number) => boolean,
  ): boolean {
    const { data, queue } = host;
    const to = this.#path.segments.to[this.#at];
    while (this.#time < to) {
      const segment = data.lists.segmentAt(this.#time);
      const end = Math.min(to, data.lists.beginOf(segment + 1));
      if (!read(segment, this.#time, end)) return this.#lacks(data, this.#time);
      for (let i = 0; i < queue.length; i++) {
        const runner = queue.thread[i];
        if (runner < 0) this.#add(this.#child(preempted, 'unknown'), queue.to[i]);
        else if (data.tables.threads.idleCpu[runner] >= 0)
          this.#add(this.#child(preempted, 'idle'), queue.to[i]);
        else {
          const below = this.#child(preempted, this.#arrowTo(data.firstWorker + runner));
          if (!this.#readFrames(host, below, runner, queue.to[i])) return false;
        }
      }
    }
    return true;
  }

  #readWait(host: HostReaders, thread: number): boolean {
    const { worker, cause } = this.#path.segments;
    const at = this.#at;
    if (values.causeOf(cause[at]) === values.CAUSE_DISK) return this.#readDisk(host, thread);
    return this.#readAs(this.#frames, waitWords(this.#readers.graph, worker[at], cause[at]));
  }

  /** Divides the time by the number of disk users; the remainder goes to the first ones, 1 ns each. */
  #readDisk(host: HostReaders, waiter: number): boolean {
    const { from, to } = this.#path.segments;
    const [begin, end] = [from[this.#at], to[this.#at]];
    const users = host.disk.during(begin, end);
    if (users === undefined) {
      this.#missing = () => host.disk.load(begin, end);
      return false;
    }
    const disk = this.#child(this.#frames, 'disk');
    const nodes: number[] = [];
    for (const { thread, issued } of users) {
      const below =
        thread === waiter ? disk : this.#child(disk, this.#arrowTo(host.data.firstWorker + thread));
      if (thread !== waiter && !this.#findFrames(host, below, thread, issued)) return false;
      nodes.push(thread === waiter ? disk : host.contexts.node);
    }
    const share = Math.floor((end - begin) / nodes.length);
    const left = (end - begin) % nodes.length;
    nodes.forEach((node, i) => this.#add(node, this.#time + share + (i < left ? 1 : 0)));
    this.#add(disk, end);
    return true;
  }

  #findFrames({ data, contexts }: HostReaders, below: number, thread: number, time: number): boolean {
    return contexts.find(below, thread, time) || this.#lacks(data, time);
  }

  #hostOf(worker: GraphWorker): HostReaders {
    return this.#readers.hosts[this.#readers.graph.dataOf(worker).index];
  }

  #arrowTo(worker: GraphWorker): string {
    return this.#readers.arrowTo(worker, this.#home);
  }

  #child(node: number, text: string): number {
    return this.#readers.tree.child(node, text);
  }

  /** Attributes the time up to `until` to a node. */
  #add(node: number, until: number): void {
    if (!(until > this.#time)) return;
    this.times.set(node, (this.times.get(node) ?? 0) + until - this.#time);
    this.#time = until;
  }

  #lacks({ lists }: HostData, time: number): false {
    this.#missing = () => lists.load(lists.segmentAt(time));
    return false;
  }
}

/** Reason why a thread was blocked, if the wait is not followed; `cause` is that of a path's segment. */
function waitWords(graph: HistoryGraph, worker: GraphWorker, cause: number): string {
  const kind = values.causeOf(cause);
  switch (kind) {
    case values.CAUSE_NONE:
    case values.CAUSE_UNKNOWN:
      return 'unknown';
    case values.CAUSE_THREAD:
      return 'blocked';
    case values.CAUSE_OTHER:
      return frameWords(graph.text(worker, values.detailOf(cause)));
    default:
      return values.CAUSES[kind];
  }
}

/** Frames of `EcctReaders.arrowTo`, each made once. @param names of hosts */
export function arrowWords(graph: HistoryGraph, names: readonly string[]): EcctReaders['arrowTo'] {
  /** Frames by worker: without and with the name of its host. */
  const near = new Map<GraphWorker, string>();
  const far = new Map<GraphWorker, string>();
  return (worker, host) => {
    const data = graph.dataOf(worker);
    const isNear = data.index === host;
    const words = isNear ? near : far;
    const name = threadName(data, worker - data.firstWorker);
    const made = words.get(worker) ?? threadFrame(isNear ? name : `${frameWords(names[data.index])}:${name}`);
    words.set(worker, made);
    return made;
  };
}

/** Threads that pass requests of others to the disk: those of the kernel's queue kblockd. */
const HANDS_ON = /^kworker\/\d+:\d+H$/;

interface DiskUser {
  /** Row of the thread. */
  readonly thread: number;
  /** Time at which the first of its counted requests was issued to the disk. */
  issued: number;
}

/** Users of disks. Requests are read for one interval of the history after the other; waits mostly come in order of time. */
export class DiskUsers {
  #requests: DiskWaits | undefined;
  /** Range [from, to] whose waits can be answered. */
  #from = Infinity;
  #to = -Infinity;

  constructor(private readonly host: HostData) {}

  /**
   * Threads with a request at any disk within [from, to), by tid, without flushes and passed-on requests; undefined:
   * not loaded.
   */
  during(from: number, to: number): DiskUser[] | undefined {
    if (this.#requests === undefined || from < this.#from || to > this.#to) return undefined;
    const { firstWorker, tables } = this.host;
    const { name, tid } = tables.threads;
    const users = new Map<number, DiskUser>();
    for (const { worker, issued, isFlush } of this.#requests.within(from, to)) {
      const thread = worker - firstWorker;
      if (worker === NOBODY || isFlush || HANDS_ON.test(name[thread])) continue;
      const user = users.get(thread);
      if (user === undefined) users.set(thread, { thread, issued });
      else user.issued = Math.min(user.issued, issued);
    }
    return [...users.values()].sort((a, b) => tid[a.thread] - tid[b.thread] || a.thread - b.thread);
  }

  /** Reads the requests in the history segments of [from, to]. */
  async load(from: number, to: number): Promise<void> {
    const { lists } = this.host;
    const begin = lists.beginOf(lists.segmentAt(from));
    const end = lists.beginOf(lists.segmentAt(to) + 1);
    this.#requests = await DiskWaits.read(this.host, begin, end - 1);
    this.#from = begin;
    this.#to = end;
  }
}
