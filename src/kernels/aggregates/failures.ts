/** System calls that failed: `FailureTally` of `engine/kernel/calls/failure-tally.ts`. */
import { capacityOf, columnOf, f64At, i32At, setF64, setI32, u8At } from '../columns';
import { firstSlot, hashOf } from '../hash';
import { classOf, intOf, meaningOf, wideOf, wordsOf } from '../rows';

/** What is below the kernel's error numbers is an address. */
const MOST_ERRORS: f64 = 4096;

// Numbers of the meanings, and fields.
let switches: i32 = 0;
let entries: i32 = 0;
let exits: i32 = 0;
let nextTid: i32 = 0;
let ret: i32 = 0;
/** By event class: 1 when it says of what call it is. */
let named: usize = 0;
let noCall: i32 = 0;

// Failures by thread, event class and number: open addressing, at most half full; count 0: free.
let threads: usize = 0;
let calls: usize = 0;
let errnos: usize = 0;
let counts: usize = 0;
let mask: i32 = 0;
let used: i32 = 0;
let isFull: bool = false;

/** Who runs, and the event class of the pending call's entry. */
export let failureThread: i32 = 0;
export let failureCall: i32 = 0;

/**
 * @param fields numbers of the meanings of switches, entries and exits, then fields
 * @param failures directory of a table with a power of two of rows, whose counts are all 0
 * @param none the event class that stands for no pending call
 */
export function beginFailures(
  fields: usize,
  failures: usize,
  namedClasses: usize,
  none: i32,
  thread: i32,
  call: i32,
): void {
  switches = i32At(fields, 0);
  entries = i32At(fields, 1);
  exits = i32At(fields, 2);
  nextTid = i32At(fields, 3);
  ret = i32At(fields, 4);
  threads = columnOf(failures, 0);
  calls = columnOf(failures, 1);
  errnos = columnOf(failures, 2);
  counts = columnOf(failures, 3);
  mask = capacityOf(failures, 5) - 1;
  named = namedClasses;
  noCall = none;
  used = 0;
  isFull = false;
  failureThread = thread;
  failureCall = call;
}

export function readFailures(from: i32, to: i32): bool {
  for (let row = from; row < to; row++) {
    const meaning = meaningOf(row);
    if (meaning === entries) failureCall = classOf(row);
    else if (meaning === switches) changeThread(intOf(wordsOf(row), nextTid));
    else if (meaning === exits) onExit(row);
  }
  return !isFull;
}

/** Another thread is switched in, or nobody knows who runs. */
export function changeThread(thread: i32): void {
  failureThread = thread;
  failureCall = noCall;
}

function onExit(row: i32): void {
  const value = wideOf(wordsOf(row), ret, 0);
  if (value < 0 && value > -MOST_ERRORS) {
    const own = classOf(row);
    count(failureThread, u8At(named, own) === 1 ? own : failureCall, -(<i32>value));
  }
  failureCall = noCall;
}

function count(thread: i32, call: i32, errno: i32): void {
  let slot = firstSlot(hashOf(hashOf(hashOf(thread) ^ call) ^ errno), mask);
  while (f64At(counts, slot) !== 0 && !isOf(slot, thread, call, errno)) slot = (slot + 1) & mask;
  if (f64At(counts, slot) === 0) {
    if (used > mask >> 1) {
      isFull = true;
      return;
    }
    used++;
    setI32(threads, slot, thread);
    setI32(calls, slot, call);
    setI32(errnos, slot, errno);
  }
  setF64(counts, slot, f64At(counts, slot) + 1);
}

@inline
function isOf(slot: i32, thread: i32, call: i32, errno: i32): bool {
  return i32At(threads, slot) === thread && i32At(calls, slot) === call && i32At(errnos, slot) === errno;
}

/** Moves what there is to the first rows, as it comes; gives how many they are. */
export function packFailures(): i32 {
  let length = 0;
  for (let slot = 0; length < used; slot++) {
    if (f64At(counts, slot) === 0) continue;
    setI32(threads, length, i32At(threads, slot));
    setI32(calls, length, i32At(calls, slot));
    setI32(errnos, length, i32At(errnos, slot));
    setF64(counts, length++, f64At(counts, slot));
  }
  return length;
}
