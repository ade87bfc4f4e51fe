/**
 * Texts of one chunk, each once, as `TextTable` of `engine/kernel/text-table.ts`: told apart by their bytes, which stay
 * where they were first met. May read 8 bytes behind a text.
 */

/** Open addressing by hash, at most half full: i32 index of a text, -1 free. */
let slots: usize = 0;
let slotCount: u32 = 0;
/** By text: i32 address, i32 length, u64 hash. */
let entries: usize = 0;
let count: i32 = 0;
let capacity: i32 = 0;
let isFull: bool = false;

const ENTRY_SHIFT: usize = 4;
const FIRST_SLOTS: u32 = 256;
const MIX: u64 = 0x9e3779b97f4a7c15;

/**
 * Forgets all texts.
 * @param slotsAt room for twice the capacity, a power of two not below FIRST_SLOTS
 * @param entriesAt room for 16 bytes a text
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

export function textEntries(): usize {
  return entries;
}

/** Whether there was a text too many; its index was -1. */
export function textsAreFull(): bool {
  return isFull;
}

/** Index of the text at an address. */
export function textAt(address: usize, length: u32): i32 {
  const hash = hashOf(address, length);
  let slot = <u32>(hash >>> 32) & (slotCount - 1);
  for (let text = slotAt(slot); text >= 0; text = slotAt(slot)) {
    const entry = entries + (<usize>text << ENTRY_SHIFT);
    if (load<u64>(entry, 8) === hash && load<u32>(entry, 4) === length) {
      if (areSame(load<u32>(entry), address, length)) return text;
    }
    slot = (slot + 1) & (slotCount - 1);
  }
  return add(address, length, hash);
}

function add(address: usize, length: u32, hash: u64): i32 {
  if (count === capacity) {
    isFull = true;
    return -1;
  }
  if (<u32>(2 * (count + 1)) > slotCount) widenSlots();
  const entry = entries + (<usize>count << ENTRY_SHIFT);
  store<u32>(entry, <u32>address);
  store<u32>(entry, length, 4);
  store<u64>(entry, hash, 8);
  link(count);
  return count++;
}

function link(text: i32): void {
  let slot = <u32>(load<u64>(entries + (<usize>text << ENTRY_SHIFT), 8) >>> 32) & (slotCount - 1);
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
function slotAt(slot: u32): i32 {
  return load<i32>(slots + (<usize>slot << 2));
}

function hashOf(address: usize, length: u32): u64 {
  let hash: u64 = length;
  for (let at: u32 = 0; at < length; at += 8) {
    hash = (hash ^ piece(address, at, length)) * MIX;
    hash ^= hash >>> 29;
  }
  return hash * MIX;
}

function areSame(a: usize, b: usize, length: u32): bool {
  for (let at: u32 = 0; at < length; at += 8) {
    if (piece(a, at, length) !== piece(b, at, length)) return false;
  }
  return true;
}

/** Up to 8 bytes of a text. */
@inline
function piece(address: usize, at: u32, length: u32): u64 {
  const bytes = load<u64>(address + <usize>at);
  const left = length - at;
  return left < 8 ? bytes & ((<u64>1 << (<u64>left << 3)) - 1) : bytes;
}
