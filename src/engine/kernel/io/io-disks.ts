/** Disk requests: how many, how long, how deep the queue. */
import { deviceName } from '../reduce/disk-requests.ts';
import type { IoFact } from './io-files.ts';
import type { OwnerOf } from './io-transfers.ts';
import { FACT_COMPLETE, FACT_DISK, FACT_INSERT, FACT_ISSUE } from './io-leaf.ts';

export interface DiskIo {
  readonly host: number;
  /** `254:0`. */
  readonly dev: string;
  /** `vda`; '' not told. */
  readonly name: string;
  /** Issued and completed within the range. */
  readonly requests: number;
  /** Read and written: what is discarded moves no data. */
  readonly sectors: number;
  /** Requests that wrote. */
  readonly writes: number;
  /** Issue to completion. */
  readonly totalLatencyNs: number;
  readonly maxLatencyNs: number;
  /** Insertion to issue, over the requests whose insertion was seen. */
  readonly queued: number;
  readonly totalQueuedNs: number;
  /** Requests at the device at once within the range: greatest number, and mean while there was any. */
  readonly maxDepth: number;
  readonly meanDepth: number;
  /** Requests that begin where the one issued before ended. */
  readonly sequential: number;
}

/** Bytes that requests of a thread moved: of who made them, as in the history (`reduce/disk-requests.ts`). */
export interface BlockBytes {
  read: number;
  write: number;
}

interface OwnedBytes extends BlockBytes {
  readonly tid: number;
}

const SECTOR_BYTES = 512;
/** Action of a request (`FACT_ISSUE`); the lowest bit is that of a write. */
const DISCARD = 2;

interface Request {
  readonly inserted: number;
  readonly issued: number;
  readonly sectors: number;
  /** Of which not completed yet: those at the end. */
  readonly left: number;
  readonly tid: number;
  readonly sequential: boolean;
}

interface Disk {
  name: string;
  readonly open: Map<number, Request>;
  /** Sector behind the request issued last, -1 none. */
  next: number;
  /** Of each request that completed (TimeNs): those whose completion was lost would stay for ever. */
  readonly issued: number[];
  readonly completed: number[];
  sums: Omit<DiskIo, 'host' | 'dev' | 'name' | 'maxDepth' | 'meanDepth'>;
}

/** @param facts of one host, in order of time; those that complete in [from, to) (TimeNs) count */
export function diskUsage(
  host: number,
  facts: readonly IoFact[],
  from: number,
  to: number,
  ownerOf: OwnerOf,
): { readonly disks: DiskIo[]; readonly bytesOfThread: ReadonlyMap<number, OwnedBytes> } {
  const disks = new Map<number, Disk>();
  const bytesOfThread = new Map<number, OwnedBytes>();
  for (const fact of facts) {
    if (fact.kind < FACT_DISK) continue;
    const disk = diskOf(disks, fact.a);
    if (fact.kind === FACT_DISK) disk.name = fact.text ?? '';
    else if (fact.kind === FACT_INSERT) open(disk, fact, false);
    else if (fact.kind === FACT_ISSUE) open(disk, fact, true);
    else if (fact.kind === FACT_COMPLETE) {
      const done = complete(disk, fact, fact.time >= from && fact.time < to);
      if (done !== undefined) addBytes(bytesOfThread, ownerOf(done.tid, done.issued), done, fact);
    }
  }
  const answers = [...disks].map(([device, disk]): DiskIo => {
    return { host, dev: deviceName(device), name: disk.name, ...disk.sums, ...depthOf(disk, from, to) };
  });
  return { disks: answers.filter((disk) => disk.requests > 0), bytesOfThread };
}

function diskOf(disks: Map<number, Disk>, device: number): Disk {
  let disk = disks.get(device);
  if (disk === undefined) {
    disk = {
      name: '',
      open: new Map(),
      next: -1,
      issued: [],
      completed: [],
      sums: {
        requests: 0,
        sectors: 0,
        writes: 0,
        totalLatencyNs: 0,
        maxLatencyNs: 0,
        queued: 0,
        totalQueuedNs: 0,
        sequential: 0,
      },
    };
    disks.set(device, disk);
  }
  return disk;
}

