/**
 * What is told to the history: `set` and `settle` of `engine/history/builder.ts` on its own columns
 * (`engine/history/shared-history.ts`), as far as nothing has to be cut, patched or made room for.
 */
import { columnOf, i32At, setF64, setI32, setU8, u8At } from '../columns';

export const GAP: f64 = -1;
const NO_PAST: f64 = -3;

// Bytes of an attribute's four numbers.
const STATE_SHIFT: usize = 5;
const VALUE: usize = 0;
const SINCE: usize = 8;
const PAST_VALUE: usize = 16;
const PAST_SINCE: usize = 24;

// Columns of the only row of the cursor.
const NOW: usize = 0;
const NEXT: usize = 8;
const FROM: usize = 16;
const TILES: usize = 24;
const ENOUGH: usize = 32;
const LIVE: usize = 40;
const ATTRIBUTES: usize = 48;
const CHANGES: usize = 56;

/** At least as many as one transition emits, and as it makes. */
const MOST_TILES: i32 = 32;
const MOST_ATTRIBUTES: i32 = 8;

let cursor: usize = 0;
let state: usize = 0;
let isLive: usize = 0;
let live: usize = 0;
let scheme: usize = 0;
let attributeRoom: i32 = 0;
let tileAttribute: usize = 0;
let tileEnd: usize = 0;
let tileValue: usize = 0;
let tileRoom: i32 = 0;
let familyScheme: usize = 0;

/** Directories of the tables of `SharedHistory`. */
export function placeHistory(cursorTable: usize, attributes: usize, emitted: usize, families: usize): void {
  cursor = columnOf(cursorTable, 0);
  state = columnOf(attributes, 0);
  isLive = columnOf(attributes, 1);
  live = columnOf(attributes, 2);
  scheme = columnOf(attributes, 3);
  attributeRoom = i32At(attributes, 4);
  tileAttribute = columnOf(emitted, 0);
  tileEnd = columnOf(emitted, 1);
  tileValue = columnOf(emitted, 2);
  tileRoom = i32At(emitted, 3);
  familyScheme = columnOf(families, 0);
}

/** Time of what is told (TimeNs). */
@inline
export function timeMovedTo(): f64 {
  return load<f64>(cursor, NEXT);
}

/** What is told next happens at `time`, if that is later. */
@inline
export function moveOn(time: f64): void {
  if (time > load<f64>(cursor, NEXT)) store<f64>(cursor, time, NEXT);
}

/** Whether a transition can be told at the time moved to: no segment is to be cut first, and there is room for tiles. */
@inline
export function takesMore(): bool {
  const tiles = load<i32>(cursor, TILES);
  if (tiles > tileRoom - MOST_TILES) return false;
  return tiles < load<i32>(cursor, ENOUGH) || load<f64>(cursor, NEXT) === load<f64>(cursor, NOW);
}

/** Whether a transition may make attributes. */
@inline
export function takesAttributes(): bool {
  return load<i32>(cursor, ATTRIBUTES) + MOST_ATTRIBUTES <= attributeRoom;
}

/** A new attribute of a family. */
export function newMember(family: i32): i32 {
  const attribute = load<i32>(cursor, ATTRIBUTES);
  store<i32>(cursor, attribute + 1, ATTRIBUTES);
  setI32(scheme, attribute, i32At(familyScheme, family));
  const at = state + (<usize>attribute << STATE_SHIFT);
  store<f64>(at, GAP, VALUE);
  store<f64>(at, -Infinity, SINCE);
  store<f64>(at, NO_PAST, PAST_VALUE);
  return attribute;
}

/** From now on the attribute has `value`. */
export function set(attribute: i32, value: f64): void {
  const time = step();
  const at = state + (<usize>attribute << STATE_SHIFT);
  const current = load<f64>(at, VALUE);
  if (current === value) return;
  const since = load<f64>(at, SINCE);
  const past = load<f64>(at, PAST_VALUE);
  if (since < time) {
    if (past !== NO_PAST) emit(attribute, since, past, load<f64>(at, PAST_SINCE));
    if (current === GAP && u8At(isLive, attribute) === 0) enlist(attribute);
    store<f64>(at, current, PAST_VALUE);
    store<f64>(at, since, PAST_SINCE);
    store<f64>(at, value, VALUE);
    store<f64>(at, time, SINCE);
  } else if (past === value) {
    store<f64>(at, value, VALUE);
    store<f64>(at, load<f64>(at, PAST_SINCE), SINCE);
    store<f64>(at, NO_PAST, PAST_VALUE);
  } else {
    store<f64>(at, value, VALUE);
  }
}

/** Whether the attribute's interval began in the open segment: else `settle` has to patch earlier ones. */
@inline
export function beganHere(attribute: i32): bool {
  return load<f64>(state + (<usize>attribute << STATE_SHIFT), SINCE) >= load<f64>(cursor, FROM);
}

/** The interval that ends now turns out to have had `past`; then `value` begins. It began in the open segment. */
export function settle(attribute: i32, past: f64, value: f64): void {
  const time = step();
  const at = state + (<usize>attribute << STATE_SHIFT);
  if (load<f64>(at, SINCE) < time && load<f64>(at, VALUE) !== past) {
    store<f64>(at, past, VALUE);
    store<i32>(cursor, load<i32>(cursor, CHANGES) + 1, CHANGES);
  }
  set(attribute, value);
}

/** Something happens at the time moved to. */
@inline
function step(): f64 {
  const time = load<f64>(cursor, NEXT);
  if (time !== load<f64>(cursor, NOW)) {
    store<f64>(cursor, time, NOW);
    store<i32>(cursor, load<i32>(cursor, CHANGES) + 1, CHANGES);
  }
  return time;
}

/** The interval closed last, [since, end), is a tile if some of it lies in the open segment. */
@inline
function emit(attribute: i32, end: f64, value: f64, since: f64): void {
  const from = load<f64>(cursor, FROM);
  if (end <= from) return;
  const tile = load<i32>(cursor, TILES);
  setI32(tileAttribute, tile, value !== GAP && since < from ? ~attribute : attribute);
  setF64(tileEnd, tile, end);
  setF64(tileValue, tile, value);
  store<i32>(cursor, tile + 1, TILES);
}

function enlist(attribute: i32): void {
  const place = load<i32>(cursor, LIVE);
  setU8(isLive, attribute, 1);
  setI32(live, place, attribute);
  store<i32>(cursor, place + 1, LIVE);
}
