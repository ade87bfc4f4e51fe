/** Time on the CPU by thread: `UsageTally` of `engine/kernel/usage/usage-tally.ts`. */
import { columnOf, f64At, i32At, setF64, setI32 } from '../columns';
import { hasField, intOf, meaningOf, textAddress, textLength, timeOf, wordsOf } from '../rows';
import { textAt, textsAreFull } from '../texts';
import { addThread, findThread, openThreads, threads, threadsAreFull } from './threads';

const THREAD_UNKNOWN: i32 = -1;
const LONGEST_SUM: f64 = 9007199254740992;

// Number of the meaning, and fields.
let switches: i32 = 0;
let prevTid: i32 = 0;
let prevComm: i32 = 0;
let nextTid: i32 = 0;
let nextComm: i32 = 0;

// By thread (`engine/kernel/usage/execution-sums.ts`); beside that where its name lies, of -1 bytes: none was told.
let tids: usize = 0;
let ns: usize = 0;
let longest: usize = 0;
let runs: usize = 0;
let names: usize = 0;
let namedAt: usize = 0;
let nameAddress: usize = 0;
let nameLength: usize = 0;

export let firstChange: f64 = NaN;
export let beginTid: i32 = 0;
export let lastChange: f64 = NaN;
export let endTid: i32 = 0;

/** @param fields number of the meaning, then its fields; all others are directories of tables */
export function beginUsage(fields: usize, executions: usize, namePlaces: usize, index: usize): void {
  switches = i32At(fields, 0);
  prevTid = i32At(fields, 1);
  prevComm = i32At(fields, 2);
  nextTid = i32At(fields, 3);
  nextComm = i32At(fields, 4);
  tids = columnOf(executions, 0);
  ns = columnOf(executions, 1);
  longest = columnOf(executions, 2);
  runs = columnOf(executions, 3);
  names = columnOf(executions, 4);
  namedAt = columnOf(executions, 5);
  nameAddress = columnOf(namePlaces, 0);
  nameLength = columnOf(namePlaces, 1);
  openThreads(index);
  firstChange = NaN;
  beginTid = THREAD_UNKNOWN;
  lastChange = NaN;
  endTid = THREAD_UNKNOWN;
}

export function readUsage(from: i32, to: i32, textBase: usize): bool {
  for (let row = from; row < to; row++) if (meaningOf(row) === switches) onSwitch(row, textBase);
  return !threadsAreFull();
}

function onSwitch(row: i32, textBase: usize): void {
  const words = wordsOf(row);
  const time = timeOf(row);
  const leaves = intOf(words, prevTid);
  const enters = intOf(words, nextTid);
  changeRunning(time, leaves, enters);
  nameThread(threadOf(leaves), words, prevComm, time, textBase);
  const entered = threadOf(enters);
  nameThread(entered, words, nextComm, time, textBase);
  setF64(runs, entered, f64At(runs, entered) + 1);
}

/** Who runs changes; `enters` THREAD_UNKNOWN: nobody knows to whom. */
export function changeRunning(time: f64, leaves: i32, enters: i32): void {
  if (isNaN(firstChange)) {
    firstChange = time;
    beginTid = leaves;
  } else if (endTid !== THREAD_UNKNOWN) {
    addRun(threadOf(endTid), time - lastChange);
  }
  lastChange = time;
  endTid = enters;
}

function addRun(thread: i32, length: f64): void {
  if (!(length > 0)) return;
  setF64(ns, thread, min(LONGEST_SUM, f64At(ns, thread) + length));
  if (length > f64At(longest, thread)) setF64(longest, thread, length);
}

function nameThread(thread: i32, words: usize, comm: i32, time: f64, textBase: usize): void {
  if (!hasField(words, comm) || time < f64At(namedAt, thread)) return;
  setF64(namedAt, thread, time);
  setI32(nameAddress, thread, <i32>textAddress(words, comm, textBase));
  setI32(nameLength, thread, textLength(words, comm));
}

/** The row of a thread, made at its first mention. */
function threadOf(tid: i32): i32 {
  const known = findThread(tid);
  return known < 0 ? newThread(tid) : known;
}

function newThread(tid: i32): i32 {
  const thread = addThread(tid);
  if (thread < 0) return 0;
  setI32(tids, thread, tid);
  setF64(ns, thread, 0);
  setF64(longest, thread, 0);
  setF64(runs, thread, 0);
  setF64(namedAt, thread, -Infinity);
  setI32(nameLength, thread, -1);
  return thread;
}

/** Texts of the names that threads have in the end; false: there are too many, or too many threads. */
export function nameExecutions(): bool {
  for (let thread = 0; thread < threads; thread++) {
    const length = i32At(nameLength, thread);
    setI32(names, thread, length < 0 ? -1 : textAt(i32At(nameAddress, thread), length));
  }
  return !(threadsAreFull() || textsAreFull());
}
