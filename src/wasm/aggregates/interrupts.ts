/** Interrupts and how long they took (`engine/linux/sums/interrupts/interrupt-chunk.ts`). */
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { DURATIONS, PAGE } from '../../engine/linux/sums/duration-sums';
import { RAISES, RUNS } from '../../engine/linux/sums/interrupts/interrupt-ends';
import {
  RAISED,
  RUN_IRQ,
  RUN_KINDS,
  RUN_SOFTIRQ,
  RUN_TIMER,
  RUN_VECTOR,
  VECS,
} from '../../engine/linux/sums/interrupts/interrupt-chunk';
import {
  IRQ_ENTRY,
  IRQ_EXIT,
  RAISE,
  SOFTIRQ_ENTRY,
  SOFTIRQ_EXIT,
  SWITCH,
  TIMER_ENTRY,
  TIMER_EXIT,
  VECTOR,
} from '../../engine/linux/sums/interrupts/interrupt-rules';
import { CUT_RUNS, GROUPS, INTERRUPT_FIELDS, IRQS } from '../../engine/linux/sums/interrupts/interrupts';
import { I32Column, U8Column } from '../columns';
import { firstSlot, hashOf, findInt, putInt } from '../hash';
import { classOf, intOf, kindOf, textOf, timeOf, wideOf, wordsOf } from '../rows';
import { textsAreFull } from '../texts';
import { addDuration, clearGroup, openDurations, pagesAreFull } from './durations';

/** Action of a row, by its kind. */
let actions: U8Column = changetype<U8Column>(0);
/** Step of each event class: 1 entry of a vector, -1 its exit; and the first event class of the vector. */
let steps: U8Column = changetype<U8Column>(0);
let marks: I32Column = changetype<I32Column>(0);

/** Their places (INTERRUPT_FIELDS). */
let fields: I32Column = changetype<I32Column>(0);

let capacity: i32 = 0;
/** Mark → group, for each kind one after the other; of irqs the one seen last. */
let keys: I32Column = changetype<I32Column>(0);
let values: I32Column = changetype<I32Column>(0);
let slots: i32 = 0;

let cpu: i32 = 0;
export let groups: i32 = 0;
/** Softirqs and timers within which another thread was switched in. */
export let cutRuns: i32 = 0;
let mostCutRuns: i32 = 0;
let isFull: bool = false;

/**
 * `runs` to `index` are directories of tables. Those by kind and softirq hold what they begin with; the index has for
 * each kind twice as many slots as there may be groups, a power of two, and all values are -1.
 */
export function beginInterrupts(
  places: I32Column,
  runs: RUNS,
  raises: RAISES,
  groupTable: GROUPS,
  durations: DURATIONS,
  bins: PAGE,
  cutTable: CUT_RUNS,
  index: INDEX,
  irqs: IRQS,
  actionTable: U8Column,
  stepTable: U8Column,
  markTable: I32Column,
  onCpu: i32,
): void {
  fields = places;
  RUNS.bind(runs);
  RAISES.bind(raises);
  GROUPS.bind(groupTable);
  capacity = groupTable.capacity;
  openDurations(durations, bins);
  CUT_RUNS.bind(cutTable);
  mostCutRuns = cutTable.capacity;
  cutRuns = 0;
  IRQS.bind(irqs);
  keys = index.keys;
  values = index.values;
  slots = index.capacity / RUN_KINDS;
  actions = actionTable;
  steps = stepTable;
  marks = markTable;
  cpu = onCpu;
  groups = 0;
  isFull = false;
}

export function readInterrupts(from: i32, to: i32, textBase: usize): bool {
  for (let row = from; row < to; row++) {
    const action = actions[kindOf(row)];
    if (action <= SWITCH) step(action, row, textBase);
  }
  return !(isFull || pagesAreFull || textsAreFull());
}

function step(action: i32, row: i32, textBase: usize): void {
  const words = wordsOf(row);
  const time = timeOf(row);
  switch (action) {
    case IRQ_ENTRY: {
      const irq = intOf(words, fields[INTERRUPT_FIELDS.irqOfEntry]);
      enter(RUN_IRQ, irqGroup(irq, textOf(words, fields[INTERRUPT_FIELDS.irqName], textBase)), irq, time);
      break;
    }
    case IRQ_EXIT:
      leave(RUN_IRQ, intOf(words, fields[INTERRUPT_FIELDS.irqOfExit]), time);
      break;
    case RAISE:
      raise(intOf(words, fields[INTERRUPT_FIELDS.vecOfRaise]), time);
      break;
    case SOFTIRQ_ENTRY: {
      const vec = intOf(words, fields[INTERRUPT_FIELDS.vecOfEntry]);
      enter(RUN_SOFTIRQ, groupOf(RUN_SOFTIRQ, vec, vec), vec, time);
      enterRaised(vec, time);
      break;
    }
    case SOFTIRQ_EXIT:
      leave(RUN_SOFTIRQ, intOf(words, fields[INTERRUPT_FIELDS.vecOfExit]), time);
      break;
    case TIMER_ENTRY: {
      // The lower half distinguishes functions of the kernel: its code is smaller than 4 GiB.
      const id = lowerHalf(wideOf(words, fields[INTERRUPT_FIELDS.timerFunction], -1));
      enter(RUN_TIMER, groupOf(RUN_TIMER, id, id), wideOf(words, fields[INTERRUPT_FIELDS.timerOfEntry], -1), time);
      break;
    }
    case TIMER_EXIT:
      leave(RUN_TIMER, wideOf(words, fields[INTERRUPT_FIELDS.timerOfExit], -1), time);
      break;
    case VECTOR:
      onVector(classOf(row), time);
      break;
    default:
      memory.fill(RUNS.isCut.at(0), 1, RUN_KINDS);
  }
}

