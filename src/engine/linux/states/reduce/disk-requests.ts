/**
 * Disk requests as intervals: a request takes the lowest free slot of its disk from its insertion (else its issue) to
 * its completion, so that several in flight stand side by side: `disks/254:0/SLOT/state` (queued, issued), `…/sector`,
 * `…/sectors` (0: a flush), `…/thread` (index + 1, 0 unknown). A request is known by its first sector that is not
 * completed yet. A flush has none: it is issued with sector 0 and completed with sector -1.
 */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import { MOST_VALUE } from '../../../history/intervals.ts';
import type { HistorySink } from '../../../history/types.ts';
import { createIntIndex, findInt, type IntIndex, putInt } from '../../../analysis/compiled/int-index.ts';
import { REQUEST_ISSUED, REQUEST_QUEUED } from '../../events/values.ts';

/** Requests of one disk that may be open at a time; later ones have no interval until a slot is free. */
const MAX_SLOTS = 1024;
/** Disks with a history; real machines have tens. */
const MAX_DISKS = 4096;

/** No sectors: a slot that is free, and the sector by which flushes are known. */
export const FREE = -1;
export const FLUSH = -2;
/** Least sector that stands for a negative number. */
export const NEGATIVE = 2 ** 63;

const NONE = -1;

export const DISK = {
  /** Rows of its first and its last slot, -1 none. */
  firstSlot: i32(NONE),
  lastSlot: i32(NONE),
  /** Slots, and those in use. */
  slots: i32(),
  open: i32(),
};

export const SLOT = {
  /** Row of the next slot of the same disk, -1 none. */
  next: i32(NONE),
  /** Sector of the request, FLUSH or FREE. */
  sector: f64(FREE),
  /** Sectors that are not completed yet. */
  sectors: f64(),
  /** 1: it was given to the device. */
  issued: u8(),
  /** Attributes. */
  state: i32(),
  sectorAttribute: i32(),
  sectorsAttribute: i32(),
  threadAttribute: i32(),
};

/** The disks of a host and their slots, in tables that a kernel can share (`wasm/reduce/disks.ts`). */
export interface DiskTable extends Table<typeof DISK> {
  readonly memory: TableMemory;
  length: number;
  readonly byDevice: IntIndex;
  readonly slot: Table<typeof SLOT> & { length: number };
}

export function createDiskTable(memory: TableMemory): DiskTable {
  const slot = memory.table(SLOT, 64, { length: 0 });
  return memory.table(DISK, 8, { memory, length: 0, byDevice: createIntIndex(16, memory), slot });
}

/** `254:0`: major and minor number of a device as the kernel packs them, 20 bits for the minor. */
export function deviceName(device: number): string {
  return `${device >>> 20}:${device & 0xfffff}`;
}

export interface RequestEvent {
  readonly device: number;
  readonly sector: number;
  readonly sectors: number;
  /** Row of the thread, -1 unknown. */
  readonly thread: number;
}

/** The request is queued (inserted) or given to the device (issued, with or without an insertion before). */
export function beginRequest(
  disks: DiskTable,
  sink: HistorySink,
  event: RequestEvent,
  issued: boolean,
): void {
  const disk = diskOf(disks, event.device);
  if (disk === NONE) return;
  const sector = sectorOf(event);
  if (issued) endMerged(disks, disk, sink, event);
  // Of several flushes one that waits to be issued.
  const begun = slotOf(disks, disk, sector, sector === FLUSH);
  const slot = begun === NONE ? takeSlot(disks, disk, sink, event, sector) : begun;
  if (slot === NONE) return;
  disks.slot.issued[slot] = issued ? 1 : 0;
  // More than when it was queued, where others were merged into it.
  disks.slot.sectors[slot] = event.sectors;
  sink.set(disks.slot.sectorsAttribute[slot], event.sectors >>> 0);
  sink.set(disks.slot.state[slot], issued ? REQUEST_ISSUED : REQUEST_QUEUED);
}

/** The device did not take it: it is queued once more. */
export function requeueRequest(disks: DiskTable, sink: HistorySink, event: RequestEvent): void {
  const disk = findInt(disks.byDevice, event.device);
  const row = disk === NONE ? NONE : slotOf(disks, disk, sectorOf(event), false);
  if (row === NONE) return;
  disks.slot.issued[row] = 0;
  sink.set(disks.slot.state[row], REQUEST_QUEUED);
}

