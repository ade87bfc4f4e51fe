/** Disk requests: how many, how long, how deep the queue. */
import { assert } from '../../../base/assert.ts';
import { GrowingTable } from '../../../base/columns.ts';
import { lowerBound } from '../../../base/lower-bound.ts';
import { f64, i32, noRows, type Table, TableMemory, u8 } from '../../../base/tables.ts';
import * as requests from '../../states/reduce/disk-requests.ts';
import * as values from '../../events/values.ts';
import type { HostNs } from '../../../base/units.ts';
import type { DurationLog } from '../duration-log.ts';
import type { IoFact } from './io-files.ts';
import * as ioChunk from './io-chunk.ts';
import type { ByteBounds, OwnerOf } from './io-transfers.ts';

export interface DiskIo {
  readonly host: number;
  /** `254:0`. */
  readonly dev: string;
  /** `vda`; '' not known. */
  readonly name: string;
  /** Completed within the range, flushes and discards among them. */
  readonly requests: number;
  /** Sectors read and written, without discards, which move no data. */
  readonly sectors: number;
  /** Requests that wrote, flushes (without sectors), and discards. */
  readonly writes: number;
  readonly flushes: number;
  readonly discards: number;
  /** Requests issued to the disk within the range without a recorded completion. */
  readonly notCompleted: number;
  /** Time from first issue to completion, ns, and the part of it in which requests were requeued. */
  readonly totalLatencyNs: number;
  readonly totalAgainNs: number;
  readonly maxLatencyNs: number;
  /** Time from insertion to first issue, for the requests whose insertion was seen. */
  readonly queued: number;
  readonly totalQueuedNs: number;
  /** Requests at the device at once within the range: greatest number, and mean while there was any. */
  readonly maxDepth: number;
  readonly meanDepth: number;
  /** Requests that begin where the one issued before ended. */
  readonly sequential: number;
}

/** A request that completed. */
export interface DiskRequest extends Pick<DiskIo, 'dev' | 'name'> {
  /** HostNs at which it was inserted into the kernel's queue, or else issued to the disk. */
  readonly begin: HostNs;
  /** Time in the queue, NaN if its insertion was not seen, and at the disk, ns. */
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

/** Bytes moved by requests of a thread, the one that made them, as in the history (`states/reduce/disk-requests.ts`). */
export interface BlockBytes {
  read: number;
  write: number;
}

interface OwnedBytes extends BlockBytes {
  readonly tid: number;
}

const SECTOR_BYTES = 512;
const NO_BOUNDS: ByteBounds = { least: 0, greatest: Infinity };

/** Slots of a disk, which limit concurrent requests. */
const MOST_OPEN = 2 ** 14;

/** A request that has begun. */
interface OpenRequest {
  readonly sector: number;
  sectors: number;
  readonly tid: number;
  /** NaN: not seen; HostNs. */
  readonly inserted: number;
  issued: number;
  /** HostNs since when it is requeued, NaN: it is not; and times when it was: pairs of begin and end. */
  queuedAgain: number;
  readonly again: number[];
  sequential: boolean;
}

interface DiskEvent extends requests.RequestEvent {
  readonly time: number;
  readonly tid: number;
  readonly flags: number;
}

/** Completed requests, in order of completion; others may have lost it. */
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
  /** DIRECTION_*. */
  direction: u8(),
  /** 1: it begins where the one issued before ended. */
  sequential: u8(),
  /** Time in which it was requeued, ns. */
  again: f64(),
};

interface Disk {
  readonly device: number;
  readonly name: string;
  readonly length: number;
  readonly completed: Table<typeof COMPLETED>;
  /** HostNs of issues without a recorded completion, ascending. */
  readonly notCompleted: Float64Array;
  /** HostNs of arrival and departure of completed requests, ascending. */
  readonly arrivals: Float64Array;
  readonly departures: Float64Array;
}

/** A disk while its requests are gathered; times are in any order. */
interface OpenDisk {
  readonly device: number;
  name: string;
  /** Sector after the request issued last, -1 none. */
  next: number;
  readonly completed: GrowingTable<Table<typeof COMPLETED>>;
  readonly notCompleted: number[];
  readonly arrivals: number[];
  readonly departures: number[];
}

/** Requests to the disks of a host. */
export type DiskLog = readonly Disk[];

/**
 * @param facts of one host, in order of time
 * @param losses times (HostNs) at which events of disks may be missing, ascending
 */
