/** Requests of a host's disks as its history has them (`kernel/disk-requests.ts`), at times of the graph. */
import type { AttributeId } from '../history/types.ts';
import { REQUEST_ISSUED } from '../kernel/values.ts';
import { NOBODY, type GraphWorker } from './execution-graph.ts';
import type { HostData } from './history-graph.ts';

export interface DiskRequest {
  /** '254:0'. */
  readonly device: string;
  /** When it was queued and given to the device; NaN: not seen. */
  readonly queued: number;
  readonly issued: number;
  readonly completed: number;
  /** Who made it, NOBODY unknown. */
  readonly worker: GraphWorker;
}

/** Where the requests of one place of a device's queue stand. */
interface Slot {
  readonly device: string;
  state: AttributeId;
  thread: AttributeId;
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
  for (const slot of slotsOf(host)) found.push(...(await requestsOf(host, slot, begin, to + 1)));
  return found.sort((a, b) => a.completed - b.completed);
}

function slotsOf({ attributes }: HostData): Iterable<Slot> {
  const slots = new Map<string, Slot>();
  for (const { id, path } of attributes) {
    if (path[0] !== 'disks') continue;
    const [, device, number, leaf] = path;
    const key = `${device} ${number}`;
    const slot = slots.get(key) ?? { device, state: -1, thread: -1 };
    slots.set(key, slot);
    if (leaf === 'state') slot.state = id;
    else if (leaf === 'thread') slot.thread = id;
  }
  return slots.values();
}

/** A slot holds one request after the other. */
async function requestsOf(
  { lists, firstWorker }: HostData,
  { device, state, thread }: Slot,
  from: number,
  to: number,
): Promise<DiskRequest[]> {
  const makers: { readonly end: number; readonly worker: GraphWorker }[] = [];
  await lists.each(thread, from, to, (_, end, value) => {
    makers.push({ end, worker: value > 0 ? firstWorker + value - 1 : NOBODY });
  });
  const found: DiskRequest[] = [];
  let maker = 0;
  let queued = NaN;
  let last = NaN;
  await lists.each(state, from, to, (begin, end, value) => {
    if (begin !== last) queued = NaN;
    last = end;
    if (value !== REQUEST_ISSUED) {
      if (Number.isNaN(queued)) queued = begin;
      return;
    }
    const before = found.at(-1);
    // A border of segments cuts the request that is at the device.
    if (before?.completed === begin && Number.isNaN(queued)) {
      found[found.length - 1] = { ...before, completed: end };
      return;
    }
    while (maker < makers.length && makers[maker].end <= begin) maker++;
    const worker = makers[maker]?.worker ?? NOBODY;
    found.push({ device, queued, issued: begin, completed: end, worker });
    queued = NaN;
  });
  return found;
}
