/** Parts of the time of a path's segments: modes, calls, interrupts; threads that ran instead; requests at disks. */
import { assert } from '../base/assert.ts';
import * as values from '../linux/events/values.ts';
import { BlockerList, type Blocker, type RequestStep, PartColumns, type Parts } from './part-columns.ts';
import { type DiskRequest, madeAt, DiskWaits, type Served } from './disk-waits.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';
import { nextTask } from '../base/next-task.ts';
import type { HistoryGraph, HostData } from './history-graph.ts';
import * as codes from './path-codes.ts';
import type { Path } from './path.ts';
import { WaitReader, type IntervalKind } from './wait-reader.ts';
import { NO_VIRTUAL_CPUS, VirtualCpuReader, type VirtualCpus } from './virtual-cpus.ts';

export interface SegmentParts {
  /** Parts by segment; the ns of each add up to the segment's. */
  readonly parts: Parts;
  readonly blockers: readonly Blocker[];
  /** Requests that the device served during a wait for it, with their makers, by segment. */
  readonly served: ReadonlyMap<number, readonly Served[]>;
}

/** Value of a wait: only its cause, which lock or softirq it is for, and whether nobody held the lock. */
export function waitValue(cause: number): number {
  const kind = values.causeOf(cause);
  if (kind === values.CAUSE_SOFTIRQ) return codes.softirqWaitValue(values.detailOf(cause));
  if (kind !== values.CAUSE_LOCK) return values.blockedValue(values.STATE_BLOCKED_S, kind, -1);
  return (
    values.blockedValue(values.STATE_BLOCKED_S, kind, values.detailOf(cause)) +
    (codes.isNotHeld(cause) ? codes.NOT_HELD : 0)
  );
}

/** Holder of the lock that a worker waited for just after a time; NOBODY: nobody, or not known. */
export type HolderOf = (worker: GraphWorker, time: number) => GraphWorker;

/** Segments between two looks at `isWanted`. */
const SEGMENTS_AT_ONCE = 16_384;

/** Sources besides the histories. */
export interface PartSources {
  readonly virtualCpus?: VirtualCpus;
  readonly holderOf?: HolderOf;
}

export async function segmentParts(
  graph: HistoryGraph,
  path: Path,
  sources: PartSources = {},
): Promise<SegmentParts> {
  const parts = await segmentPartsWhile(graph, path, sources, () => true);
  assert(parts !== undefined, 'what is wanted is read to its end');
  return parts;
}

/** @returns undefined: nobody wanted it any more */
export async function segmentPartsWhile(
  graph: HistoryGraph,
  path: Path,
  sources: PartSources,
  isWanted: () => boolean,
): Promise<SegmentParts | undefined> {
  const reader = new PartReader(graph, path, sources);
  for (let i = 0; i < path.segments.length; i++) {
    if (i % SEGMENTS_AT_ONCE === SEGMENTS_AT_ONCE - 1) {
      await nextTask();
      if (!isWanted()) return undefined;
    }
    reader.begin(i);
    while (!reader.read()) await reader.load();
  }
  return reader.finish();
}

class PartReader {
  readonly #graph: HistoryGraph;
  readonly #path: Path;
  readonly #columns = new PartColumns();
  readonly #blockers = new BlockerList();
  readonly #served = new Map<number, readonly Served[]>();
  /** Readers by number of the host. */
  readonly #waitReaders: WaitReader[] = [];
  readonly #disks = new Map<HostData, DiskWaits>();
  readonly #virtual: VirtualCpuReader;
  readonly #holderOf: HolderOf | undefined;
  /** The segment being read, and the time up to which its parts are known. */
  #at = 0;
  #time = 0;
  /** Loads what is needed to go on. */
  #missing: () => Promise<void> = () => Promise.resolve();

  constructor(graph: HistoryGraph, path: Path, { virtualCpus = NO_VIRTUAL_CPUS, holderOf }: PartSources) {
    this.#graph = graph;
    this.#path = path;
    this.#holderOf = holderOf;
    this.#virtual = new VirtualCpuReader(graph, virtualCpus);
  }

  finish(): SegmentParts {
    return { parts: this.#columns.finish(), blockers: this.#blockers.list, served: this.#served };
  }

  begin(segment: number): void {
    this.#at = segment;
    this.#time = this.#path.segments.from[segment];
    this.#columns.begin();
  }

  load(): Promise<void> {
    return this.#missing();
  }

  /** @returns whether the segment is done; if not, something has to be loaded first */
  read(): boolean {
    const { worker, label, to } = this.#path.segments;
    const at = this.#at;
    const host = this.#graph.dataOf(worker[at]);
    const { thread, cpu } = this.#graph.place(worker[at]);
    switch (label[at]) {
      case codes.RUNNING:
        return thread >= 0
          ? this.#readWork(host, 'running', thread)
          : this.#readWork(host, 'interrupts', cpu);
      case codes.PREEMPTED:
        return thread >= 0
          ? this.#readIntervals(host, 'preempted', thread, to[at])
          : this.#readIntervals(host, 'softirq', cpu, to[at]);
      case codes.BLOCKED:
        return this.#readWait(host, thread);
      default:
        this.#columns.add(
          label[at] === codes.NETWORK ? codes.PACKET_ON_ITS_WAY : values.STATE_UNKNOWN,
          -1,
          -1,
          to[at] - this.#time,
        );
        return true;
    }
  }

