/** Interrupts and how long they took: `InterruptTally` of `engine/kernel/interrupts/interrupt-tally.ts`. */
import { capacityOf, columnOf, f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { findInt, putInt } from '../int-index';
import { classOf, intOf, meaningOf, textOf, timeOf, wideOf, wordsOf } from '../rows';
import { textsAreFull } from '../texts';
import { addDuration, clearGroup, openDurations, pagesAreFull } from './durations';

// What a row is to this analysis.
const IRQ_ENTRY: i32 = 0;
const IRQ_EXIT: i32 = 1;
const RAISE: i32 = 2;
const SOFTIRQ_ENTRY: i32 = 3;
const SOFTIRQ_EXIT: i32 = 4;
const TIMER_ENTRY: i32 = 5;
const TIMER_EXIT: i32 = 6;
const VECTOR: i32 = 7;
const SWITCH: i32 = 8;

// Kinds (`engine/kernel/interrupts/interrupt-leaf.ts`).
const RUN_IRQ: i32 = 0;
const RUN_SOFTIRQ: i32 = 1;
const RUN_TIMER: i32 = 2;
const RUN_VECTOR: i32 = 3;
const RAISED: i32 = 4;
const RUN_KINDS: i32 = 4;
const VECS: i32 = 32;

/** By meaning. */
let actions: usize = 0;
/** By event class: 1 entry of a vector, -1 its exit; and the first event class of the vector. */
let steps: usize = 0;
let marks: usize = 0;

// Fields.
let irqOfEntry: i32 = 0;
let irqName: i32 = 0;
let irqOfExit: i32 = 0;
let vecOfRaise: i32 = 0;
let vecOfEntry: i32 = 0;
let vecOfExit: i32 = 0;
let timerOfEntry: i32 = 0;
let timerFunction: i32 = 0;
let timerOfExit: i32 = 0;

// By kind.
let pendingGroup: usize = 0;
let pendingMark: usize = 0;
let pendingTime: usize = 0;
let headMark: usize = 0;
let headTime: usize = 0;
let closed: usize = 0;
let isCut: usize = 0;
let isHeadCut: usize = 0;
// By softirq.
let firstRaise: usize = 0;
let firstEntry: usize = 0;
let pendingRaise: usize = 0;
let raiseClosed: usize = 0;
let raisedGroup: usize = 0;
// By group.
let kinds: usize = 0;
let ids: usize = 0;
let names: usize = 0;
let capacity: i32 = 0;
/** Mark → group, for each kind one after the other; of irqs the one seen last. */
let keys: usize = 0;
let values: usize = 0;
let slots: i32 = 0;

let cpu: i32 = 0;
export let groups: i32 = 0;
let isFull: bool = false;

/**
 * `runs` to `index` are directories of tables. Those by kind and softirq hold what they begin with; the index has for
 * each kind twice as many slots as there may be groups, a power of two, and all values are -1.
 */
export function beginInterrupts(
  fields: usize,
  runs: usize,
  raises: usize,
  groupTable: usize,
  durations: usize,
  bins: usize,
  index: usize,
  actionTable: usize,
  stepTable: usize,
  markTable: usize,
  onCpu: i32,
): void {
  placeFields(fields);
  placeRuns(runs);
  placeRaises(raises);
  kinds = columnOf(groupTable, 0);
  ids = columnOf(groupTable, 1);
  names = columnOf(groupTable, 2);
  capacity = capacityOf(groupTable, 3);
  openDurations(durations, bins);
  keys = columnOf(index, 0);
  values = columnOf(index, 1);
  slots = capacityOf(index, 2) / RUN_KINDS;
  actions = actionTable;
  steps = stepTable;
  marks = markTable;
  cpu = onCpu;
  groups = 0;
  isFull = false;
}

function placeFields(fields: usize): void {
  irqOfEntry = i32At(fields, 0);
  irqName = i32At(fields, 1);
  irqOfExit = i32At(fields, 2);
  vecOfRaise = i32At(fields, 3);
  vecOfEntry = i32At(fields, 4);
  vecOfExit = i32At(fields, 5);
  timerOfEntry = i32At(fields, 6);
  timerFunction = i32At(fields, 7);
  timerOfExit = i32At(fields, 8);
}

function placeRuns(runs: usize): void {
  pendingGroup = columnOf(runs, 0);
  pendingMark = columnOf(runs, 1);
  pendingTime = columnOf(runs, 2);
  headMark = columnOf(runs, 3);
  headTime = columnOf(runs, 4);
  closed = columnOf(runs, 5);
  isCut = columnOf(runs, 6);
  isHeadCut = columnOf(runs, 7);
}

function placeRaises(raises: usize): void {
  firstRaise = columnOf(raises, 0);
  firstEntry = columnOf(raises, 1);
  pendingRaise = columnOf(raises, 2);
  raiseClosed = columnOf(raises, 3);
  raisedGroup = columnOf(raises, 4);
}

export function readInterrupts(from: i32, to: i32, textBase: usize): bool {
  for (let row = from; row < to; row++) {
    const action = u8At(actions, meaningOf(row));
    if (action <= SWITCH) step(action, row, textBase);
  }
  return !(isFull || pagesAreFull || textsAreFull());
}

function step(action: i32, row: i32, textBase: usize): void {
  const words = wordsOf(row);
  const time = timeOf(row);
  switch (action) {
    case IRQ_ENTRY: {
      const irq = intOf(words, irqOfEntry);
      enter(RUN_IRQ, irqGroup(irq, textOf(words, irqName, textBase)), irq, time);
      break;
    }
    case IRQ_EXIT:
      leave(RUN_IRQ, intOf(words, irqOfExit), time);
      break;
    case RAISE:
      raise(intOf(words, vecOfRaise), time);
      break;
    case SOFTIRQ_ENTRY: {
      const vec = intOf(words, vecOfEntry);
      enter(RUN_SOFTIRQ, groupOf(RUN_SOFTIRQ, vec, vec), vec, time);
      enterRaised(vec, time);
      break;
    }
    case SOFTIRQ_EXIT:
      leave(RUN_SOFTIRQ, intOf(words, vecOfExit), time);
      break;
    case TIMER_ENTRY: {
      // The lower half tells functions of the kernel apart: its code is smaller than 4 GiB.
      const id = lowerHalf(wideOf(words, timerFunction, -1));
      enter(RUN_TIMER, groupOf(RUN_TIMER, id, id), wideOf(words, timerOfEntry, -1), time);
      break;
    }
    case TIMER_EXIT:
      leave(RUN_TIMER, wideOf(words, timerOfExit, -1), time);
      break;
    case VECTOR:
      onVector(classOf(row), time);
      break;
    default:
      memory.fill(isCut, 1, RUN_KINDS);
  }
}

/** As JavaScript does it with `| 0`; a double can be 2^63. */
@inline
function lowerHalf(value: f64): i32 {
  return value >= 9223372036854775808.0 ? 0 : <i32>(<i64>value);
}

/** Entry and exit of a vector are event classes of their own, which have its name in common. */
function onVector(eventClass: i32, time: f64): void {
  const way = <i8>u8At(steps, eventClass);
  if (way === 0) return;
  const mark = i32At(marks, eventClass);
  if (way > 0) enter(RUN_VECTOR, groupOf(RUN_VECTOR, mark, -1), mark, time);
  else leave(RUN_VECTOR, mark, time);
}

@inline
function keysOf(kind: i32): usize {
  return keys + (<usize>(kind * slots) << 2);
}

@inline
function valuesOf(kind: i32): usize {
  return values + (<usize>(kind * slots) << 2);
}

/** The name of a vector is that of its mark. */
function groupOf(kind: i32, mark: i32, id: i32): i32 {
  const known = findInt(keysOf(kind), valuesOf(kind), slots - 1, mark);
  return known < 0 ? addGroup(kind, mark, id, kind === RUN_VECTOR ? mark : -1) : known;
}

/** Mostly that of the same irq before. */
function irqGroup(irq: i32, name: i32): i32 {
  const last = findInt(keysOf(RUN_IRQ), valuesOf(RUN_IRQ), slots - 1, irq);
  if (last < 0) return addGroup(RUN_IRQ, irq, irq, name);
  if (i32At(names, last) === name) return last;
  for (let group = 0; group < groups; group++) {
    if (i32At(kinds, group) === RUN_IRQ && i32At(ids, group) === irq && i32At(names, group) === name) {
      putInt(keysOf(RUN_IRQ), valuesOf(RUN_IRQ), slots - 1, irq, group);
      return group;
    }
  }
  return addGroup(RUN_IRQ, irq, irq, name);
}

function addGroup(kind: i32, mark: i32, id: i32, name: i32): i32 {
  if (groups === capacity) {
    isFull = true;
    return 0;
  }
  const group = groups++;
  clearGroup(group);
  setI32(kinds, group, kind);
  setI32(ids, group, id);
  setI32(names, group, name);
  if (kind < RUN_KINDS) putInt(keysOf(kind), valuesOf(kind), slots - 1, mark, group);
  return group;
}

function enter(kind: i32, group: i32, mark: f64, time: f64): void {
  setI32(pendingGroup, kind, group);
  setF64(pendingMark, kind, mark);
  setF64(pendingTime, kind, time);
  setU8(closed, kind, 1);
  setU8(isCut, kind, 0);
}

function leave(kind: i32, mark: f64, time: f64): void {
  const group = i32At(pendingGroup, kind);
  if (group >= 0) {
    const begin = f64At(pendingTime, kind);
    if (f64At(pendingMark, kind) === mark) {
      if (u8At(isCut, kind) === 0) addDuration(group, begin, time - begin, cpu);
      // Seldom: the definition reads the chunk.
      else if (kind === RUN_SOFTIRQ || kind === RUN_TIMER) isFull = true;
    }
    setI32(pendingGroup, kind, -1);
  } else if (u8At(closed, kind) === 0) {
    setF64(headMark, kind, mark);
    setF64(headTime, kind, time);
    setU8(isHeadCut, kind, u8At(isCut, kind));
  }
  setU8(closed, kind, 1);
}

/** Raised twice is raised once, until it begins. */
function raise(vec: i32, time: f64): void {
  if (vec < 0 || vec >= VECS) return;
  const first = u8At(raiseClosed, vec) === 0 ? firstRaise : pendingRaise;
  if (isNaN(f64At(first, vec))) setF64(first, vec, time);
}

function enterRaised(vec: i32, time: f64): void {
  if (vec < 0 || vec >= VECS) return;
  if (u8At(raiseClosed, vec) === 0) {
    // Perhaps it was raised before this chunk: joining tells.
    setF64(firstEntry, vec, time);
    setU8(raiseClosed, vec, 1);
    return;
  }
  const raised = f64At(pendingRaise, vec);
  if (isNaN(raised)) return;
  let group = i32At(raisedGroup, vec);
  if (group < 0) {
    group = addGroup(RAISED, vec, vec, -1);
    setI32(raisedGroup, vec, group);
  }
  addDuration(group, raised, time - raised, cpu);
  setF64(pendingRaise, vec, NaN);
}

/** Events were lost: what is pending may have ended. */
export function loseInterrupts(): void {
  for (let kind = 0; kind < RUN_KINDS; kind++) {
    setI32(pendingGroup, kind, -1);
    setU8(closed, kind, 1);
  }
  for (let vec = 0; vec < VECS; vec++) {
    setU8(raiseClosed, vec, 1);
    setF64(pendingRaise, vec, NaN);
  }
}
