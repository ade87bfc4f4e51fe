/**
 * Texts of one chunk, each once, as `TextTable` of `engine/linux/events/text-table.ts`: distinguished by their bytes, which stay
 * where they were first met. Most are names of threads, which two words hold. Up to 8 bytes behind a text are read.
 */
import { ENTRY_BYTES } from '../engine/analysis/compiled/row-kernel';
import { firstSlotOfWide, wideHashOf } from './hash';

/** Bytes of a text that two words hold. */
const WORDS: u32 = 16;

/** Open addressing by hash, at most half full: i32 index of a text, -1 free. */
let slots: usize = 0;
let slotCount: u32 = 0;
/** Entries by text, see ENTRY. */
let entries: usize = 0;
let count: i32 = 0;
let capacity: i32 = 0;
let isFull: bool = false;

/** ENTRY_BYTES: i32 address, i32 bytes; u64, u64: the text itself where it fits, else a hash of it and 0. */
const ENTRY_LENGTH: usize = 4;
const ENTRY_LOW: usize = 8;
const ENTRY_HIGH: usize = 16;

const FIRST_SLOTS: u32 = 256;

/**
 * Forgets all texts.
 * @param slotsAt room for twice the capacity, a power of two not below FIRST_SLOTS
 * @param entriesAt room for ENTRY_BYTES a text, 8-aligned
 */
export function openTexts(slotsAt: usize, entriesAt: usize, most: i32): void {
  slots = slotsAt;
  entries = entriesAt;
  capacity = most;
  count = 0;
  isFull = false;
  clearSlots(FIRST_SLOTS);
}

export function textCount(): i32 {
  return count;
}

/** Where the first entry is. */
export function textEntries(): usize {
  return entries;
}

/** Whether there was a text too many; its index was -1. */
export function textsAreFull(): bool {
  return isFull;
}

/** Index of the text at an address. */
export function textAt(address: usize, length: u32): i32 {
  const low = length <= WORDS ? wordAt(address, length) : hashOfWords(address, length);
  const high = length > 8 && length <= WORDS ? wordAt(address + 8, length - 8) : 0;
  let slot = slotOf(low, high);
  for (let text = slotAt(slot); text >= 0; text = slotAt(slot)) {
    const entry = entryOf(text);
    if (
      load<u64>(entry, ENTRY_LOW) === low &&
      load<u64>(entry, ENTRY_HIGH) === high &&
      load<u32>(entry, ENTRY_LENGTH) === length &&
      (length <= WORDS || memory.compare(load<u32>(entry), address, length) === 0)
    ) {
      return text;
    }
    slot = (slot + 1) & (slotCount - 1);
  }
  return add(address, length, low, high);
}

function add(address: usize, length: u32, low: u64, high: u64): i32 {
  if (count === capacity) {
    isFull = true;
    return -1;
  }
  if (<u32>(2 * (count + 1)) > slotCount) widenSlots();
  const entry = entryOf(count);
  store<u32>(entry, <u32>address);
  store<u32>(entry, length, ENTRY_LENGTH);
  store<u64>(entry, low, ENTRY_LOW);
  store<u64>(entry, high, ENTRY_HIGH);
  link(count);
  return count++;
}

function link(text: i32): void {
  const entry = entryOf(text);
  let slot = slotOf(load<u64>(entry, ENTRY_LOW), load<u64>(entry, ENTRY_HIGH));
  while (slotAt(slot) >= 0) slot = (slot + 1) & (slotCount - 1);
  store<i32>(slots + (<usize>slot << 2), text);
}

function widenSlots(): void {
  clearSlots(2 * slotCount);
  for (let text = 0; text < count; text++) link(text);
}

function clearSlots(wanted: u32): void {
  slotCount = wanted;
  memory.fill(slots, 0xff, <usize>wanted << 2);
}

@inline
function entryOf(text: i32): usize {
  return entries + <usize>text * ENTRY_BYTES;
}

@inline
function slotAt(slot: u32): i32 {
  return load<i32>(slots + (<usize>slot << 2));
}

@inline
function slotOf(low: u64, high: u64): u32 {
  return firstSlotOfWide(wideHashOf(wideHashOf(low) ^ high), slotCount - 1);
}

function hashOfWords(address: usize, length: u32): u64 {
  let hash: u64 = length;
  for (let at: u32 = 0; at < length; at += 8) hash = wideHashOf(hash ^ wordAt(address + at, length - at));
  return hash;
}

/** The first 8 bytes of the `left` ones at an address; those that are not there are 0. */
@inline
function wordAt(address: usize, left: u32): u64 {
  const bytes = load<u64>(address);
  return left < 8 ? bytes & ((<u64>1 << (<u64>left << 3)) - 1) : bytes;
}