  /** Reads the work of a CPU for its worker, unless it was a virtual CPU that did not run. */
  #readWork(host: HostData, kind: 'running' | 'interrupts', row: number): boolean {
    const to = this.#path.segments.to[this.#at];
    const virtual = this.#virtual;
    while (this.#time < to) {
      const isKnown =
        kind === 'running'
          ? virtual.findForThread(host, row, this.#time)
          : virtual.findForCpu(host, row, this.#time);
      if (!isKnown) return this.#lacks(virtual.missing);
      const end = Math.min(to, virtual.end);
      if (virtual.label === codes.BLOCKED) {
        const ender = this.#enderOf(virtual.thread, virtual.cause);
        this.#columns.add(codes.BLOCKED_ON_HOST, -1, ender, end - this.#time);
        this.#time = end;
      } else if (virtual.label === codes.PREEMPTED) {
        const { thread } = this.#graph.place(virtual.thread);
        if (!this.#readIntervals(this.#graph.dataOf(virtual.thread), 'stolen', thread, end)) return false;
      } else if (!this.#readIntervals(host, kind, row, end)) return false;
    }
    return true;
  }

  /** Number of the blocker that ended a wait of a thread. */
  #enderOf(waiter: GraphWorker, cause: number): number {
    const kind = values.causeOf(cause);
    const detail = values.detailOf(cause);
    const { index, text } = this.#graph.dataOf(waiter);
    if (kind === values.CAUSE_NONE) return this.#blockers.numberOf({ kind: 'unknown' });
    if (kind === values.CAUSE_THREAD)
      return this.#blockers.numberOf({ kind: 'thread', worker: this.#graph.workerOfThread(index, detail) });
    return this.#blockers.numberOf({ kind: 'cause', name: detail < 0 ? values.CAUSES[kind] : text(detail) });
  }

  #readIntervals(host: HostData, kind: IntervalKind, row: number, to: number): boolean {
    const { lists } = host;
    const reader = this.#readerOf(host);
    while (this.#time < to) {
      const segment = lists.segmentAt(this.#time);
      const end = Math.min(to, lists.beginOf(segment + 1));
      const wait = this.#path.segments.cause[this.#at];
      if (!reader.read(kind, row, segment, this.#time, end, this.#columns, wait))
        return this.#lacks(() => lists.load(segment));
      this.#time = end;
    }
    return true;
  }

  #readerOf(host: HostData): WaitReader {
    return (this.#waitReaders[host.index] ??= new WaitReader(host, this.#blockers));
  }

  #readWait(host: HostData, thread: number): boolean {
    const { from, to, cause } = this.#path.segments;
    const at = this.#at;
    if (thread < 0) {
      this.#columns.add(waitValue(cause[at]), -1, -1, to[at] - from[at]);
      return true;
    }
    const { lists } = host;
    const segment = lists.segmentAt(from[at]);
    const call = this.#readerOf(host).callAt(thread, segment, from[at]);
    if (call === undefined) return this.#lacks(() => lists.load(segment));
    const value = waitValue(cause[at]);
    if (values.causeOf(cause[at]) === values.CAUSE_DISK) return this.#readDiskWait(host, value, call);
    const holder = values.causeOf(cause[at]) === values.CAUSE_LOCK ? this.#holder(at) : -1;
    this.#columns.add(value, call, holder, to[at] - from[at]);
    return true;
  }

  /** Number of the blocker that held the lock which a segment waits for. */
  #holder(segment: number): number {
    const { from, worker } = this.#path.segments;
    const holder = this.#holderOf?.(worker[segment], from[segment]) ?? NOBODY;
    return this.#blockers.numberOf(
      holder === NOBODY ? { kind: 'unknown' } : { kind: 'thread', worker: holder },
    );
  }

  #readDiskWait(host: HostData, value: number, call: number): boolean {
    const { segments: s, from: first, to: last } = this.#path;
    const segment = this.#at;
    const disks = this.#disks.get(host);
    if (disks === undefined)
      return this.#lacks(async () => void this.#disks.set(host, await DiskWaits.read(host, first, last)));
    const request = disks.endedBy(s.to[segment], s.worker[segment]);
    if (disks.missing >= 0) return this.#lacks(() => host.lists.load(disks.missing));
    let at = s.from[segment];
    if (request === undefined) {
      this.#columns.add(value, call, -1, s.to[segment] - at);
      return true;
    }
    const upTo = (time: number, step: RequestStep, { device, worker, isFlush }: DiskRequest): void => {
      const end = Math.min(time, s.to[segment]);
      if (!(end > at)) return;
      const blocker: Blocker = { kind: 'request', device, step, worker, isFlush };
      this.#columns.add(value, call, this.#blockers.numberOf(blocker), end - at);
      at = end;
    };
    for (const each of disks.leadingTo(request, s.from[segment], s.worker[segment])) {
      upTo(madeAt(each), 'not made yet', request);
      upTo(each.issued, 'queued', each);
      upTo(each.completed, 'at the device', each);
    }
    upTo(s.to[segment], 'completed', request);
    this.#served.set(segment, disks.served(request.device, s.from[segment], s.to[segment]));
    return true;
  }

  #lacks(load: () => Promise<void>): false {
    this.#missing = load;
    return false;
  }
}
