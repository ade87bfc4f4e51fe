/** Waits for disks on a path: the request whose completion ended each, and the requests that the device served meanwhile. */
import { firstWhere } from '../base/lower-bound.ts';
import { isInterrupt, REQUEST_QUEUED } from '../linux/events/values.ts';
import { firstEndingAfter } from './interval-lists.ts';
import { append } from '../base/append.ts';
import type { AttributeId } from '../history/types.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';
import type { HostData } from './history-graph.ts';

export interface DiskRequest {
  /** '254:0'. */
  readonly device: string;
  /** Times when it was queued and issued to the device, ns; NaN: not seen. */
  readonly queued: number;
  readonly issued: number;
  readonly completed: number;
  /** Worker that made it; NOBODY: not known. */
  readonly worker: GraphWorker;
  /** Whether it is a flush, which has no sectors: the device writes its cache. */
  readonly isFlush: boolean;
}

/** Time when a request was made, as far as it was seen, ns. */
export function madeAt({ queued, issued }: DiskRequest): number {
  return Number.isNaN(queued) ? issued : queued;
}

/** Requests of one place in a device's queue. */
interface Slot {
  readonly device: string;
  state: AttributeId;
  thread: AttributeId;
  sectors: AttributeId;
}

/**
 * Reads requests of disks that were open in [from, to] or in the history segment before, cut to these, in order of
 * completion.
 */
async function readRequests(host: HostData, from: number, to: number): Promise<DiskRequest[]> {
  const { lists } = host;
  const begin = lists.beginOf(lists.segmentAt(from) - 1);
  const found: DiskRequest[] = [];
  for (const slot of slotsOf(host)) append(found, await requestsOf(host, slot, begin, to + 1));
  return found.sort((a, b) => a.completed - b.completed);
}

function slotsOf({ attributes }: HostData): Iterable<Slot> {
  const slots = new Map<string, Slot>();
  for (const { id, path } of attributes) {
    if (path[0] !== 'disks') continue;
    const [, device, number, leaf] = path;
    const key = `${device} ${number}`;
    const slot = slots.get(key) ?? { device, state: -1, thread: -1, sectors: -1 };
    slots.set(key, slot);
    if (leaf === 'state') slot.state = id;
    else if (leaf === 'thread') slot.thread = id;
    else if (leaf === 'sectors') slot.sectors = id;
  }
  return slots.values();
}

/** Reads the requests of one slot, which holds one after the other. */
async function requestsOf(
  { lists, firstWorker }: HostData,
  { device, state, thread, sectors }: Slot,
  from: number,
  to: number,
): Promise<DiskRequest[]> {
  const threads = new SlotValues();
  await lists.each(thread, from, to, (_, end, value) => threads.push(end, value));
  const lengths = new SlotValues();
  await lists.each(sectors, from, to, (_, end, value) => lengths.push(end, value));
  const found: DiskRequest[] = [];
  let queued = NaN;
  let last = NaN;
  let isOpen = false;
  await lists.each(state, from, to, (begin, end, value) => {
    // Segment borders cut intervals, and a requeued request is still the same.
    const goesOn = begin === last && isOpen && value !== REQUEST_QUEUED;
    if (begin !== last) queued = NaN;
    last = end;
    isOpen = value !== REQUEST_QUEUED;
    if (goesOn) found[found.length - 1] = { ...found[found.length - 1], completed: end };
    else if (value === REQUEST_QUEUED) queued = Number.isNaN(queued) ? begin : queued;
    else {
      const maker = threads.at(begin);
      const worker = maker > 0 ? firstWorker + maker - 1 : NOBODY;
      const isFlush = lengths.at(begin) === 0;
      found.push({ device, queued, issued: begin, completed: end, worker, isFlush });
      queued = NaN;
    }
  });
  return found;
}

/** Values of an attribute of a slot, one for each request; must be asked for in order of time. */
class SlotValues {
  readonly #end: number[] = [];
  readonly #value: number[] = [];
  #at = 0;

  push(end: number, value: number): void {
    this.#end.push(end);
    this.#value.push(value);
  }

  /** NaN: none. */
  at(time: number): number {
    while (this.#at < this.#end.length && this.#end[this.#at] <= time) this.#at++;
    return this.#at < this.#end.length ? this.#value[this.#at] : NaN;
  }
}

/** Requests that a device served for one thread during a wait. */
export interface Served {
  readonly device: string;
  /** NOBODY: not known. */
  readonly worker: GraphWorker;
  /** ns, summed over requests, as a device serves several at a time. */
  ns: number;
}

/** The requests of one host that matter to a path, in order of completion. */
export class DiskWaits {
  readonly requests: readonly DiskRequest[];
  /** Segment of the history that `endedBy` needs loaded; -1: none. */
  missing = -1;
  readonly #host: HostData;
  /** Longest time that a request was at a device, ns: it bounds the begin of requests that are there at some time. */
  readonly #longest: number;

