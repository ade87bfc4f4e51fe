/**
 * Disk requests of devices: one tracker, which reports the steps of each request to the history and the statistics
 * (`sums/io/io-disks.ts`). A request lives from its insertion (else its first issue) to the completion of its last
 * sector. Events find it by device, direction and its first incomplete sector; a flush has no sectors and is found by
 * its direction alone: it is issued with sector 0 and completed with sector -1.
 */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import { createIntIndex, findInt, type IntIndex, putInt } from '../../../analysis/compiled/int-index.ts';
import { DIRECTION_FLUSH, REQUEST_AGAIN, REQUEST_ISSUED, REQUEST_QUEUED } from '../../events/values.ts';
import { MOST_VALUE } from '../../../history/intervals.ts';
import type { HistorySink } from '../../../history/types.ts';

/** Disks that are distinguished; real machines have tens. */
const MAX_DISKS = 4096;

/** Sector value of a free slot; the next one is that of a flush. */
export const FREE = -1;
export const FLUSH = -2;

const NONE = -1;

export const DISK = {
  /** Rows of its first and its last slot, -1 none. */
  firstSlot: i32(NONE),
  lastSlot: i32(NONE),
  /** Number of slots, of those in use, and of those with requests that were requeued or that a loss may have ended. */
  slots: i32(),
  open: i32(),
  odd: i32(),
  /** Number of insertions and issues so far. */
  serial: f64(),
};

export const SLOT = {
  /** Row of the next slot of the same disk, -1 none. */
  next: i32(NONE),
  /** First incomplete sector of the request, FLUSH or FREE; and number of incomplete sectors. */
  sector: f64(FREE),
  sectors: f64(),
  /** DIRECTION_*. */
  direction: u8(),
  /** 1: it is at the device. */
  issued: u8(),
  /** 1: it was there and is requeued. */
  again: u8(),
  /** 1: events were lost since, so that it may have been completed. */
  lossy: u8(),
  /** Number of its insertion or last issue. */
  order: f64(),
  /** Attributes of the history. */
  state: i32(),
  sectorAttribute: i32(),
  sectorsAttribute: i32(),
  threadAttribute: i32(),
};

/** Disks of a host and their slots, in tables that can be shared with a kernel (`wasm/reduce/disks.ts`). */
export interface DiskTable extends Table<typeof DISK> {
  readonly memory: TableMemory;
  length: number;
  readonly byDevice: IntIndex;
  readonly slot: Table<typeof SLOT> & { length: number };
  /** Requests of one disk that may be open at a time; later ones are not tracked until a slot is free. */
  readonly mostSlots: number;
}

export function createDiskTable(memory: TableMemory, mostSlots: number): DiskTable {
  const slot = memory.table(SLOT, 64, { length: 0 });
  const byDevice = createIntIndex(16, memory);
  return memory.table(DISK, 8, { memory, length: 0, byDevice, slot, mostSlots });
}

/** `254:0`: major and minor number of a device as the kernel packs them, 20 bits for the minor. */
export function deviceName(device: number): string {
  return `${device >>> 20}:${device & 0xfffff}`;
}

/** An event of a request. */
export interface RequestEvent {
  readonly device: number;
  readonly sector: number;
  readonly sectors: number;
  /** DIRECTION_*. */
  readonly direction: number;
}

/** Receives the steps of requests, by the row of their slot. */
export interface RequestListener<Event extends RequestEvent> {
  /** A slot was made: number `place` of its disk. */
  added(slot: number, place: number, event: Event): void;
  /** A request takes the slot. */
  begun(slot: number, event: Event): void;
  /** The request is queued; `again`: after it was at the device. */
  queued(slot: number, event: Event, again: boolean): void;
  /** The request is issued to the device; `again`: not for the first time. */
  issued(slot: number, event: Event, again: boolean): void;
  /** The last of its sectors is completed. */
  completed(slot: number, event: Event): void;
  /** The request ends otherwise: merged into another one, or lost. */
  dropped(slot: number): void;
}

/** Steps of requests in events. */
export type RequestStep = 'insert' | 'issue' | 'requeue' | 'complete' | 'merge';

/** Tracks the requests of a host from events in order of time. */
export class RequestTracker<E extends RequestEvent> implements Record<RequestStep, (event: E) => void> {
  constructor(
    private readonly disks: DiskTable,
    private readonly listener: RequestListener<E>,
  ) {}