export function diskLog(facts: readonly IoFact[], ownerOf: OwnerOf, losses: readonly number[] = []): DiskLog {
  const collector = new RequestCollector(ownerOf);
  const disks = requests.createDiskTable(new TableMemory(), MOST_OPEN);
  const tracker = new requests.RequestTracker(disks, collector);
  let lost = 0;
  for (const fact of facts) {
    for (; lost < losses.length && losses[lost] <= fact.time; lost++) tracker.lose();
    const step = STEPS[fact.kind];
    if (fact.kind === ioChunk.FACT_DISK) collector.diskOf(fact.a).name = fact.text ?? '';
    else if (step !== undefined) tracker[step](eventOf(fact));
  }
  tracker.end();
  return collector.finish();
}

const STEPS: Readonly<Partial<Record<number, requests.RequestStep>>> = {
  [ioChunk.FACT_INSERT]: 'insert',
  [ioChunk.FACT_ISSUE]: 'issue',
  [ioChunk.FACT_REQUEUE]: 'requeue',
  [ioChunk.FACT_COMPLETE]: 'complete',
  [ioChunk.FACT_MERGE]: 'merge',
};

function eventOf({ time, a: device, b: sectors, c: tid, d, wide: sector, text }: IoFact): DiskEvent {
  const flags = text === undefined ? d : values.flagsOfLetters(text);
  return { time, device, sector, sectors, tid, flags, direction: values.directionOf(flags, sectors) };
}

/** Collects requests from the tracker. */
class RequestCollector implements requests.RequestListener<DiskEvent> {
  readonly #disks = new Map<number, OpenDisk>();
  /** Request and disk of each slot of the tracker. */
  readonly #open: OpenRequest[] = [];
  readonly #diskOfSlot: OpenDisk[] = [];

  constructor(private readonly ownerOf: OwnerOf) {}

  diskOf(device: number): OpenDisk {
    let disk = this.#disks.get(device);
    if (disk === undefined) {
      const completed = new GrowingTable(noRows(COMPLETED));
      disk = { device, name: '', next: -1, completed, notCompleted: [], arrivals: [], departures: [] };
      this.#disks.set(device, disk);
    }
    return disk;
  }

  finish(): DiskLog {
    return Array.from(this.#disks.values(), ({ device, name, completed: { length, rows }, ...times }) => ({
      ...{ device, name, length, completed: rows },
      notCompleted: Float64Array.from(times.notCompleted).sort(),
      arrivals: Float64Array.from(times.arrivals).sort(),
      departures: Float64Array.from(times.departures).sort(),
    }));
  }

  added(slot: number, _place: number, { device }: DiskEvent): void {
    this.#diskOfSlot[slot] = this.diskOf(device);
  }

  begun(slot: number, { sector, sectors, tid }: DiskEvent): void {
    const times = { inserted: NaN, issued: NaN, queuedAgain: NaN, again: [] };
    this.#open[slot] = { sector, sectors, tid, ...times, sequential: false };
  }

  queued(slot: number, { time }: DiskEvent, again: boolean): void {
    if (again) this.#open[slot].queuedAgain = time;
    else this.#open[slot] = { ...this.#open[slot], inserted: time };
  }

  issued(slot: number, { time, sector, sectors }: DiskEvent, again: boolean): void {
    const request = this.#open[slot];
    if (again) {
      request.again.push(request.queuedAgain, time);
      request.queuedAgain = NaN;
      return;
    }
    const disk = this.#diskOfSlot[slot];
    request.issued = time;
    request.sectors = sectors;
    request.sequential = sectors > 0 && disk.next === sector;
    if (sectors > 0) disk.next = sector + sectors;
  }

  completed(slot: number, { time, flags, direction }: DiskEvent): void {
    const { sector, sectors, tid, inserted, issued, again, sequential } = this.#open[slot];
    const disk = this.#diskOfSlot[slot];
    const { completed, arrivals, departures } = disk;
    const row = completed.addRow();
    const { rows: columns } = completed;
    columns.inserted[row] = inserted;
    columns.issued[row] = issued;
    columns.completed[row] = time;
    columns.sector[row] = sector;
    columns.sectors[row] = sectors;
    columns.flags[row] = flags;
    columns.tid[row] = tid;
    columns.owner[row] = this.ownerOf(tid, issued);
    columns.direction[row] = direction;
    columns.sequential[row] = sequential ? 1 : 0;
    arrivals.push(issued);
    for (let i = 0; i < again.length; i += 2) {
      departures.push(again[i]);
      arrivals.push(again[i + 1]);
      columns.again[row] += again[i + 1] - again[i];
    }
    departures.push(time);
  }

  dropped(slot: number): void {
    const { issued } = this.#open[slot];
    if (!Number.isNaN(issued)) this.#diskOfSlot[slot].notCompleted.push(issued);
  }
}