  private constructor(host: HostData, requests: readonly DiskRequest[]) {
    this.#host = host;
    this.requests = requests;
    this.#longest = requests.reduce((most, { issued, completed }) => Math.max(most, completed - issued), 0);
  }

  /** Reads the requests for waits within [from, to]. */
  static async read(host: HostData, from: number, to: number): Promise<DiskWaits> {
    return new DiskWaits(host, await readRequests(host, from, to));
  }

  /**
   * The last request that completed by `time`, the end of a wait, within an interrupt that was still going on;
   * requests of the waiter come first, as other CPUs may complete requests meanwhile. undefined: there is none, its
   * events were not recorded, or `missing` must be loaded first.
   */
  endedBy(time: number, waiter: GraphWorker): DiskRequest | undefined {
    this.missing = -1;
    let last: DiskRequest | undefined;
    for (let at = this.#firstCompletedAfter(time) - 1; at >= 0; at--) {
      const request = this.requests[at];
      if (!this.#isWithinInterrupt(request.completed, time)) break;
      if (request.worker === waiter) return request;
      last ??= request;
    }
    return this.missing < 0 ? last : undefined;
  }

  /**
   * Requests waited for since `from` until a request ended the wait: earlier requests of its maker or of the waiter
   * at the same device, in order of issue and cut at the time when it was made; then the request. A journal commit
   * consists of several, each made when the one before has completed: flush of the device's cache, write of a block,
   * another flush.
   */
  leadingTo(request: DiskRequest, from: number, waiter: GraphWorker): DiskRequest[] {
    const made = madeAt(request);
    const before: DiskRequest[] = [];
    const end = this.#firstCompletedAfter(made + this.#longest);
    for (let i = this.#firstCompletedAfter(from); i < end; i++) {
      const { device, worker, issued, completed } = this.requests[i];
      const isOurs = worker === waiter || (worker === request.worker && worker !== NOBODY);
      if (isOurs && device === request.device && issued < made)
        before.push({ ...this.requests[i], completed: Math.min(completed, made) });
    }
    before.sort((a, b) => a.issued - b.issued);
    return [...before, request];
  }

  /** Threads whose requests were at the device within [from, to], most time first. */
  served(device: string, from: number, to: number): Served[] {
    const found = new Map<GraphWorker, Served>();
    for (const request of this.within(from, to)) {
      if (request.device !== device) continue;
      const ns = Math.min(to, request.completed) - Math.max(from, request.issued);
      const { worker } = request;
      const known = found.get(worker);
      if (known === undefined) found.set(worker, { device, worker, ns });
      else known.ns += ns;
    }
    return [...found.values()].sort((a, b) => b.ns - a.ns);
  }

  /** Requests that were at a device for some of [from, to), in order of completion. */
  within(from: number, to: number): DiskRequest[] {
    const end = this.#firstCompletedAfter(to + this.#longest);
    return this.requests
      .slice(this.#firstCompletedAfter(from), end)
      .filter(({ issued, completed }) => Math.min(to, completed) > Math.max(from, issued));
  }

  #isWithinInterrupt(from: number, to: number): boolean {
    return this.#host.tables.cpus.some(({ stateAttribute }) =>
      this.#isOneInterrupt(stateAttribute, from, to),
    );
  }

  /** Whether a CPU stayed in interrupts from `from` until after `to`. */
  #isOneInterrupt(stateAttribute: number, from: number, to: number): boolean {
    const { lists } = this.#host;
    let known = from;
    for (let segment = lists.segmentAt(from); lists.beginOf(segment) <= to; segment++) {
      const states = lists.at(stateAttribute, segment);
      if (states === undefined) {
        this.missing = segment;
        return false;
      }
      for (let i = firstEndingAfter(states, known); i < states.length && states.begin[i] <= known; i++) {
        if (!isInterrupt(states.value[i])) return false;
        known = states.end[i];
        if (known > to) return true;
      }
    }
    return false;
  }

  #firstCompletedAfter(time: number): number {
    return firstWhere(0, this.requests.length, (index) => !(this.requests[index].completed <= time));
  }
}
