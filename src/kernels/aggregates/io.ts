/** Calls that move bytes, and facts about what they move: `IoTally` of `engine/kernel/io/io-map.ts`. */
import { columnOf, f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { classOf, descriptorOf, hasPair, intOf, meaningOf, textOf, timeOf, wideOf, wordsOf } from '../rows';
import { textsAreFull } from '../texts';
import { addThread, findThread, openThreads, threads, threadsAreFull } from './threads';

// What a row is to i/o; from FACT on, the place of its rule.
const SWITCH: i32 = 1;
const ENTRY: i32 = 2;
const EXIT: i32 = 3;
const FACT: i32 = 4;

/** i32 by fact: its kind, then fields: a to d, wide, text, the name of thread `a`; -1: it has none. */
const RULE: i32 = 8;
const NO_FIELD: i32 = -1;

// Numbers of `engine/kernel/io/io-calls.ts` and `io-leaf.ts`, and of threads of `engine/kernel/unknown-thread.ts`.
const CALL_UNNAMED: i32 = 0;
const THREAD_OPEN: i32 = -1;
const THREAD_LOST: i32 = -2;
const THREAD_NEXT: i32 = -4;
const FACT_NAME: i32 = 3;

/** u8 by meaning; i32 by event class: number of the call, -1 of no interest. */
let actions: usize = 0;
let callOfClass: usize = 0;
let rules: usize = 0;

// Fields.
let prevTid: i32 = 0;
let nextTid: i32 = 0;
let nextComm: i32 = 0;
let fd: i32 = 0;
let fdIn: i32 = 0;
let flags: i32 = 0;
let command: i32 = 0;
let path: i32 = 0;
let ret: i32 = 0;
let pair: i32 = 0;

// Calls; a row is one at most, and so is the end; a loss two, of which a packet has two at most.
let callThread: usize = 0;
let callNumber: usize = 0;
let callEntry: usize = 0;
let callExit: usize = 0;
let callFd: usize = 0;
let callFd2: usize = 0;
let callFlags: usize = 0;
let callPath: usize = 0;
let callRet: usize = 0;
export let calls: i32 = 0;

// Facts; a fact takes a row, and the name of a thread another one in the end.
let factTime: usize = 0;
let factKind: usize = 0;
let factA: usize = 0;
let factB: usize = 0;
let factC: usize = 0;
let factD: usize = 0;
let factWide: usize = 0;
let factText: usize = 0;
export let facts: i32 = 0;

// Names of threads, the latest told of each.
let namedTid: usize = 0;
let namedText: usize = 0;
let namedTime: usize = 0;

// The stay on the CPU (`engine/kernel/io/io-stay.ts`).
export let changed: bool = false;
export let beginThread: i32 = THREAD_LOST;
export let endThread: i32 = THREAD_OPEN;
let pending: i32 = -1;
let entrySeen: bool = false;
let otherSince: f64 = NaN;
let behindLoss: i32 = 0;
let unnamed: bool = false;

/**
 * @param hasUnnamed exits may not say of what
 * @param fields their places
 * @param callTable `callTable`, `factTable`, `nameTable` and `index` are directories of tables
 */
export function beginIo(
  hasUnnamed: bool,
  fields: usize,
  callTable: usize,
  factTable: usize,
  nameTable: usize,
  index: usize,
  actionTable: usize,
  callsOfClasses: usize,
  ruleTable: usize,
): void {
  placeFields(fields);
  placeCalls(callTable);
  placeFacts(factTable);
  namedTid = columnOf(nameTable, 0);
  namedText = columnOf(nameTable, 1);
  namedTime = columnOf(nameTable, 2);
  openThreads(index);
  actions = actionTable;
  callOfClass = callsOfClasses;
  rules = ruleTable;
  calls = 0;
  facts = 0;
  changed = false;
  beginThread = THREAD_LOST;
  endThread = THREAD_OPEN;
  pending = -1;
  entrySeen = false;
  otherSince = NaN;
  unnamed = hasUnnamed;
}

function placeFields(fields: usize): void {
  prevTid = i32At(fields, 0);
  nextTid = i32At(fields, 1);
  nextComm = i32At(fields, 2);
  fd = i32At(fields, 3);
  fdIn = i32At(fields, 4);
  flags = i32At(fields, 5);
  command = i32At(fields, 6);
  path = i32At(fields, 7);
  ret = i32At(fields, 8);
  pair = i32At(fields, 9);
}

function placeCalls(table: usize): void {
  callThread = columnOf(table, 0);
  callNumber = columnOf(table, 1);
  callEntry = columnOf(table, 2);
  callExit = columnOf(table, 3);
  callFd = columnOf(table, 4);
  callFd2 = columnOf(table, 5);
  callFlags = columnOf(table, 6);
  callPath = columnOf(table, 7);
  callRet = columnOf(table, 8);
}

function placeFacts(table: usize): void {
  factTime = columnOf(table, 0);
  factKind = columnOf(table, 1);
  factA = columnOf(table, 2);
  factB = columnOf(table, 3);
  factC = columnOf(table, 4);
  factD = columnOf(table, 5);
  factWide = columnOf(table, 6);
  factText = columnOf(table, 7);
}

export function readIo(from: i32, to: i32, textBase: usize): bool {
  for (let row = from; row < to; row++) {
    const action = u8At(actions, meaningOf(row));
    if (action === ENTRY) onEntry(row, textBase);
    else if (action === EXIT) onExit(row, textBase);
    else if (action === SWITCH) onSwitch(row, textBase);
    else if (action >= FACT) onFact(action - FACT, row, textBase);
  }
  return !(threadsAreFull() || textsAreFull());
}

function onSwitch(row: i32, textBase: usize): void {
  const words = wordsOf(row);
  const next = intOf(words, nextTid);
  change(intOf(words, prevTid), next);
  nameThread(timeOf(row), next, textOf(words, nextComm, textBase));
}

function change(leaves: i32, enters: i32): void {
  if (!changed) beginThread = leaves;
  cutCall();
  if (endThread === THREAD_NEXT) ranSinceLoss(leaves);
  changed = true;
  endThread = enters;
  pending = -1;
  entrySeen = false;
}

/** The pending call ends in another stay or chunk, if at all. */
export function cutCall(): void {
  if (unnamed && otherSince === otherSince) setF64(callEntry, addCall(CALL_UNNAMED), otherSince);
  otherSince = NaN;
}

/** Events were lost since a time: of who ran before and who runs behind it no call is closed that was pending. */
export function loseIo(since: f64): void {
  if (pending >= 0) setF64(callExit, pending, Infinity);
  // Perhaps one that began in another stay, or before this chunk.
  else loseCall(since);
  otherSince = NaN;
  change(THREAD_LOST, THREAD_NEXT);
  behindLoss = calls;
  loseCall(since);
}

/** Of the thread that runs. */
function loseCall(since: f64): void {
  const row = addCall(CALL_UNNAMED);
  setF64(callEntry, row, since);
  setF64(callExit, row, Infinity);
}

function ranSinceLoss(thread: i32): void {
  for (let row = behindLoss; row < calls; row++)
    if (i32At(callThread, row) === THREAD_NEXT) setI32(callThread, row, thread);
}

function onEntry(row: i32, textBase: usize): void {
  const call = i32At(callOfClass, classOf(row));
  entrySeen = true;
  otherSince = call <= CALL_UNNAMED ? timeOf(row) : NaN;
  pending = call <= CALL_UNNAMED ? -1 : addCall(call);
  if (pending < 0) return;
  const words = wordsOf(row);
  const own = intOf(words, command);
  setF64(callEntry, pending, timeOf(row));
  setI32(callFd, pending, intOf(words, fd));
  setI32(callFd2, pending, intOf(words, fdIn));
  setI32(callFlags, pending, own < 0 ? intOf(words, flags) : own);
  setI32(callPath, pending, textOf(words, path, textBase));
}

function onExit(row: i32, textBase: usize): void {
  const call = i32At(callOfClass, classOf(row));
  let ended = pending;
  pending = -1;
  otherSince = NaN;
  if (ended >= 0 && call !== CALL_UNNAMED && call !== u8At(callNumber, ended)) ended = -1;
  if (ended < 0) {
    // The end of a call of no interest; unnamed ones are that when their entry was seen in this stay.
    if (call < 0 || (call === CALL_UNNAMED && entrySeen)) return;
    ended = addCall(call);
  }
  setF64(callExit, ended, timeOf(row));
  const words = wordsOf(row);
  setF64(callRet, ended, wideOf(words, ret, NaN));
  entrySeen = true;
  if (!hasPair(words, pair)) return;
  setI32(callFd, ended, descriptorOf(words, pair, 0, textBase));
  setI32(callFd2, ended, descriptorOf(words, pair, 1, textBase));
}

/** A row of which only thread and call are known. */
function addCall(call: i32): i32 {
  const row = calls++;
  setI32(callThread, row, endThread);
  setU8(callNumber, row, call);
  setF64(callEntry, row, NaN);
  setF64(callExit, row, NaN);
  setI32(callFd, row, -1);
  setI32(callFd2, row, -1);
  setI32(callFlags, row, 0);
  setI32(callPath, row, -1);
  setF64(callRet, row, NaN);
  return row;
}

function onFact(fact: i32, row: i32, textBase: usize): void {
  const rule = fact * RULE;
  const words = wordsOf(row);
  const time = timeOf(row);
  const a = partOf(words, rule + 1);
  const direction = partOf(words, rule + 4);
  const wide = i32At(rules, rule + 5);
  addFact(
    time,
    i32At(rules, rule),
    a,
    partOf(words, rule + 2),
    partOf(words, rule + 3),
    i32At(rules, rule + 4) === NO_FIELD ? direction : direction & 3,
    wide === NO_FIELD ? 0 : wideOf(words, wide, 0),
    textPartOf(words, rule + 6, textBase),
  );
  nameThread(time, a, textPartOf(words, rule + 7, textBase));
}

function partOf(words: usize, rule: i32): i32 {
  const field = i32At(rules, rule);
  return field === NO_FIELD ? -1 : intOf(words, field);
}

function textPartOf(words: usize, rule: i32, textBase: usize): i32 {
  const field = i32At(rules, rule);
  return field === NO_FIELD ? -1 : textOf(words, field, textBase);
}

function addFact(time: f64, kind: i32, a: i32, b: i32, c: i32, d: i32, wide: f64, text: i32): void {
  const row = facts++;
  setF64(factTime, row, time);
  setU8(factKind, row, kind);
  setI32(factA, row, a);
  setI32(factB, row, b);
  setI32(factC, row, c);
  setI32(factD, row, d);
  setF64(factWide, row, wide);
  setI32(factText, row, text);
}

function nameThread(time: f64, tid: i32, text: i32): void {
  if (text < 0 || tid <= 0) return;
  let row = findThread(tid);
  if (row < 0) row = addThread(tid);
  else if (time < f64At(namedTime, row)) return;
  if (row < 0) return;
  setI32(namedTid, row, tid);
  setI32(namedText, row, text);
  setF64(namedTime, row, time);
}

/** Names of threads as facts, in order of the first mention. */
export function addNames(): void {
  for (let row = 0; row < threads; row++)
    addFact(f64At(namedTime, row), FACT_NAME, i32At(namedTid, row), -1, -1, -1, 0, i32At(namedText, row));
}
