/**
 * Disk requests as intervals (spec 03 "History from the start"): a request takes the lowest free slot of its disk
 * from its insertion (else its issue) to its completion, so that several in flight stand side by side:
 * `disks/254:0/SLOT/state` (queued, issued), `…/sector`, `…/sectors`, `…/thread` (index + 1, 0 unknown).
 */
import type { HistorySink } from '../history/types.ts';
import { REQUEST_ISSUED, REQUEST_QUEUED } from './values.ts';

/** Requests of one disk that may be open at a time; later ones have no interval until a slot is free. */
export const MAX_SLOTS = 1024;
/** Disks with a history; real machines have tens. */
const MAX_DISKS = 4096;

interface Slot {
  /** Sector of the request, -1 free. */
  sector: number;
  readonly state: number;
  readonly sectorAttribute: number;
  readonly sectorsAttribute: number;
  readonly threadAttribute: number;
}

interface Disk {
  readonly name: string;
  readonly slots: Slot[];
  /** Slots in use. */
  open: number;
}

export interface DiskTable {
  readonly byDevice: Map<number, Disk>;
}

export function createDiskTable(): DiskTable {
  return { byDevice: new Map() };
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
  if (disk === undefined) return;
  const slot = slotOf(disk, event.sector) ?? takeSlot(disk, sink, event);
  if (slot !== undefined) sink.set(slot.state, issued ? REQUEST_ISSUED : REQUEST_QUEUED);
}

export function completeRequest(disks: DiskTable, sink: HistorySink, event: RequestEvent): void {
  const disk = disks.byDevice.get(event.device);
  const slot = disk && slotOf(disk, event.sector);
  if (disk === undefined || slot === undefined) return;
  slot.sector = -1;
  disk.open--;
  for (const id of [slot.state, slot.sectorAttribute, slot.sectorsAttribute, slot.threadAttribute])
    sink.end(id);
}

function diskOf(disks: DiskTable, device: number): Disk | undefined {
  let disk = disks.byDevice.get(device);
  if (disk === undefined && disks.byDevice.size < MAX_DISKS) {
    disk = { name: deviceName(device), slots: [], open: 0 };
    disks.byDevice.set(device, disk);
  }
  return disk;
}

function slotOf(disk: Disk, sector: number): Slot | undefined {
  return disk.open === 0 ? undefined : disk.slots.find((slot) => slot.sector === sector);
}

function takeSlot(disk: Disk, sink: HistorySink, event: RequestEvent): Slot | undefined {
  let slot = disk.open === disk.slots.length ? undefined : disk.slots.find((free) => free.sector < 0);
  if (slot === undefined) {
    if (disk.slots.length === MAX_SLOTS) return undefined;
    const path = (leaf: string) => ['disks', disk.name, String(disk.slots.length), leaf];
    slot = {
      sector: -1,
      state: sink.attribute(path('state'), 'state'),
      sectorAttribute: sink.attribute(path('sector'), 'integer'),
      sectorsAttribute: sink.attribute(path('sectors'), 'integer'),
      threadAttribute: sink.attribute(path('thread'), 'integer'),
    };
    disk.slots.push(slot);
  }
  slot.sector = event.sector;
  disk.open++;
  sink.set(slot.sectorAttribute, event.sector);
  sink.set(slot.sectorsAttribute, event.sectors);
  sink.set(slot.threadAttribute, event.thread + 1);
  return slot;
}