/** Requests without sectors (flushes) have no place on the disk to be known by. */
function open(disk: Disk, { time, b: sectors, c, wide: sector }: IoFact, issued: boolean): void {
  if (sectors <= 0) return;
  const before = disk.open.get(sector);
  // What was queued is mostly issued by a thread of the kernel.
  const tid = issued ? (before?.tid ?? c) : c;
  const inserted = issued ? (before?.inserted ?? NaN) : time;
  const sequential = issued && disk.next === sector;
  disk.open.set(sector, { inserted, issued: issued ? time : NaN, sectors, left: sectors, tid, sequential });
  if (!issued) return;
  disk.next = sector + sectors;
  if (before !== undefined && sectors > before.sectors) forgetMerged(disk, sector, disk.next);
}

/** What waited for sectors of a request that has grown was merged into it, and is never issued. */
function forgetMerged({ open }: Disk, first: number, end: number): void {
  for (const [sector, { issued }] of open)
    if (Number.isNaN(issued) && sector > first && sector < end) open.delete(sector);
}

/**
 * A device may complete a request in parts, the first sectors first.
 * @returns the request, when this is its last part and it counts
 */
function complete(
  disk: Disk,
  { time, b: sectors, d: action, wide: sector }: IoFact,
  counts: boolean,
): Request | undefined {
  const request = disk.open.get(sector);
  if (request === undefined || Number.isNaN(request.issued)) return undefined;
  const left = request.left - sectors;
  if (sectors <= 0 || left < 0) return undefined;
  disk.open.delete(sector);
  if (left > 0) {
    disk.open.set(sector + sectors, { ...request, left });
    return undefined;
  }
  disk.issued.push(request.issued);
  disk.completed.push(time);
  if (!counts) return undefined;
  const latency = time - request.issued;
  const { sums } = disk;
  const queuedNs = request.issued - request.inserted;
  const queued = Number.isNaN(queuedNs) ? 0 : 1;
  disk.sums = {
    requests: sums.requests + 1,
    sectors: sums.sectors + (action === DISCARD ? 0 : request.sectors),
    writes: sums.writes + (action & 1),
    totalLatencyNs: sums.totalLatencyNs + latency,
    maxLatencyNs: Math.max(sums.maxLatencyNs, latency),
    queued: sums.queued + queued,
    totalQueuedNs: sums.totalQueuedNs + (queued === 0 ? 0 : queuedNs),
    sequential: sums.sequential + (request.sequential ? 1 : 0),
  };
  return request;
}

function addBytes(
  bytesOfThread: Map<number, OwnedBytes>,
  owner: number,
  { tid, sectors }: Request,
  { d: action }: IoFact,
): void {
  if (action === DISCARD) return;
  const bytes = bytesOfThread.get(owner) ?? { tid, read: 0, write: 0 };
  bytes[(action & 1) === 1 ? 'write' : 'read'] += sectors * SECTOR_BYTES;
  bytesOfThread.set(owner, bytes);
}

/** How many requests were at the device at once within [from, to) (TimeNs). O(n log n) for n requests. */
function depthOf({ issued, completed }: Disk, from: number, to: number) {
  const inside = issued.flatMap((issue, i) => (issue < to && completed[i] >= from ? [i] : []));
  const begins = Float64Array.from(inside, (i) => Math.max(issued[i], from)).sort();
  const ends = Float64Array.from(inside, (i) => Math.min(completed[i], to)).sort();
  let [done, maxDepth, busyNs, depthNs, busyUntil] = [0, 0, 0, 0, -Infinity];
  for (let i = 0; i < begins.length; i++) {
    while (done < i && ends[done] <= begins[i]) done++;
    maxDepth = Math.max(maxDepth, i + 1 - done);
    depthNs += ends[i] - begins[i];
    // The ends in order are as good as each request's own: as many are at the device at any time.
    busyNs += Math.max(0, ends[i] - Math.max(begins[i], busyUntil));
    busyUntil = ends[i];
  }
  return { maxDepth, meanDepth: busyNs === 0 ? 0 : depthNs / busyNs };
}
