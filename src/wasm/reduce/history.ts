/**
 * Calls to the history: `set` and `settle` of `engine/history/builder.ts` on its own columns
 * (`engine/history/shared-history.ts`), as far as nothing has to be cut, patched or made room for.
 */
import {
  ATTRIBUTES,
  CURSOR,
  EMITTED,
  FAMILIES,
  NO_PAST,
  PAST_SINCE,
  PAST_VALUE,
  SINCE,
  STRIDE,
  VALUE,
} from '../../engine/history/shared-history';
import { GAP } from '../../engine/history/intervals';

// Bytes of an attribute's numbers.
const VALUE_AT: usize = VALUE << 3;
const SINCE_AT: usize = SINCE << 3;
const PAST_VALUE_AT: usize = PAST_VALUE << 3;
const PAST_SINCE_AT: usize = PAST_SINCE << 3;

/** Upper bounds of the intervals that one transition emits, and of the attributes that it makes. */
const MOST_INTERVALS: i32 = 32;
const MOST_ATTRIBUTES: i32 = 8;

/** The cursor's while the kernel runs: time moved to, time of the last call, intervals. */
let now: f64 = 0;
let previousNow: f64 = 0;
let intervals: i32 = 0;
/** Begin of the open segment. */
let from: f64 = 0;
/**
 * Number of intervals below which there is room for those of a transition; and that below which no segment is to be
 * cut, either.
 */
let mostIntervals: i32 = 0;
let fewIntervals: i32 = 0;
let attributeCapacity: i32 = 0;

/** Directories of the tables of `SharedHistory`. */
export function placeHistory(cursor: CURSOR, attributes: ATTRIBUTES, emitted: EMITTED, families: FAMILIES): void {
  CURSOR.bind(cursor);
  ATTRIBUTES.bind(attributes);
  EMITTED.bind(emitted);
  FAMILIES.bind(families);
  attributeCapacity = attributes.capacity;
  mostIntervals = emitted.capacity - MOST_INTERVALS;
}

/** Goes on where the cursor is. */
export function openHistory(): void {
  now = CURSOR.next[0];
  previousNow = CURSOR.now[0];
  from = CURSOR.from[0];
  intervals = CURSOR.intervals[0];
  fewIntervals = min(CURSOR.enough[0], mostIntervals);
}

/** Leaves the cursor where the history is. */
export function closeHistory(): void {
  CURSOR.next[0] = now;
  CURSOR.now[0] = previousNow;
  CURSOR.intervals[0] = intervals;
  CURSOR.changes[0] = CURSOR.changes[0] + 1;
}

/** Time of the calls (HostNs). */
@inline
export function timeMovedTo(): f64 {
  return now;
}

/** The next calls happen at `time`, if that is later. */
@inline
export function moveOn(time: f64): void {
  if (time > now) now = time;
}

/** Whether a transition can be taken at the time moved to: no segment is to be cut first, and there is room for intervals. */
@inline
export function takesMore(): bool {
  return intervals < fewIntervals || (now === previousNow && intervals < mostIntervals);
}

/** Whether a transition may make attributes. */
@inline
export function takesAttributes(): bool {
  return CURSOR.attributes[0] + MOST_ATTRIBUTES <= attributeCapacity;
}

/** A new attribute of a family. */
export function newMember(family: i32): i32 {
  const attribute = CURSOR.attributes[0];
  CURSOR.attributes[0] = attribute + 1;
  ATTRIBUTES.scheme[attribute] = FAMILIES.scheme[family];
  const at = recordOf(attribute);
  store<f64>(at, GAP, VALUE_AT);
  store<f64>(at, -Infinity, SINCE_AT);
  store<f64>(at, NO_PAST, PAST_VALUE_AT);
  store<f64>(at, -Infinity, PAST_SINCE_AT);
  return attribute;
}

/** Sets `value` as that of the attribute from now on. */
@inline
export function set(attribute: i32, value: f64): void {
  if (load<f64>(recordOf(attribute), VALUE_AT) !== value) change(attribute, value);
  else previousNow = now;
}

/** Sets `value`, which the attribute did not have, as its value from now on. */
@inline
export function change(attribute: i32, value: f64): void {
  previousNow = now;
  const at = recordOf(attribute);
  const since = load<f64>(at, SINCE_AT);
  // Nothing is needed behind the call: else all of it would be kept on the stack, whichever way is taken.
  if (since < now && load<f64>(at, PAST_SINCE_AT) >= from) {
    emit(attribute, since, load<f64>(at, PAST_VALUE_AT));
    begin(at, value);
  } else {
    changeOddly(attribute, at, value);
  }
}

/** Holds back what is current and begins another interval. */
@inline
function begin(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at, VALUE_AT), PAST_VALUE_AT);
  store<f64>(at, load<f64>(at, SINCE_AT), PAST_SINCE_AT);
  store<f64>(at, value, VALUE_AT);
  store<f64>(at, now, SINCE_AT);
}

/** It changed at this very time already; or what is held back began before the open segment, or nothing is. */
function changeOddly(attribute: i32, at: usize, value: f64): void {
  const end = load<f64>(at, SINCE_AT);
  if (end >= now) return changeAgain(at, value);
  const past = load<f64>(at, PAST_VALUE_AT);
  // Nothing of it lies in this segment when it ended where the segment began.
  if (past !== NO_PAST && end > from) emit(past === GAP ? attribute : ~attribute, end, past);
  if (load<f64>(at, VALUE_AT) === GAP && ATTRIBUTES.isLive[attribute] === 0) addToLive(attribute);
  begin(at, value);
}

@inline
function recordOf(attribute: i32): usize {
  return ATTRIBUTES.state.at(attribute * STRIDE);
}

/** It changed at this very time already. */
function changeAgain(at: usize, value: f64): void {
  store<f64>(at, value, VALUE_AT);
  if (load<f64>(at, PAST_VALUE_AT) !== value) return;
  store<f64>(at, load<f64>(at, PAST_SINCE_AT), SINCE_AT);
  store<f64>(at, NO_PAST, PAST_VALUE_AT);
  store<f64>(at, -Infinity, PAST_SINCE_AT);
}

/** Whether the attribute's interval began in the open segment: else `settle` has to patch earlier ones. */
@inline
export function beganHere(attribute: i32): bool {
  return load<f64>(recordOf(attribute), SINCE_AT) >= from;
}

/** The interval that ends now turns out to have had `past`; then `value` begins. It began in the open segment. */
export function settle(attribute: i32, past: f64, value: f64): void {
  const at = recordOf(attribute);
  if (load<f64>(at, SINCE_AT) < now && load<f64>(at, VALUE_AT) !== past) store<f64>(at, past, VALUE_AT);
  set(attribute, value);
}

/** Appends an interval; `~attribute` where it continues an interval of the segment before. */
@inline
function emit(attribute: i32, end: f64, value: f64): void {
  const interval = intervals;
  intervals = interval + 1;
  EMITTED.attribute[interval] = attribute;
  EMITTED.end[interval] = end;
  EMITTED.value[interval] = value;
}

function addToLive(attribute: i32): void {
  const place = CURSOR.live[0];
  ATTRIBUTES.isLive[attribute] = 1;
  ATTRIBUTES.live[place] = attribute;
  CURSOR.live[0] = place + 1;
}
