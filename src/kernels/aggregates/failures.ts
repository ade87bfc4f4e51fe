/** System calls that failed: `FailureReader` of `engine/kernel/call-failures.ts`. */
import { setI32, u8At } from '../columns';
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

// One row per failure, as many as there are rows.
let threads: usize = 0;
let calls: usize = 0;
let errnos: usize = 0;
export let failures: i32 = 0;

/** Who runs, and the event class of the pending call's entry. */
export let failureThread: i32 = 0;
export let failureCall: i32 = 0;

export function placeFailureFields(
  switchMeaning: i32,
  entryMeaning: i32,
  exitMeaning: i32,
  nextTidField: i32,
  retField: i32,
): void {
  switches = switchMeaning;
  entries = entryMeaning;
  exits = exitMeaning;
  nextTid = nextTidField;
  ret = retField;
}

export function placeFailures(threadColumn: usize, callColumn: usize, errnoColumn: usize): void {
  threads = threadColumn;
  calls = callColumn;
  errnos = errnoColumn;
}

/** @param none the event class that stands for no pending call */
export function beginFailures(namedClasses: usize, none: i32, thread: i32, call: i32): void {
  named = namedClasses;
  noCall = none;
  failures = 0;
  failureThread = thread;
  failureCall = call;
}

export function readFailures(from: i32, to: i32): void {
  for (let row = from; row < to; row++) {
    const meaning = meaningOf(row);
    if (meaning === entries) failureCall = classOf(row);
    else if (meaning === switches) changeThread(intOf(wordsOf(row), nextTid));
    else if (meaning === exits) onExit(row);
  }
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
    setI32(threads, failures, failureThread);
    setI32(calls, failures, u8At(named, own) === 1 ? own : failureCall);
    setI32(errnos, failures, -(<i32>value));
    failures++;
  }
  failureCall = noCall;
}