  /** Handles the queueing of a request. */
  insert(event: E): void {
    const disk = this.#diskOf(event.device);
    if (disk === NONE) return;
    this.#forgetLost(disk, event);
    const { slot } = this.disks;
    // A requeued request stays what it is.
    if (this.#requestOf(disk, event, 0, 1) !== NONE) return;
    const row = this.#takeSlot(disk, event);
    if (row === NONE) return;
    slot.order[row] = ++this.disks.serial[disk];
    this.listener.queued(row, event, false);
  }

  /** Handles the issue of a request to the device: a requeued one, else the one inserted last, else a new one. */
  issue(event: E): void {
    const disk = this.#diskOf(event.device);
    if (disk === NONE) return;
    const { slot } = this.disks;
    let row = this.#requestOf(disk, event, 0, 1);
    if (row === NONE) row = this.#requestOf(disk, event, 0, 0);
    if (row === NONE) {
      this.#forgetLost(disk, event);
      row = this.#takeSlot(disk, event);
      if (row === NONE) return;
    }
    const again = slot.again[row] === 1;
    this.#setAgain(disk, row, 0);
    slot.issued[row] = 1;
    slot.order[row] = ++this.disks.serial[disk];
    // The number of sectors may have grown since it was queued, as others were merged into it.
    slot.sectors[row] = event.sectors;
    this.listener.issued(row, event, again);
    if (!again) this.#endMerged(disk, event);
  }

  /** Handles a device's refusal of the rest: the oldest request there is requeued. */
  requeue(event: E): void {
    const disk = findInt(this.disks.byDevice, event.device);
    const { slot } = this.disks;
    const row = this.#requestOf(disk, event, 1, 0);
    if (row === NONE) return;
    slot.issued[row] = 0;
    this.#setAgain(disk, row, 1);
    this.listener.queued(row, event, true);
  }

  /** Completes the oldest request there, or so many of its sectors, from the first one on. */
  complete(event: E): void {
    const disk = findInt(this.disks.byDevice, event.device);
    const { slot } = this.disks;
    const row = this.#requestOf(disk, event, 1, 0);
    if (row === NONE) return;
    if (event.direction !== DIRECTION_FLUSH && event.sectors > 0 && event.sectors < slot.sectors[row]) {
      slot.sector[row] += event.sectors;
      slot.sectors[row] -= event.sectors;
      return;
    }
    this.listener.completed(row, event);
    this.#freeSlot(disk, row);
  }

  /** Merges a queued request into another one, so that it is never issued. */
  merge(event: E): void {
    const disk = findInt(this.disks.byDevice, event.device);
    const row = this.#requestOf(disk, event, 0, 0);
    if (row !== NONE) this.#drop(disk, row);
  }

  /** Handles a loss of disk events: open requests may have been completed. */
  lose(): void {
    const { slot, odd } = this.disks;
    this.#eachOpen((disk, row) => {
      if (slot.lossy[row] === 1) return;
      slot.lossy[row] = 1;
      if (slot.again[row] === 0) odd[disk]++;
    });
  }

  /** Ends all open requests, whose ends were not recorded. */
  end(): void {
    this.#eachOpen((disk, row) => this.#drop(disk, row));
  }

  #eachOpen(visit: (disk: number, row: number) => void): void {
    const { length, firstSlot, slot } = this.disks;
    for (let disk = 0; disk < length; disk++)
      for (let row = firstSlot[disk]; row !== NONE; row = slot.next[row])
        if (slot.sector[row] !== FREE) visit(disk, row);
  }

  /**
   * Ends requests waiting for sectors of an issued one, as they were merged into it. An event states merges, too, but
   * not in every trace, and not for a request that grew at its front.
   */
  #endMerged(disk: number, { sector, sectors, direction }: E): void {
    const { slot, open, firstSlot } = this.disks;
    if (open[disk] === 1 || direction === DIRECTION_FLUSH) return;
    for (let row = firstSlot[disk]; row !== NONE; row = slot.next[row]) {
      const isQueued = slot.issued[row] === 0 && slot.again[row] === 0 && slot.direction[row] === direction;
      if (isQueued && slot.sector[row] > sector && slot.sector[row] < sector + sectors) this.#drop(disk, row);
    }
  }

  /** Drops a request from before a loss when its sectors are used again. */
  #forgetLost(disk: number, event: E): void {
    const { slot, odd, firstSlot } = this.disks;
    if (odd[disk] === 0 || event.direction === DIRECTION_FLUSH) return;
    for (let row = firstSlot[disk]; row !== NONE; row = slot.next[row])
      if (slot.lossy[row] === 1 && this.#isAt(row, event)) this.#drop(disk, row);
  }

  #drop(disk: number, row: number): void {
    this.listener.dropped(row);
    this.#freeSlot(disk, row);
  }

  #setAgain(disk: number, row: number, again: 0 | 1): void {
    const { slot, odd } = this.disks;
    if (slot.lossy[row] === 0) odd[disk] += again - slot.again[row];
    slot.again[row] = again;
  }

  #freeSlot(disk: number, row: number): void {
    const { slot, odd, open } = this.disks;
    if (slot.lossy[row] === 1 || slot.again[row] === 1) odd[disk]--;
    slot.sector[row] = FREE;
    slot.issued[row] = slot.again[row] = slot.lossy[row] = 0;
    open[disk]--;
  }

  /** Row of a disk, added if missing; NONE if there are too many. */
  #diskOf(device: number): number {
    const disks = this.disks;
    const known = findInt(disks.byDevice, device);
    if (known !== NONE || disks.length === MAX_DISKS) return known;
    if (disks.length === disks.open.length) disks.memory.widen(disks, 2 * disks.length);
    putInt(disks.byDevice, device, disks.length);
    return disks.length++;
  }

  /** Whether a slot has a request with an event's direction and sector. */
  #isAt(row: number, { sector, direction }: E): boolean {
    const { slot } = this.disks;
    if (slot.sector[row] === FREE || slot.direction[row] !== direction) return false;
    return direction === DIRECTION_FLUSH || slot.sector[row] === sector;
  }

  /**
   * Request that an event may refer to, among issued, requeued, or other ones: among these the one inserted last,
   * else the oldest; NONE: there is none.
   */
  #requestOf(disk: number, event: E, issued: 0 | 1, again: 0 | 1): number {
    const { slot, open, firstSlot } = this.disks;
    let found = NONE;
    if (disk === NONE || open[disk] === 0) return found;
    const isOldest = issued === 1 || again === 1;
    for (let row = firstSlot[disk]; row !== NONE; row = slot.next[row]) {
      if (slot.issued[row] !== issued || slot.again[row] !== again || !this.#isAt(row, event)) continue;
      if (found === NONE || slot.order[row] < slot.order[found] === isOldest) found = row;
    }
    return found;
  }

  /** Gives a request the lowest free slot of its disk; NONE if there is none. */
  #takeSlot(disk: number, event: E): number {
    const disks = this.disks;
    const { slot } = disks;
    let row = NONE;
    if (disks.open[disk] < disks.slots[disk])
      for (row = disks.firstSlot[disk]; slot.sector[row] !== FREE; row = slot.next[row]);
    else if (disks.slots[disk] < disks.mostSlots) row = this.#addSlot(disk, event);
    if (row === NONE) return NONE;
    slot.sector[row] = event.direction === DIRECTION_FLUSH ? FLUSH : event.sector;
    slot.sectors[row] = event.sectors;
    slot.direction[row] = event.direction;
    disks.open[disk]++;
    this.listener.begun(row, event);
    return row;
  }

  #addSlot(disk: number, event: E): number {
    const disks = this.disks;
    const { memory, slot } = disks;
    if (slot.length === slot.next.length) memory.widen(slot, 2 * slot.length);
    const row = slot.length++;
    this.listener.added(row, disks.slots[disk], event);
    if (disks.slots[disk]++ === 0) disks.firstSlot[disk] = row;
    else slot.next[disks.lastSlot[disk]] = row;
    disks.lastSlot[disk] = row;
    return row;
  }
}

