/** Calls that move bytes, and facts about what they move (`engine/linux/sums/io/io-chunk.ts`). */
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { CALL_UNNAMED } from '../../engine/linux/sums/io/io-calls';
import { CALLS, FACT_NAME, FACTS, NAMES } from '../../engine/linux/sums/io/io-chunk';
import { ENTRY, EXIT, FACT, IO_FIELDS, IO_RULE, SWITCH } from '../../engine/linux/sums/io/io-chunk-reader';
import { THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../../engine/linux/events/values';
import { I32Column, U8Column } from '../columns';
import { classOf, descriptorOf, hasPair, intOf, kindOf, textOf, timeOf, wideOf, wordsOf } from '../rows';
import { textsAreFull } from '../texts';
import { findInt, putInt } from '../hash';

/** Place of the field of a rule that has none. */
const NO_FIELD: i32 = -1;

/** Meaning of a row for i/o, by kind; from FACT on, the place of its rule. */
let actions: U8Column = changetype<U8Column>(0);
/** Number of the call, by event class; -1 of no interest. */
let callOfClass: I32Column = changetype<I32Column>(0);
/** Rule of each fact, see IO_RULE. */
let rules: I32Column = changetype<I32Column>(0);
/** Places of fields (IO_FIELDS). */
let fields: I32Column = changetype<I32Column>(0);

/** A row is one at most, and so is the end; a loss two, of which a packet has two at most. */
export let calls: i32 = 0;
/** A fact takes a row, and the name of a thread another one in the end. */
export let facts: i32 = 0;

// The stay on the CPU: since the switch before.
export let changed: bool = false;
export let beginThread: i32 = THREAD_LOST;
export let endThread: i32 = THREAD_OPEN;
export let pending: i32 = -1;
/** Row of the exit of a call that began before the chunk, in the stay that goes on from there; -1 none. */
export let closing: i32 = -1;
/** An entry, an exit, a switch or a loss ended what was pending before the chunk. */
export let endsPending: bool = false;
let entrySeen: bool = false;
let otherSince: f64 = NaN;
let behindLoss: i32 = 0;
let unnamed: bool = false;

/**
 * @param hasUnnamed exits may not say of what
 * @param places of fields
 * @param callTable `callTable`, `factTable`, `nameTable` and `index` are directories of tables
 * @param index twice as many slots as there may be threads, a power of two; all values are -1
 */
export function beginIo(
  hasUnnamed: bool,
  places: I32Column,
  callTable: CALLS,
  factTable: FACTS,
  nameTable: NAMES,
  index: INDEX,
  actionTable: U8Column,
  callsOfClasses: I32Column,
  ruleTable: I32Column,
): void {
  fields = places;
  CALLS.bind(callTable);
  FACTS.bind(factTable);
  NAMES.bind(nameTable);
  keys = index.keys;
  values = index.values;
  mask = index.capacity - 1;
  threads = 0;
  isFull = false;
  actions = actionTable;
  callOfClass = callsOfClasses;
  rules = ruleTable;
  calls = 0;
  facts = 0;
  changed = false;
  beginThread = THREAD_LOST;
  endThread = THREAD_OPEN;
  pending = -1;
  closing = -1;
  endsPending = false;
  entrySeen = false;
  otherSince = NaN;
  unnamed = hasUnnamed;
}

export function readIo(from: i32, to: i32, textBase: usize): bool {
  for (let row = from; row < to; row++) {
    const action = actions[kindOf(row)];
    if (action === ENTRY) onEntry(row, textBase);
    else if (action === EXIT) onExit(row, textBase);
    else if (action === SWITCH) onSwitch(row, textBase);
    else if (action >= FACT) onFact(action - FACT, row, textBase);
  }
  return !(isFull || textsAreFull());
}

function onSwitch(row: i32, textBase: usize): void {
  const words = wordsOf(row);
  const next = intOf(words, fields[IO_FIELDS.next_tid]);
  change(intOf(words, fields[IO_FIELDS.prev_tid]), next);
  nameThread(timeOf(row), next, textOf(words, fields[IO_FIELDS.next_comm], textBase));
}

function change(leaves: i32, enters: i32): void {
  if (!changed) beginThread = leaves;
  cutCall();
  if (endThread === THREAD_NEXT) ranSinceLoss(leaves);
  changed = true;
  endsPending = true;
  endThread = enters;
  pending = -1;
  entrySeen = false;
}

/** The pending call ends in another stay or chunk, if at all. */
export function cutCall(): void {
  if (unnamed && otherSince === otherSince) CALLS.entry[addCall(CALL_UNNAMED)] = otherSince;
  otherSince = NaN;
}

/** Events were lost since a time: of who ran before and who runs behind it no call is closed that was pending. */
export function loseIo(since: f64): void {
  if (pending >= 0) CALLS.exit[pending] = Infinity;
  // Perhaps one that began in another stay, or before this chunk.
  else loseCall(since);
  otherSince = NaN;
  change(THREAD_LOST, THREAD_NEXT);
  behindLoss = calls;
  loseCall(since);
}

/** Adds an unnamed call of the thread that runs, from `since` on, whose exit was lost. */
function loseCall(since: f64): void {
  const row = addCall(CALL_UNNAMED);
  CALLS.entry[row] = since;
  CALLS.exit[row] = Infinity;
}

function ranSinceLoss(thread: i32): void {
  for (let row = behindLoss; row < calls; row++)
    if (CALLS.thread[row] === THREAD_NEXT) CALLS.thread[row] = thread;
}

function onEntry(row: i32, textBase: usize): void {
  const call = callOfClass[classOf(row)];
  entrySeen = true;
  endsPending = true;
  otherSince = call <= CALL_UNNAMED ? timeOf(row) : NaN;
  pending = call <= CALL_UNNAMED ? -1 : addCall(call);
  if (pending < 0) return;
  const words = wordsOf(row);
  const own = intOf(words, fields[IO_FIELDS.cmd]);
  CALLS.entry[pending] = timeOf(row);
  CALLS.fd[pending] = intOf(words, fields[IO_FIELDS.fd]);
  CALLS.fd2[pending] = intOf(words, fields[IO_FIELDS.fd_in]);
  CALLS.flags[pending] = own < 0 ? intOf(words, fields[IO_FIELDS.flags]) : own;
  CALLS.path[pending] = textOf(words, fields[IO_FIELDS.filename], textBase);
}

function onExit(row: i32, textBase: usize): void {
  const call = callOfClass[classOf(row)];
  let ended = pending;
  const isFirst = !endsPending;
  pending = -1;
  endsPending = true;
  otherSince = NaN;
  if (ended >= 0 && call !== CALL_UNNAMED && call !== CALLS.call[ended]) ended = -1;
  if (ended < 0) {
    // The end of a call of no interest; unnamed ones are that when their entry was seen in this stay.
    if (call < 0 || (call === CALL_UNNAMED && entrySeen)) return;
    ended = addCall(call);
    if (isFirst) closing = ended;
  }
  CALLS.exit[ended] = timeOf(row);
  const words = wordsOf(row);
  CALLS.ret[ended] = wideOf(words, fields[IO_FIELDS.ret], NaN);
  entrySeen = true;
  if (!hasPair(words, fields[IO_FIELDS.pair])) return;
  CALLS.fd[ended] = descriptorOf(words, fields[IO_FIELDS.pair], 0, textBase);
  CALLS.fd2[ended] = descriptorOf(words, fields[IO_FIELDS.pair], 1, textBase);
}

/** A row of which only thread and call are known. */
function addCall(call: i32): i32 {
  const row = calls++;
  CALLS.thread[row] = endThread;
  CALLS.call[row] = call;
  CALLS.entry[row] = NaN;
  CALLS.exit[row] = NaN;
  CALLS.fd[row] = -1;
  CALLS.fd2[row] = -1;
  CALLS.flags[row] = 0;
  CALLS.path[row] = -1;
  CALLS.ret[row] = NaN;
  return row;
}

function onFact(fact: i32, row: i32, textBase: usize): void {
  const rule = fact * IO_RULE.length;
  const words = wordsOf(row);
  const time = timeOf(row);
  const a = partOf(words, rule + IO_RULE.a);
  const wide = rules[rule + IO_RULE.wide];
  addFact(
    time,
    rules[rule],
    a,
    partOf(words, rule + IO_RULE.b),
    partOf(words, rule + IO_RULE.c),
    partOf(words, rule + IO_RULE.d),
    wide === NO_FIELD ? 0 : wideOf(words, wide, 0),
    textPartOf(words, rule + IO_RULE.text, textBase),
  );
  nameThread(time, a, textPartOf(words, rule + IO_RULE.name, textBase));
}

function partOf(words: usize, rule: i32): i32 {
  const field = rules[rule];
  return field === NO_FIELD ? -1 : intOf(words, field);
}

function textPartOf(words: usize, rule: i32, textBase: usize): i32 {
  const field = rules[rule];
  return field === NO_FIELD ? -1 : textOf(words, field, textBase);
}

function addFact(time: f64, kind: i32, a: i32, b: i32, c: i32, d: i32, wide: f64, text: i32): void {
  const row = facts++;
  FACTS.time[row] = time;
  FACTS.kind[row] = kind;
  FACTS.a[row] = a;
  FACTS.b[row] = b;
  FACTS.c[row] = c;
  FACTS.d[row] = d;
  FACTS.wide[row] = wide;
  FACTS.text[row] = text;
}

function nameThread(time: f64, tid: i32, text: i32): void {
  if (text < 0 || tid <= 0) return;
  let row = findInt(keys, values, mask, tid);
  if (row < 0) row = addThread(tid);
  else if (time < NAMES.time[row]) return;
  if (row < 0) return;
  NAMES.tid[row] = tid;
  NAMES.text[row] = text;
  NAMES.time[row] = time;
}

/** Names of threads as facts, in order of the first mention. */
export function addNames(): void {
  for (let row = 0; row < threads; row++)
    addFact(NAMES.time[row], FACT_NAME, NAMES.tid[row], -1, -1, -1, 0, NAMES.text[row]);
}

/** tid → row. */
let keys: I32Column = changetype<I32Column>(0);
let values: I32Column = changetype<I32Column>(0);
let mask: i32 = 0;

let threads: i32 = 0;
/** There was a thread too many. */
let isFull: bool = false;

/** A row for a thread that has none; -1: there is none left. */
function addThread(tid: i32): i32 {
  if (threads > mask >> 1) {
    isFull = true;
    return -1;
  }
  putInt(keys, values, mask, tid, threads);
  return threads++;
}
