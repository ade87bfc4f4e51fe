/** Requests to disks that are known and have a slot left: `engine/kernel/reduce/disk-requests.ts`. */
import { capacityOf, columnOf, f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { findInt } from '../int-index';
import * as cpus from './cpus';
import { GAP, MOST_VALUE, set } from './history';
import * as threads from './threads';

// Bytes of the arguments.
const DEVICE: usize = 0;
const SECTOR_LOW: usize = 4;
const SECTOR_HIGH: usize = 8;
const SECTORS: usize = 12;
const TID: usize = 16;

const FREE: f64 = -1;
const FLUSH: f64 = -2;
const TWO_32: f64 = 4294967296;
/** From here on a sector is a negative number. */
const NEGATIVE: f64 = 9.223372036854775808e18;

const REQUEST_QUEUED: f64 = 1;
const REQUEST_ISSUED: f64 = 2;

const NONE: i32 = -1;

let devices: usize = 0;
let deviceDisks: usize = 0;
let deviceMask: i32 = 0;
let firstSlot: usize = 0;
let slots: usize = 0;
let open: usize = 0;
let next: usize = 0;
let sector: usize = 0;
let sectors: usize = 0;
let issued: usize = 0;
let state: usize = 0;
let sectorAttribute: usize = 0;
let sectorsAttribute: usize = 0;
let threadAttribute: usize = 0;

/** Directories of the map from devices to disks, of the disks, and of their slots. */
export function placeDisks(index: usize, disks: usize, slot: usize): void {
  devices = columnOf(index, 0);
  deviceDisks = columnOf(index, 1);
  deviceMask = capacityOf(index, 2) - 1;
  firstSlot = columnOf(disks, 0);
  slots = columnOf(disks, 2);
  open = columnOf(disks, 3);
  next = columnOf(slot, 0);
  sector = columnOf(slot, 1);
  sectors = columnOf(slot, 2);
  issued = columnOf(slot, 3);
  state = columnOf(slot, 4);
  sectorAttribute = columnOf(slot, 5);
  sectorsAttribute = columnOf(slot, 6);
  threadAttribute = columnOf(slot, 7);
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
    if (i32At(open, disk) === i32At(slots, disk)) return false;
    slot = freeSlot(disk);
    setF64(sector, slot, key);
    setI32(open, disk, i32At(open, disk) + 1);
    set(i32At(sectorAttribute, slot), min(sectorOf(args), MOST_VALUE));
    set(i32At(threadAttribute, slot), <f64>threadOf(cpu, args) + 1);
  }
  setU8(issued, slot, isIssued ? 1 : 0);
  setF64(sectors, slot, <f64>load<i32>(args, SECTORS));
  set(i32At(sectorsAttribute, slot), load<u32>(args, SECTORS));
  set(i32At(state, slot), isIssued ? REQUEST_ISSUED : REQUEST_QUEUED);
  return true;
}

export function completeRequest(cpu: i32, args: usize): bool {
  cpus.noteWork(cpu, cpus.HAS_REQUEST);
  return endOrMerge(args);
}

/** All of a request is completed or merged into another one, or so many of its sectors. */
export function endOrMerge(args: usize): bool {
  const disk = diskOf(args);
  if (disk === NONE) return true;
  const slot = slotOf(disk, keyOf(args), false);
  if (slot === NONE) return true;
  const done = <f64>load<i32>(args, SECTORS);
  if (done > 0 && done < f64At(sectors, slot)) {
    setF64(sector, slot, f64At(sector, slot) + done);
    setF64(sectors, slot, f64At(sectors, slot) - done);
  } else endRequest(disk, slot);
  return true;
}

/** Requests that wait for sectors of one that is issued. */
function endMerged(disk: i32, args: usize): void {
  if (i32At(open, disk) === 0) return;
  const first = sectorOf(args);
  const end = first + <f64>load<i32>(args, SECTORS);
  for (let slot = i32At(firstSlot, disk); slot !== NONE; slot = i32At(next, slot)) {
    const at = f64At(sector, slot);
    if (u8At(issued, slot) === 0 && at > first && at < end) endRequest(disk, slot);
  }
}

function endRequest(disk: i32, slot: i32): void {
  setF64(sector, slot, FREE);
  setI32(open, disk, i32At(open, disk) - 1);
  set(i32At(state, slot), GAP);
  set(i32At(sectorAttribute, slot), GAP);
  set(i32At(sectorsAttribute, slot), GAP);
  set(i32At(threadAttribute, slot), GAP);
}

@inline
function diskOf(args: usize): i32 {
  return findInt(devices, deviceDisks, deviceMask, load<i32>(args, DEVICE));
}

@inline
function threadOf(cpu: i32, args: usize): i32 {
  const tid = load<i32>(args, TID);
  return tid > 0 ? threads.findThread(tid) : i32At(cpus.current, cpu);
}

@inline
function sectorOf(args: usize): f64 {
  return <f64>load<u32>(args, SECTOR_LOW) + <f64>load<u32>(args, SECTOR_HIGH) * TWO_32;
}

/** By which the request is known. */
@inline
function keyOf(args: usize): f64 {
  const first = sectorOf(args);
  return load<i32>(args, SECTORS) === 0 && (first === 0 || first >= NEGATIVE) ? FLUSH : first;
}

/** The lowest slot of a disk with a request for this sector, NONE without one. */
function slotOf(disk: i32, key: f64, isQueued: bool): i32 {
  if (i32At(open, disk) === 0) return NONE;
  let slot = i32At(firstSlot, disk);
  while (slot !== NONE && (f64At(sector, slot) !== key || (isQueued && u8At(issued, slot) === 1)))
    slot = i32At(next, slot);
  return slot;
}

/** The lowest one; there is one. */
function freeSlot(disk: i32): i32 {
  let slot = i32At(firstSlot, disk);
  while (f64At(sector, slot) !== FREE) slot = i32At(next, slot);
  return slot;
}