/** All of a request is completed, or so many of its sectors, from the first one on. */
export function completeRequest(disks: DiskTable, sink: HistorySink, event: RequestEvent): void {
  const disk = findInt(disks.byDevice, event.device);
  const row = disk === NONE ? NONE : slotOf(disks, disk, sectorOf(event), false);
  if (row === NONE) return;
  const { slot } = disks;
  if (event.sectors > 0 && event.sectors < slot.sectors[row]) {
    slot.sector[row] += event.sectors;
    slot.sectors[row] -= event.sectors;
  } else endRequest(disks, disk, sink, row);
}

/**
 * Requests that wait for sectors of one that is issued were merged into it. An event gives it too, but not in every
 * trace, and not of a request that grew at its front.
 */
function endMerged(
  disks: DiskTable,
  disk: number,
  sink: HistorySink,
  { sector, sectors }: RequestEvent,
): void {
  if (disks.open[disk] === 0) return;
  const { slot } = disks;
  for (let row = disks.firstSlot[disk]; row !== NONE; row = slot.next[row])
    if (slot.issued[row] === 0 && slot.sector[row] > sector && slot.sector[row] < sector + sectors)
      endRequest(disks, disk, sink, row);
}

/** Whatever is open ends: nobody recorded how. */
export function endRequests(disks: DiskTable, sink: HistorySink): void {
  for (let disk = 0; disk < disks.length; disk++)
    for (let row = disks.firstSlot[disk]; row !== NONE; row = disks.slot.next[row])
      if (disks.slot.sector[row] !== FREE) endRequest(disks, disk, sink, row);
}

function endRequest(disks: DiskTable, disk: number, sink: HistorySink, row: number): void {
  const { slot } = disks;
  slot.sector[row] = FREE;
  disks.open[disk]--;
  sink.end(slot.state[row]);
  sink.end(slot.sectorAttribute[row]);
  sink.end(slot.sectorsAttribute[row]);
  sink.end(slot.threadAttribute[row]);
}

/** Row of a disk, a new one if need be; NONE when there are too many. */
function diskOf(disks: DiskTable, device: number): number {
  const known = findInt(disks.byDevice, device);
  if (known !== NONE || disks.length === MAX_DISKS) return known;
  if (disks.length === disks.open.length) disks.memory.widen(disks, 2 * disks.length);
  putInt(disks.byDevice, device, disks.length);
  return disks.length++;
}

function sectorOf({ sector, sectors }: RequestEvent): number {
  return sectors === 0 && (sector === 0 || sector >= NEGATIVE) ? FLUSH : sector;
}

/** The lowest slot of a disk with a request for this sector, NONE without one. */
function slotOf(disks: DiskTable, disk: number, sector: number, isQueued: boolean): number {
  if (disks.open[disk] === 0) return NONE;
  const { slot } = disks;
  let row = disks.firstSlot[disk];
  while (row !== NONE && (slot.sector[row] !== sector || (isQueued && slot.issued[row] === 1)))
    row = slot.next[row];
  return row;
}

/** Gives a request the lowest free slot of its disk; NONE when there is none. */
function takeSlot(
  disks: DiskTable,
  disk: number,
  sink: HistorySink,
  event: RequestEvent,
  sector: number,
): number {
  const { slot } = disks;
  let row = NONE;
  if (disks.open[disk] < disks.slots[disk])
    for (row = disks.firstSlot[disk]; slot.sector[row] !== FREE; row = slot.next[row]);
  else if (disks.slots[disk] < MAX_SLOTS) row = addSlot(disks, disk, sink, deviceName(event.device));
  if (row === NONE) return NONE;
  slot.sector[row] = sector;
  disks.open[disk]++;
  sink.set(slot.sectorAttribute[row], Math.min(event.sector, MOST_VALUE));
  sink.set(slot.threadAttribute[row], event.thread + 1);
  return row;
}

function addSlot(disks: DiskTable, disk: number, sink: HistorySink, name: string): number {
  const { memory, slot } = disks;
  const place = String(disks.slots[disk]);
  const [state, ...others] = ['state', 'sector', 'sectors', 'thread'].map((leaf) =>
    sink.attribute(['disks', name, place, leaf], leaf === 'state' ? 'state' : 'integer'),
  );
  if (slot.length === slot.next.length) memory.widen(slot, 2 * slot.length);
  const row = slot.length++;
  slot.state[row] = state;
  [slot.sectorAttribute[row], slot.sectorsAttribute[row], slot.threadAttribute[row]] = others;
  if (disks.slots[disk]++ === 0) disks.firstSlot[disk] = row;
  else slot.next[disks.lastSlot[disk]] = row;
  disks.lastSlot[disk] = row;
  return row;
}