/** Lower 32 bits, as JavaScript's `| 0` gives them; a double can be 2^63. */
@inline
function lowerHalf(value: f64): i32 {
  return value >= 9223372036854775808.0 ? 0 : <i32>(<i64>value);
}

/** Entry and exit of a vector are event classes of their own, which have its name in common. */
function onVector(eventClass: i32, time: f64): void {
  const way = <i8>steps[eventClass];
  if (way === 0) return;
  const mark = marks[eventClass];
  if (way > 0) enter(RUN_VECTOR, groupOf(RUN_VECTOR, mark, -1), mark, time);
  else leave(RUN_VECTOR, mark, time);
}

@inline
function keysOf(kind: i32): I32Column {
  return changetype<I32Column>(keys.at(kind * slots));
}

@inline
function valuesOf(kind: i32): I32Column {
  return changetype<I32Column>(values.at(kind * slots));
}

/** The name of a vector is that of its mark. */
function groupOf(kind: i32, mark: i32, id: i32): i32 {
  const known = findInt(keysOf(kind), valuesOf(kind), slots - 1, mark);
  return known < 0 ? addGroup(kind, mark, id, kind === RUN_VECTOR ? mark : -1) : known;
}

/** Mostly that of the same irq before. */
function irqGroup(irq: i32, name: i32): i32 {
  const last = findInt(keysOf(RUN_IRQ), valuesOf(RUN_IRQ), slots - 1, irq);
  if (last >= 0 && GROUPS.name[last] === name) return last;
  const slot = slotOfIrq(irq, name);
  const known = IRQS.group[slot];
  const group = known < 0 ? addGroup(RUN_IRQ, irq, irq, name) : known;
  if (known < 0 && !isFull) IRQS.group[slot] = group;
  if (known >= 0) putInt(keysOf(RUN_IRQ), valuesOf(RUN_IRQ), slots - 1, irq, group);
  return group;
}

/** Where the group of an irq with this name is, or goes: at most half of the slots are taken. */
function slotOfIrq(irq: i32, name: i32): i32 {
  let slot = firstSlot(hashOf(hashOf(irq) ^ name), slots - 1);
  while (isOther(IRQS.group[slot], irq, name)) slot = (slot + 1) & (slots - 1);
  return slot;
}

@inline
function isOther(group: i32, irq: i32, name: i32): bool {
  return group >= 0 && (GROUPS.id[group] !== irq || GROUPS.name[group] !== name);
}

function addGroup(kind: i32, mark: i32, id: i32, name: i32): i32 {
  if (groups === capacity) {
    isFull = true;
    return 0;
  }
  const group = groups++;
  clearGroup(group);
  GROUPS.kind[group] = kind;
  GROUPS.id[group] = id;
  GROUPS.name[group] = name;
  if (kind < RUN_KINDS) putInt(keysOf(kind), valuesOf(kind), slots - 1, mark, group);
  return group;
}

function enter(kind: i32, group: i32, mark: f64, time: f64): void {
  RUNS.pendingGroup[kind] = group;
  RUNS.pendingMark[kind] = mark;
  RUNS.pendingTime[kind] = time;
  RUNS.closed[kind] = 1;
  RUNS.isCut[kind] = 0;
}

function leave(kind: i32, mark: f64, time: f64): void {
  const group = RUNS.pendingGroup[kind];
  if (group >= 0) {
    const begin = RUNS.pendingTime[kind];
    if (RUNS.pendingMark[kind] === mark) {
      if (RUNS.isCut[kind] === 0) addDuration(group, begin, time - begin, cpu);
      else if (kind === RUN_SOFTIRQ || kind === RUN_TIMER) addCutRun(group, begin, time);
    }
    RUNS.pendingGroup[kind] = -1;
  } else if (RUNS.closed[kind] === 0) {
    RUNS.headMark[kind] = mark;
    RUNS.headTime[kind] = time;
    RUNS.isHeadCut[kind] = RUNS.isCut[kind];
  }
  RUNS.closed[kind] = 1;
}

function addCutRun(group: i32, begin: f64, end: f64): void {
  if (cutRuns === mostCutRuns) {
    isFull = true;
    return;
  }
  const row = cutRuns++;
  CUT_RUNS.group[row] = group;
  CUT_RUNS.begin[row] = begin;
  CUT_RUNS.end[row] = end;
}

/** Raised twice is raised once, until it begins. */
function raise(vec: i32, time: f64): void {
  if (vec < 0 || vec >= VECS) return;
  const first = RAISES.closed[vec] === 0 ? RAISES.first : RAISES.pending;
  if (isNaN(first[vec])) first[vec] = time;
}

function enterRaised(vec: i32, time: f64): void {
  if (vec < 0 || vec >= VECS) return;
  if (RAISES.closed[vec] === 0) {
    // Perhaps it was raised before this chunk: joining shows it.
    RAISES.entry[vec] = time;
    RAISES.closed[vec] = 1;
    return;
  }
  const raised = RAISES.pending[vec];
  if (isNaN(raised)) return;
  let group = RAISES.group[vec];
  if (group < 0) {
    group = addGroup(RAISED, vec, vec, -1);
    RAISES.group[vec] = group;
  }
  addDuration(group, raised, time - raised, cpu);
  RAISES.pending[vec] = NaN;
}

/** Events were lost: what is pending may have ended. */
export function loseInterrupts(): void {
  for (let kind = 0; kind < RUN_KINDS; kind++) {
    RUNS.pendingGroup[kind] = -1;
    RUNS.closed[kind] = 1;
  }
  for (let vec = 0; vec < VECS; vec++) {
    RAISES.closed[vec] = 1;
    RAISES.pending[vec] = NaN;
  }
}