/** Requests of a disk that the history has at a time. */
export const MOST_SLOTS = 1024;

export interface HistoryEvent extends RequestEvent {
  /** Row of the thread, -1 unknown. */
  readonly thread: number;
}

/**
 * Disk requests as intervals of the history: each takes the lowest free slot of its disk, so that several are side by
 * side: `disks/254:0/SLOT/state` (queued, issued, requeued), `…/sector`, `…/sectors` (0: a flush), `…/thread` (index
 * + 1, 0 unknown).
 */
export function requestHistory({ slot }: DiskTable, sink: HistorySink): RequestListener<HistoryEvent> {
  const end = (row: number): void => {
    sink.end(slot.state[row]);
    sink.end(slot.sectorAttribute[row]);
    sink.end(slot.sectorsAttribute[row]);
    sink.end(slot.threadAttribute[row]);
  };
  return {
    added(row, place, { device }) {
      const [state, ...others] = ['state', 'sector', 'sectors', 'thread'].map((chunkResult) =>
        sink.attribute(
          ['disks', deviceName(device), String(place), chunkResult],
          chunkResult === 'state' ? 'state' : 'integer',
        ),
      );
      slot.state[row] = state;
      [slot.sectorAttribute[row], slot.sectorsAttribute[row], slot.threadAttribute[row]] = others;
    },
    begun(row, { sector, thread }) {
      sink.set(slot.sectorAttribute[row], Math.min(sector, MOST_VALUE));
      sink.set(slot.threadAttribute[row], thread + 1);
    },
    queued(row, { sectors }, again) {
      if (!again) sink.set(slot.sectorsAttribute[row], sectors >>> 0);
      sink.set(slot.state[row], again ? REQUEST_AGAIN : REQUEST_QUEUED);
    },
    issued(row, { sectors }, again) {
      if (!again) sink.set(slot.sectorsAttribute[row], sectors >>> 0);
      sink.set(slot.state[row], REQUEST_ISSUED);
    },
    completed: end,
    dropped: end,
  };
}
