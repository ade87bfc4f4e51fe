/** System calls that failed (`engine/linux/sums/calls/failure-chunk.ts`). */
import { FAILURES, MOST_ERRORS } from '../../engine/linux/sums/calls/failure-chunk';
import { FAILURE_NUMBERS } from '../../engine/linux/sums/calls/call-failures';
import { THREAD_ELSEWHERE } from '../../engine/linux/events/values';
import { I32Column, U8Column } from '../columns';
import { firstSlot, hashOf } from '../hash';
import { classOf, intOf, kindOf, timeOf, wideOf, wordsOf } from '../rows';

// Numbers of the kinds, and fields.
let switches: i32 = 0;
let entries: i32 = 0;
let exits: i32 = 0;
let nextTid: i32 = 0;
let ret: i32 = 0;
/** Flag of each event class: 1 when it says of what call it is. */
let named: U8Column = changetype<U8Column>(0);
let noCall: i32 = 0;

// Failures by thread, event class, number and time: open addressing, at most half full; count 0: free.
let mask: i32 = 0;
let used: i32 = 0;
let isFull: bool = false;

/** Thread that runs, and the event class of the pending call's entry. */
export let failureThread: i32 = 0;
export let failureCall: i32 = 0;

/**
 * @param fields numbers of the kinds of switches, entries and exits, then fields
 * @param failures directory of a table with a power of two of rows, whose counts are all 0
 * @param none the event class that stands for no pending call
 */
export function beginFailures(
  fields: I32Column,
  failures: FAILURES,
  namedClasses: U8Column,
  none: i32,
  thread: i32,
  call: i32,
): void {
  switches = fields[FAILURE_NUMBERS.switches];
  entries = fields[FAILURE_NUMBERS.entries];
  exits = fields[FAILURE_NUMBERS.exits];
  nextTid = fields[FAILURE_NUMBERS.nextTid];
  ret = fields[FAILURE_NUMBERS.ret];
  FAILURES.bind(failures);
  mask = failures.capacity - 1;
  named = namedClasses;
  noCall = none;
  used = 0;
  isFull = false;
  failureThread = thread;
  failureCall = call;
}

export function readFailures(from: i32, to: i32): bool {
  for (let row = from; row < to; row++) {
    const kind = kindOf(row);
    if (kind === entries) failureCall = classOf(row);
    else if (kind === switches) changeThread(intOf(wordsOf(row), nextTid));
    else if (kind === exits) onExit(row);
  }
  return !isFull;
}

/** Another thread is switched in, or it is not known who runs. */
export function changeThread(thread: i32): void {
  failureThread = thread;
  failureCall = noCall;
}

function onExit(row: i32): void {
  const value = wideOf(wordsOf(row), ret, 0);
  if (value < 0 && value > -MOST_ERRORS) {
    const own = classOf(row);
    const isElsewhere = failureThread === THREAD_ELSEWHERE;
    // The pending call may be another thread's.
    const unnamed = isElsewhere ? noCall : failureCall;
    count(failureThread, named[own] === 1 ? own : unnamed, -(<i32>value), isElsewhere ? timeOf(row) : 0);
  }
  failureCall = noCall;
}

function count(thread: i32, call: i32, errno: i32, time: f64): void {
  let slot = firstSlot(hashOf(hashOfTime(hashOf(hashOf(thread) ^ call), time) ^ errno), mask);
  while (FAILURES.count[slot] !== 0 && !isOf(slot, thread, call, errno, time)) slot = (slot + 1) & mask;
  if (FAILURES.count[slot] === 0) {
    if (used > mask >> 1) {
      isFull = true;
      return;
    }
    used++;
    FAILURES.tid[slot] = thread;
    FAILURES.call[slot] = call;
    FAILURES.errno[slot] = errno;
    FAILURES.time[slot] = time;
  }
  FAILURES.count[slot] = FAILURES.count[slot] + 1;
}

@inline
function hashOfTime(hash: i32, time: f64): i32 {
  const bits = reinterpret<i64>(time);
  return hashOf(hashOf(hash ^ <i32>bits) ^ <i32>(bits >> 32));
}

@inline
function isOf(slot: i32, thread: i32, call: i32, errno: i32, time: f64): bool {
  const isCall = FAILURES.tid[slot] === thread && FAILURES.call[slot] === call && FAILURES.errno[slot] === errno;
  return isCall && FAILURES.time[slot] === time;
}

/** Moves what there is to the first rows, as it comes; gives how many they are. */
export function packFailures(): i32 {
  let length = 0;
  for (let slot = 0; length < used; slot++) {
    if (FAILURES.count[slot] === 0) continue;
    FAILURES.tid[length] = FAILURES.tid[slot];
    FAILURES.call[length] = FAILURES.call[slot];
    FAILURES.errno[length] = FAILURES.errno[slot];
    FAILURES.time[length] = FAILURES.time[slot];
    FAILURES.count[length++] = FAILURES.count[slot];
  }
  return length;
}
