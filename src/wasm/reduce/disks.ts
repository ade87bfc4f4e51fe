/**
 * Requests to disks that are known and have a slot left, with flags as LTTng gives them, where none is queued again or may
 * have been lost: `engine/linux/states/reduce/disk-requests.ts`.
 */
import { GAP, MOST_VALUE } from '../../engine/history/intervals';
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { CPU, HAS_REQUEST } from '../../engine/linux/states/reduce/cpu-table';
import { DISK, FLUSH, FREE, SLOT } from '../../engine/linux/states/reduce/disk-requests';
import * as values from '../../engine/linux/events/values';
import { DIRECTION_OTHER, REQUEST_DISCARD, REQUEST_WRITE } from '../../engine/linux/events/values';
import { I32Column } from '../columns';
import { findInt } from '../hash';
import * as cpus from './cpus';
import { set } from './history';
import * as threads from './threads';

// Bytes of the arguments.
const DEVICE: usize = 0;
const SECTOR_LOW: usize = 4;
const SECTOR_HIGH: usize = 8;
const SECTORS: usize = 12;
const TID: usize = 16;
const FLAGS: usize = 20;
const LETTERS: usize = 24;

/** Flags of a flush, and of a read. */
const FLUSH_BITS: i32 = 0x500;
const READ_BITS: i32 = 0xc;

const TWO_32: f64 = 4294967296;

const NONE: i32 = -1;

let devices: I32Column = changetype<I32Column>(0);
let deviceDisks: I32Column = changetype<I32Column>(0);
let deviceMask: i32 = 0;

/** Directories of the map from devices to disks, of the disks, and of their slots. */
export function placeDisks(index: INDEX, disks: DISK, slot: SLOT): void {
  devices = index.keys;
  deviceDisks = index.values;
  deviceMask = index.capacity - 1;
  DISK.bind(disks);
  SLOT.bind(slot);
}

/** @param args address of the transition's arguments: device, sector (low, high), sectors, tid, flags, letters */
export function insertRequest(cpu: i32, args: usize): bool {
  const disk = diskOf(args);
  // A new slot has new attributes.
  if (disk === NONE || isOdd(disk, args) || DISK.open[disk] === DISK.slots[disk]) return false;
  const slot = takeSlot(disk, cpu, args);
  SLOT.order[slot] = nextOrder(disk);
  set(SLOT.sectorsAttribute[slot], load<u32>(args, SECTORS));
  set(SLOT.state[slot], values.REQUEST_QUEUED);
  return true;
}

/** The one inserted last, or a new one. */
export function issueRequest(cpu: i32, args: usize): bool {
  const disk = diskOf(args);
  if (disk === NONE || isOdd(disk, args)) return false;
  let slot = requestOf(disk, args, 0);
  if (slot === NONE) {
    if (DISK.open[disk] === DISK.slots[disk]) return false;
    slot = takeSlot(disk, cpu, args);
  }
  SLOT.issued[slot] = 1;
  SLOT.order[slot] = nextOrder(disk);
  SLOT.sectors[slot] = <f64>load<i32>(args, SECTORS);
  set(SLOT.sectorsAttribute[slot], load<u32>(args, SECTORS));
  set(SLOT.state[slot], values.REQUEST_ISSUED);
  endMerged(disk, args);
  return true;
}

/** All of the oldest request at the device, or so many of its sectors. */
export function completeRequest(cpu: i32, args: usize): bool {
  const disk = diskOf(args);
  if (disk !== NONE && isOdd(disk, args)) return false;
  cpus.noteWork(cpu, HAS_REQUEST);
  const slot = disk === NONE ? NONE : requestOf(disk, args, 1);
  if (slot === NONE) return true;
  const done = <f64>load<i32>(args, SECTORS);
  if (SLOT.direction[slot] !== values.DIRECTION_FLUSH && done > 0 && done < SLOT.sectors[slot]) {
    SLOT.sector[slot] = SLOT.sector[slot] + done;
    SLOT.sectors[slot] = SLOT.sectors[slot] - done;
  } else endRequest(disk, slot);
  return true;
}

export function mergeRequest(args: usize): bool {
  const disk = diskOf(args);
  if (disk === NONE) return true;
  if (isOdd(disk, args)) return false;
  const slot = requestOf(disk, args, 0);
  if (slot !== NONE) endRequest(disk, slot);
  return true;
}

