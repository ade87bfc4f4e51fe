/** Requests of a host's disks as its history has them (`linux/states/reduce/disk-requests.ts`), at times of the graph. */
import { append } from '../base/append.ts';
import type { AttributeId } from '../history/types.ts';
import { REQUEST_QUEUED } from '../linux/events/values.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';
import type { HostData } from './history-graph.ts';

export interface DiskRequest {
  /** '254:0'. */
  readonly device: string;
  /** Times when it was queued and given to the device, ns; NaN: not seen. */
  readonly queued: number;
  readonly issued: number;
  readonly completed: number;
  /** Worker that made it, NOBODY unknown. */
  readonly worker: GraphWorker;
  /** A flush, which has no sectors: the device writes what it holds in its cache. */
  readonly isFlush: boolean;
}

/** Time when a request was made, as far as that was seen, ns. */
export function madeAt({ queued, issued }: DiskRequest): number {
  return Number.isNaN(queued) ? issued : queued;
}

/** Requests of one place of a device's queue. */
interface Slot {
  readonly device: string;
  state: AttributeId;
  thread: AttributeId;
  sectors: AttributeId;
}

/**
 * Requests of all disks that were open at some time of [from, to], and those of the segment of history before: one that
 * lasts longer than that appears to begin there, and one that is not completed by `to` is so later. In order of
 * completion.
 */
export async function readRequests(host: HostData, from: number, to: number): Promise<DiskRequest[]> {
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

/** A slot holds one request after the other. */
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
    // A border of segments cuts intervals, and a request that is queued again is the same.
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

/** Values of an attribute of a slot, which has one for each request; asked for in order of time. */
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
