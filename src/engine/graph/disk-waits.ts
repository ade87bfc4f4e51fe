/**
 * Waits for disks on a path: the request that completed in the interrupt which ended the wait, and whose requests the
 * device served meanwhile.
 */
import { firstWhere } from '../base/lower-bound.ts';
import { isInterrupt } from '../linux/events/values.ts';
import { madeAt, readRequests, type DiskRequest } from './disk-log.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';
import type { HostData } from './history-graph.ts';
import { firstEndingAfter } from './interval-lists.ts';

/** Requests that a device served for one thread during a wait. */
export interface Served {
  readonly device: string;
  /** NOBODY: not known. */
  readonly worker: GraphWorker;
  /** ns, added up over requests: a device serves several at a time. */
  ns: number;
}

/** The requests of one host that matter to a path, in order of completion. */
export class DiskWaits {
  readonly requests: readonly DiskRequest[];
  /** Segment of the history without which `endedBy` could not answer; -1: it answered. */
  missing = -1;
  readonly #host: HostData;
  /** Longest time that a request was at a device: how far back one may begin that is at the device at some time. */
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
   * The last request that completed by `time`, the end of a wait, in an interrupt that was not over then, but rather one
   * that the waiter made: other CPUs may complete requests meanwhile. undefined: none did, or its events were not
   * recorded, or `missing` is what has to be loaded first.
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
   * Requests that were waited for since `from` until a request ended the wait: before it was made, other requests of
   * its maker or the waiter at the same device, in order of issue and cut when it was made; then the request. A commit
   * of a journal is several of them, each made when the one before has completed: the device's cache is flushed, a
   * block written, the cache flushed once more.
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

  /** Whether a CPU did not leave its interrupts from `from` until behind `to`. */
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