/** Requests that wait for sectors of one that is issued. */
function endMerged(disk: i32, args: usize): void {
  const direction = directionOf(args);
  if (DISK.open[disk] === 1 || direction === values.DIRECTION_FLUSH) return;
  const first = sectorOf(args);
  const end = first + <f64>load<i32>(args, SECTORS);
  for (let slot = DISK.firstSlot[disk]; slot !== NONE; slot = SLOT.next[slot]) {
    const at = SLOT.sector[slot];
    if (SLOT.issued[slot] === 0 && SLOT.direction[slot] === direction && at > first && at < end)
      endRequest(disk, slot);
  }
}

function endRequest(disk: i32, slot: i32): void {
  SLOT.sector[slot] = FREE;
  SLOT.issued[slot] = 0;
  DISK.open[disk] = DISK.open[disk] - 1;
  set(SLOT.state[slot], GAP);
  set(SLOT.sectorAttribute[slot], GAP);
  set(SLOT.sectorsAttribute[slot], GAP);
  set(SLOT.threadAttribute[slot], GAP);
}

@inline
function diskOf(args: usize): i32 {
  return findInt(devices, deviceDisks, deviceMask, load<i32>(args, DEVICE));
}

/** Whether only the reducer knows what a transition means for a disk. */
@inline
function isOdd(disk: i32, args: usize): bool {
  return DISK.odd[disk] > 0 || load<i32>(args, LETTERS) >= 0;
}

@inline
function nextOrder(disk: i32): f64 {
  const order = DISK.serial[disk] + 1;
  DISK.serial[disk] = order;
  return order;
}

@inline
function threadOf(cpu: i32, args: usize): i32 {
  const tid = load<i32>(args, TID);
  return tid > 0 ? threads.findThread(tid) : CPU.current[cpu];
}

@inline
function sectorOf(args: usize): f64 {
  return <f64>load<u32>(args, SECTOR_LOW) + <f64>load<u32>(args, SECTOR_HIGH) * TWO_32;
}

function directionOf(args: usize): i32 {
  const flags = load<i32>(args, FLAGS);
  const isEmpty = load<i32>(args, SECTORS) === 0;
  if (flags < 0) return isEmpty ? values.DIRECTION_FLUSH : DIRECTION_OTHER;
  if (isEmpty && (flags & FLUSH_BITS) !== 0) return values.DIRECTION_FLUSH;
  if ((flags & REQUEST_DISCARD) !== 0) return values.DIRECTION_DISCARD;
  if ((flags & REQUEST_WRITE) !== 0) return values.DIRECTION_WRITE;
  return (flags & READ_BITS) !== 0 ? values.DIRECTION_READ : DIRECTION_OTHER;
}

/**
 * The request that a transition means: of those at the device (1) the oldest, of those that wait (0) the one inserted
 * last; NONE without one.
 */
function requestOf(disk: i32, args: usize, issued: i32): i32 {
  let found = NONE;
  if (DISK.open[disk] === 0) return found;
  const direction = directionOf(args);
  const sector = sectorOf(args);
  for (let slot = DISK.firstSlot[disk]; slot !== NONE; slot = SLOT.next[slot]) {
    const at = SLOT.sector[slot];
    if (at === FREE || SLOT.direction[slot] !== direction || SLOT.issued[slot] !== issued) continue;
    if (direction !== values.DIRECTION_FLUSH && at !== sector) continue;
    if (found === NONE || SLOT.order[slot] < SLOT.order[found] === (issued === 1)) found = slot;
  }
  return found;
}

/** Gives a request the lowest free slot; there is one. */
function takeSlot(disk: i32, cpu: i32, args: usize): i32 {
  let slot = DISK.firstSlot[disk];
  while (SLOT.sector[slot] !== FREE) slot = SLOT.next[slot];
  const direction = directionOf(args);
  SLOT.sector[slot] = direction === values.DIRECTION_FLUSH ? FLUSH : sectorOf(args);
  SLOT.sectors[slot] = <f64>load<i32>(args, SECTORS);
  SLOT.direction[slot] = direction;
  DISK.open[disk] = DISK.open[disk] + 1;
  set(SLOT.sectorAttribute[slot], min<f64>(sectorOf(args), MOST_VALUE));
  set(SLOT.threadAttribute[slot], <f64>threadOf(cpu, args) + 1);
  return slot;
}