/**
 * Adds each request that completed in [from, to) (HostNs), from its insertion or else its issue on: owners as in
 * `OwnerOf`, subjects for `requestAt`.
 * @param only owner whose requests count; default: all
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

/** @param subject as given by `addRequests`: index among the requests of all disks */
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
    dev: requests.deviceName(disk.device),
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
  return values.REQUEST_LETTERS.flatMap(([bit, letter]) => ((flags & bit) === 0 ? [] : [letter])).join('');
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
    return {
      host,
      dev: requests.deviceName(disk.device),
      name: disk.name,
      ...sums,
      ...depthOf(disk, from, to),
    };
  });
  return {
    disks: disks.filter(({ requests: completed, notCompleted }) => completed + notCompleted > 0),
    bytesOfThread,
  };
}

/** @param bytesOfThread by owner; bytes of its requests are added */
function sumsOf(disk: Disk, from: number, to: number, bytesOfThread: Map<number, OwnedBytes>) {
  const { completed: columns, length, notCompleted } = disk;
  const { inserted, issued, completed, sectors, tid, owner, direction, sequential, again } = columns;
  const sums = {
    ...{ requests: 0, sectors: 0, writes: 0, flushes: 0, discards: 0, sequential: 0 },
    ...{ totalLatencyNs: 0, maxLatencyNs: 0, totalAgainNs: 0, queued: 0, totalQueuedNs: 0 },
    notCompleted: lowerBound(notCompleted, to) - lowerBound(notCompleted, from),
  };
  const end = lowerBound(completed, to, length);
  for (let row = lowerBound(completed, from, length); row < end; row++) {
    const latency = completed[row] - issued[row];
    const action = direction[row];
    sums.requests++;
    sums.writes += action === values.DIRECTION_WRITE ? 1 : 0;
    sums.flushes += action === values.DIRECTION_FLUSH ? 1 : 0;
    sums.discards += action === values.DIRECTION_DISCARD ? 1 : 0;
    sums.totalLatencyNs += latency;
    sums.totalAgainNs += again[row];
    sums.maxLatencyNs = Math.max(sums.maxLatencyNs, latency);
    sums.sequential += sequential[row];
    if (!Number.isNaN(inserted[row])) {
      sums.queued++;
      sums.totalQueuedNs += issued[row] - inserted[row];
    }
    if (action === values.DIRECTION_DISCARD) continue;
    sums.sectors += sectors[row];
    if (action !== values.DIRECTION_READ && action !== values.DIRECTION_WRITE) continue;
    const bytes = bytesOfThread.get(owner[row]) ?? { tid: tid[row], read: 0, write: 0 };
    bytes[action === values.DIRECTION_READ ? 'read' : 'write'] += sectors[row] * SECTOR_BYTES;
    bytesOfThread.set(owner[row], bytes);
  }
  return sums;
}

/** Number of completed requests at the device at once within [from, to) (HostNs); at equal times departures come first. */
function depthOf({ arrivals, departures }: Disk, from: number, to: number) {
  let [depth, maxDepth, busyNs, depthNs, at] = [0, 0, 0, 0, from];
  const end = lowerBound(arrivals, to);
  for (let came = 0, left = 0; came < end || left < departures.length;) {
    const isArrival = came < end && arrivals[came] < departures[left];
    const time = Math.min(to, isArrival ? arrivals[came] : departures[left]);
    if (depth > 0 && time > at) {
      maxDepth = Math.max(maxDepth, depth);
      busyNs += time - Math.max(at, from);
      depthNs += depth * (time - Math.max(at, from));
    }
    at = Math.max(at, time);
    if (time >= to) break;
    if (isArrival) came++;
    else left++;
    depth += isArrival ? 1 : -1;
  }
  return { maxDepth, meanDepth: busyNs === 0 ? 0 : depthNs / busyNs };
}
