/** Requests to disks that are known and have a slot left: `engine/linux/states/reduce/disk-requests.ts`. */
import { GAP, MOST_VALUE } from '../../engine/history/intervals';
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { CPU, HAS_REQUEST } from '../../engine/linux/states/reduce/cpu-table';
import { DISK, FLUSH, FREE, NEGATIVE, SLOT } from '../../engine/linux/states/reduce/disk-requests';
import { REQUEST_ISSUED, REQUEST_QUEUED } from '../../engine/linux/events/values';
import { I32Column } from '../columns';
import { findInt } from '../int-index';
import * as cpus from './cpus';
import { set } from './history';
import * as threads from './threads';

// Bytes of the arguments.
const DEVICE: usize = 0;
const SECTOR_LOW: usize = 4;
const SECTOR_HIGH: usize = 8;
const SECTORS: usize = 12;
const TID: usize = 16;

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

/** @param args address of the transition's arguments: device, sector (low, high), sectors, tid of the issuer */
export function beginRequest(cpu: i32, args: usize, isIssued: bool): bool {
  const disk = diskOf(args);
  if (disk === NONE) return false;
  const key = keyOf(args);
  if (isIssued) endMerged(disk, args);
  let slot = slotOf(disk, key, key === FLUSH);
  if (slot === NONE) {
    // A new slot has new attributes.
    if (DISK.open[disk] === DISK.slots[disk]) return false;
    slot = freeSlot(disk);
    SLOT.sector[slot] = key;
    DISK.open[disk] = DISK.open[disk] + 1;
    set(SLOT.sectorAttribute[slot], min<f64>(sectorOf(args), MOST_VALUE));
    set(SLOT.threadAttribute[slot], <f64>threadOf(cpu, args) + 1);
  }
  SLOT.issued[slot] = isIssued ? 1 : 0;
  SLOT.sectors[slot] = <f64>load<i32>(args, SECTORS);
  set(SLOT.sectorsAttribute[slot], load<u32>(args, SECTORS));
  set(SLOT.state[slot], isIssued ? REQUEST_ISSUED : REQUEST_QUEUED);
  return true;
}

export function completeRequest(cpu: i32, args: usize): bool {
  cpus.noteWork(cpu, HAS_REQUEST);
  return endOrMerge(args);
}

/** All of a request is completed or merged into another one, or so many of its sectors. */
export function endOrMerge(args: usize): bool {
  const disk = diskOf(args);
  if (disk === NONE) return true;
  const slot = slotOf(disk, keyOf(args), false);
  if (slot === NONE) return true;
  const done = <f64>load<i32>(args, SECTORS);
  if (done > 0 && done < SLOT.sectors[slot]) {
    SLOT.sector[slot] = SLOT.sector[slot] + done;
    SLOT.sectors[slot] = SLOT.sectors[slot] - done;
  } else endRequest(disk, slot);
  return true;
}

/** Requests that wait for sectors of one that is issued. */
function endMerged(disk: i32, args: usize): void {
  if (DISK.open[disk] === 0) return;
  const first = sectorOf(args);
  const end = first + <f64>load<i32>(args, SECTORS);
  for (let slot = DISK.firstSlot[disk]; slot !== NONE; slot = SLOT.next[slot]) {
    const at = SLOT.sector[slot];
    if (SLOT.issued[slot] === 0 && at > first && at < end) endRequest(disk, slot);
  }
}

function endRequest(disk: i32, slot: i32): void {
  SLOT.sector[slot] = FREE;
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

@inline
function threadOf(cpu: i32, args: usize): i32 {
  const tid = load<i32>(args, TID);
  return tid > 0 ? threads.findThread(tid) : CPU.current[cpu];
}

@inline
function sectorOf(args: usize): f64 {
  return <f64>load<u32>(args, SECTOR_LOW) + <f64>load<u32>(args, SECTOR_HIGH) * TWO_32;
}

/** Key by which the request is known. */
@inline
function keyOf(args: usize): f64 {
  const first = sectorOf(args);
  return load<i32>(args, SECTORS) === 0 && (first === 0 || first >= NEGATIVE) ? FLUSH : first;
}

/** The lowest slot of a disk with a request for this sector, NONE without one. */
function slotOf(disk: i32, key: f64, isQueued: bool): i32 {
  if (DISK.open[disk] === 0) return NONE;
  let slot = DISK.firstSlot[disk];
  while (slot !== NONE && (SLOT.sector[slot] !== key || (isQueued && SLOT.issued[slot] === 1)))
    slot = SLOT.next[slot];
  return slot;
}

/** The lowest one; there is one. */
function freeSlot(disk: i32): i32 {
  let slot = DISK.firstSlot[disk];
  while (SLOT.sector[slot] !== FREE) slot = SLOT.next[slot];
  return slot;
}
