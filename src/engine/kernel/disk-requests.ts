/**
 * Disk requests as intervals (spec 03 "History from the start"): a request takes the lowest free slot of its disk
 * from its insertion (else its issue) to its completion, so that several in flight stand side by side:
 * `disks/254:0/SLOT/state` (queued, issued), `…/sector`, `…/sectors` (0: a flush), `…/thread` (index + 1, 0 unknown).
 * A request is known by its first sector. A flush has none: it is issued with sector 0 and completed with sector -1.
 */
import type { HistorySink } from '../history/types.ts';
import { REQUEST_ISSUED, REQUEST_QUEUED } from './values.ts';

/** Requests of one disk that may be open at a time; later ones have no interval until a slot is free. */
export const MAX_SLOTS = 1024;
/** Disks with a history; real machines have tens. */
const MAX_DISKS = 4096;

/** No sectors: a slot that is free, and the sector by which flushes are known. */
const FREE = -1;
const FLUSH = -2;
/** From here on a sector is a negative number. */
const NEGATIVE = 2 ** 63;

interface Slot {
  /** Sector of the request, FLUSH or FREE. */
  sector: number;
  /** Given to the device. */
  issued: boolean;
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
  const sector = sectorOf(event);
  const slot =
    slotOf(disk, sector, sector === FLUSH ? false : undefined) ?? takeSlot(disk, sink, event, sector);
  if (slot === undefined) return;
  slot.issued = issued;
  sink.set(slot.state, issued ? REQUEST_ISSUED : REQUEST_QUEUED);
}

export function completeRequest(disks: DiskTable, sink: HistorySink, event: RequestEvent): void {
  const disk = disks.byDevice.get(event.device);
  const slot = disk && slotOf(disk, sectorOf(event));
  if (disk === undefined || slot === undefined) return;
  slot.sector = FREE;
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

function sectorOf({ sector, sectors }: RequestEvent): number {
  return sectors === 0 && (sector === 0 || sector >= NEGATIVE) ? FLUSH : sector;
}

/** @param issued of several with this sector (flushes), one that is or is not at the device; undefined: any */
function slotOf(disk: Disk, sector: number, issued?: boolean): Slot | undefined {
  if (disk.open === 0) return undefined;
  return disk.slots.find(
    (slot) => slot.sector === sector && (issued === undefined || slot.issued === issued),
  );
}

function takeSlot(disk: Disk, sink: HistorySink, event: RequestEvent, sector: number): Slot | undefined {
  let slot = disk.open === disk.slots.length ? undefined : disk.slots.find((free) => free.sector === FREE);
  if (slot === undefined) {
    if (disk.slots.length === MAX_SLOTS) return undefined;
    const path = (leaf: string) => ['disks', disk.name, String(disk.slots.length), leaf];
    slot = {
      sector: FREE,
      issued: false,
      state: sink.attribute(path('state'), 'state'),
      sectorAttribute: sink.attribute(path('sector'), 'integer'),
      sectorsAttribute: sink.attribute(path('sectors'), 'integer'),
      threadAttribute: sink.attribute(path('thread'), 'integer'),
    };
    disk.slots.push(slot);
  }
  slot.sector = sector;
  disk.open++;
  sink.set(slot.sectorAttribute, event.sector);
  sink.set(slot.sectorsAttribute, event.sectors);
  sink.set(slot.threadAttribute, event.thread + 1);
  return slot;
}
