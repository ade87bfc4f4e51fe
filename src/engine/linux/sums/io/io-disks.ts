/** Disk requests: how many, how long, how deep the queue. */
import { assert } from '../../../base/assert.ts';
import { widen } from '../../../base/columns.ts';
import { lowerBound } from '../../../base/lower-bound.ts';
import { f64, i32, noRows, type Table, u8 } from '../../../base/tables.ts';
import { deviceName } from '../../states/reduce/disk-requests.ts';
import { REQUEST_DISCARD, REQUEST_LETTERS, REQUEST_WRITE } from '../../events/values.ts';
import type { HostNs } from '../../../base/units.ts';
import type { DurationLog } from '../duration-log.ts';
import type { IoFact } from './io-files.ts';
import { FACT_COMPLETE, FACT_DISK, FACT_INSERT, FACT_ISSUE } from './io-chunk.ts';
import type { ByteBounds, OwnerOf } from './io-transfers.ts';

export interface DiskIo {
  readonly host: number;
  /** `254:0`. */
  readonly dev: string;
  /** `vda`; '' not known. */
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

/** A request that completed. */
export interface DiskRequest {
  /** `254:0`. */
  readonly dev: string;
  /** `vda`; '' not known. */
  readonly name: string;
  /** When it was inserted into the kernel's queue, or else given to the disk. */
  readonly begin: HostNs;
  /** ns in the queue, NaN where its insertion was not seen, and at the disk. */
  readonly queuedNs: number;
  readonly diskNs: number;
  readonly sector: number;
  readonly bytes: number;
  /** Flags as the kernel writes them: `WS`; '' unknown. */
  readonly flags: string;
  /** Owner that made it, as `OwnerOf` has it. */
  readonly owner: number;
  readonly tid: number;
}

/** Bytes that requests of a thread moved: of who made them, as in the history (`states/reduce/disk-requests.ts`). */
export interface BlockBytes {
  read: number;
  write: number;
}

interface OwnedBytes extends BlockBytes {
  readonly tid: number;
}

const SECTOR_BYTES = 512;
const NO_BOUNDS: ByteBounds = { least: 0, greatest: Infinity };

interface Request {
  readonly sector: number;
  readonly inserted: number;
  readonly issued: number;
  readonly sectors: number;
  /** Sectors not completed yet: those at the end. */
  readonly left: number;
  readonly tid: number;
  readonly sequential: boolean;
}

/** Requests that completed, in order of that: those whose completion was lost would stay for ever. */
const COMPLETED = {
  /** HostNs; inserted: NaN when that was not seen. */
  inserted: f64(),
  issued: f64(),
  completed: f64(),
  sector: f64(),
  sectors: f64(),
  flags: i32(),
  tid: i32(),
  owner: i32(),
  /** 1: it begins where the one issued before ended. */
  sequential: u8(),
};

interface Disk {
  readonly device: number;
  name: string;
  readonly open: Map<number, Request>;
  /** Sector behind the request issued last, -1 none. */
  next: number;
  length: number;
  readonly completed: Table<typeof COMPLETED>;
}

/** The requests to the disks of a host. */
export type DiskLog = readonly Disk[];

/** @param facts of one host, in order of time */
export function diskLog(facts: readonly IoFact[], ownerOf: OwnerOf): DiskLog {
  const disks = new Map<number, Disk>();
  for (const fact of facts) {
    if (fact.kind < FACT_DISK) continue;
    const disk = diskOf(disks, fact.a);
    if (fact.kind === FACT_DISK) disk.name = fact.text ?? '';
    else if (fact.kind === FACT_INSERT) open(disk, fact, false);
    else if (fact.kind === FACT_ISSUE) open(disk, fact, true);
    else if (fact.kind === FACT_COMPLETE) complete(disk, fact, ownerOf);
  }
  return [...disks.values()];
}

/**
 * Adds each request that completed in [from, to) (HostNs), from its insertion, or else its issue, on: owners as `OwnerOf`
 * has them, subjects for `requestAt`.
 * @param only whose requests; default: everybody's
 */
export function addRequests(
  log: DiskLog,
  durations: DurationLog,
  from: number,
  to: number,
  { least, greatest }: ByteBounds = NO_BOUNDS,
  only?: number,
): void {
  let first = 0;
  for (const disk of log) {
    const { completed, sectors, owner } = disk.completed;
    const end = lowerBound(completed, to, disk.length);
    for (let row = lowerBound(completed, from, disk.length); row < end; row++) {
      const bytes = sectors[row] * SECTOR_BYTES;
      if (bytes < least || bytes > greatest || (only !== undefined && owner[row] !== only)) continue;
      const begin = beginOf(disk, row);
      durations.add(begin, completed[row] - begin, owner[row], first + row);
    }
    first += disk.length;
  }
}

/** @param subject as `addRequests` gives it: its place among the requests of all disks */
export function requestAt(log: DiskLog, subject: number): DiskRequest {
  let row = subject;
  const disk = log.find(({ length }) => {
    if (row < length) return true;
    row -= length;
    return false;
  });
  assert(disk !== undefined, 'a request of the log');
  const { inserted, issued, completed, sector, sectors, flags, tid, owner } = disk.completed;
  return {
    dev: deviceName(disk.device),
    name: disk.name,
    begin: beginOf(disk, row),
    queuedNs: issued[row] - inserted[row],
    diskNs: completed[row] - issued[row],
    sector: sector[row],
    bytes: sectors[row] * SECTOR_BYTES,
    flags: flagsText(flags[row]),
    owner: owner[row],
    tid: tid[row],
  };
}

function beginOf({ completed: { inserted, issued } }: Disk, row: number): HostNs {
  return Number.isNaN(inserted[row]) ? issued[row] : inserted[row];
}

function flagsText(flags: number): string {
  if (flags < 0) return '';
  return REQUEST_LETTERS.flatMap(([bit, letter]) => ((flags & bit) === 0 ? [] : [letter])).join('');
}

/** Sums by disk and bytes by owner of what completed in [from, to) (HostNs). */
export function diskUsage(
  host: number,
  log: DiskLog,
  from: number,
  to: number,
): { readonly disks: DiskIo[]; readonly bytesOfThread: ReadonlyMap<number, OwnedBytes> } {
  const bytesOfThread = new Map<number, OwnedBytes>();
  const disks = log.map((disk): DiskIo => {
    const sums = sumsOf(disk, from, to, bytesOfThread);
    return { host, dev: deviceName(disk.device), name: disk.name, ...sums, ...depthOf(disk, from, to) };
  });
  return { disks: disks.filter(({ requests }) => requests > 0), bytesOfThread };
}

function diskOf(disks: Map<number, Disk>, device: number): Disk {
  let disk = disks.get(device);
  if (disk === undefined) {
    disk = { device, name: '', open: new Map(), next: -1, length: 0, completed: noRows(COMPLETED) };
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
  const request = { inserted, issued: issued ? time : NaN, sector, sectors, left: sectors, tid, sequential };
  disk.open.set(sector, request);
  if (!issued) return;
  disk.next = sector + sectors;
  if (before !== undefined && sectors > before.sectors) forgetMerged(disk, sector, disk.next);
}

/** Forgets what waited for sectors of a request that has grown: it was merged into that, and is never issued. */
function forgetMerged({ open }: Disk, first: number, end: number): void {
  for (const [sector, { issued }] of open)
    if (Number.isNaN(issued) && sector > first && sector < end) open.delete(sector);
}

/** A device may complete a request in parts, the first sectors first: it is complete with the last one. */
function complete(disk: Disk, { time, b: sectors, d: flags, wide: sector }: IoFact, ownerOf: OwnerOf): void {
  const request = disk.open.get(sector);
  if (request === undefined || Number.isNaN(request.issued)) return;
  const left = request.left - sectors;
  if (sectors <= 0 || left < 0) return;
  disk.open.delete(sector);
  if (left > 0) {
    disk.open.set(sector + sectors, { ...request, left });
    return;
  }
  const { completed: columns } = disk;
  if (disk.length === columns.tid.length) widen(columns);
  const row = disk.length++;
  columns.inserted[row] = request.inserted;
  columns.issued[row] = request.issued;
  columns.completed[row] = time;
  columns.sector[row] = request.sector;
  columns.sectors[row] = request.sectors;
  columns.flags[row] = flags;
  columns.tid[row] = request.tid;
  columns.owner[row] = ownerOf(request.tid, request.issued);
  columns.sequential[row] = request.sequential ? 1 : 0;
}

/** @param bytesOfThread by owner: what its requests moved is added */
function sumsOf(
  { completed: columns, length }: Disk,
  from: number,
  to: number,
  bytesOfThread: Map<number, OwnedBytes>,
) {
  const { inserted, issued, completed, sectors, flags, tid, owner, sequential } = columns;
  const sums = {
    requests: 0,
    sectors: 0,
    writes: 0,
    totalLatencyNs: 0,
    maxLatencyNs: 0,
    queued: 0,
    totalQueuedNs: 0,
    sequential: 0,
  };
  const end = lowerBound(completed, to, length);
  for (let row = lowerBound(completed, from, length); row < end; row++) {
    const latency = completed[row] - issued[row];
    sums.requests++;
    sums.writes += flags[row] & REQUEST_WRITE;
    sums.totalLatencyNs += latency;
    sums.maxLatencyNs = Math.max(sums.maxLatencyNs, latency);
    sums.sequential += sequential[row];
    if (!Number.isNaN(inserted[row])) {
      sums.queued++;
      sums.totalQueuedNs += issued[row] - inserted[row];
    }
    // Where the flags are not known, it counts as a write.
    const action = flags[row] & (REQUEST_WRITE | REQUEST_DISCARD);
    if (action === REQUEST_DISCARD) continue;
    sums.sectors += sectors[row];
    const bytes = bytesOfThread.get(owner[row]) ?? { tid: tid[row], read: 0, write: 0 };
    bytes[(action & REQUEST_WRITE) === 0 ? 'read' : 'write'] += sectors[row] * SECTOR_BYTES;
    bytesOfThread.set(owner[row], bytes);
  }
  return sums;
}

/** How many requests were at the device at once within [from, to) (HostNs). O(n log n) for n requests. */
function depthOf({ completed: columns, length }: Disk, from: number, to: number) {
  const { issued, completed } = columns;
  const inside: number[] = [];
  for (let row = lowerBound(completed, from, length); row < length; row++)
    if (issued[row] < to) inside.push(row);
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
