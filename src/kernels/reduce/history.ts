/**
 * What is told to the history: `set` and `settle` of `engine/history/builder.ts` on its own columns
 * (`engine/history/shared-history.ts`), as far as nothing has to be cut, patched or made room for.
 */
import { columnOf, i32At, setF64, setI32, setU8, u8At } from '../columns';

export const GAP: f64 = -1;
export const MOST_VALUE: f64 = 9007199254740989;
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
/** The cursor's while the kernel runs: time moved to, time of what was told last, tiles. */
let now: f64 = 0;
let told: f64 = 0;
let tiles: i32 = 0;
/** Begin of the open segment. */
let from: f64 = 0;
/** With fewer tiles there is room for those of a transition; and no segment is to be cut, either. */
let mostTiles: i32 = 0;
let fewTiles: i32 = 0;
let state: usize = 0;
let isLive: usize = 0;
let live: usize = 0;
let scheme: usize = 0;
let attributeRoom: i32 = 0;
let tileAttribute: usize = 0;
let tileEnd: usize = 0;
let tileValue: usize = 0;
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
  mostTiles = i32At(emitted, 3) - MOST_TILES;
  familyScheme = columnOf(families, 0);
}

/** Goes on where the cursor is. */
export function openHistory(): void {
  now = load<f64>(cursor, NEXT);
  told = load<f64>(cursor, NOW);
  from = load<f64>(cursor, FROM);
  tiles = load<i32>(cursor, TILES);
  fewTiles = min(load<i32>(cursor, ENOUGH), mostTiles);
}

/** Leaves the cursor where the history is. */
export function closeHistory(): void {
  store<f64>(cursor, now, NEXT);
  store<f64>(cursor, told, NOW);
  store<i32>(cursor, tiles, TILES);
  store<i32>(cursor, load<i32>(cursor, CHANGES) + 1, CHANGES);
}

/** Time of what is told (TimeNs). */
@inline
export function timeMovedTo(): f64 {
  return now;
}

/** What is told next happens at `time`, if that is later. */
@inline
export function moveOn(time: f64): void {
  if (time > now) now = time;
}

/** Whether a transition can be told at the time moved to: no segment is to be cut first, and there is room for tiles. */
@inline
export function takesMore(): bool {
  return tiles < fewTiles || (now === told && tiles < mostTiles);
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
  const at = recordOf(attribute);
  store<f64>(at, GAP, VALUE);
  store<f64>(at, -Infinity, SINCE);
  store<f64>(at, NO_PAST, PAST_VALUE);
  store<f64>(at, -Infinity, PAST_SINCE);
  return attribute;
}

/** From now on the attribute has `value`. */
@inline
export function set(attribute: i32, value: f64): void {
  if (load<f64>(recordOf(attribute), VALUE) !== value) change(attribute, value);
  else told = now;
}

/** From now on the attribute has `value`, which it had not. */
@inline
export function change(attribute: i32, value: f64): void {
  told = now;
  const at = recordOf(attribute);
  const since = load<f64>(at, SINCE);
  // Nothing is needed behind the call: else all of it would be kept on the stack, whichever way is taken.
  if (since < now && load<f64>(at, PAST_SINCE) >= from) {
    emit(attribute, since, load<f64>(at, PAST_VALUE));
    begin(at, value);
  } else {
    changeOddly(attribute, at, value);
  }
}

/** What is current is held back, and another interval begins. */
@inline
function begin(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at, VALUE), PAST_VALUE);
  store<f64>(at, load<f64>(at, SINCE), PAST_SINCE);
  store<f64>(at, value, VALUE);
  store<f64>(at, now, SINCE);
}

/** It changed at this very time already; or what is held back began before the open segment, or nothing is. */
function changeOddly(attribute: i32, at: usize, value: f64): void {
  const end = load<f64>(at, SINCE);
  if (end >= now) return changeAgain(at, value);
  const past = load<f64>(at, PAST_VALUE);
  // Nothing of it lies in this segment when it ended where the segment began.
  if (past !== NO_PAST && end > from) emit(past === GAP ? attribute : ~attribute, end, past);
  if (load<f64>(at, VALUE) === GAP && u8At(isLive, attribute) === 0) enlist(attribute);
  begin(at, value);
}

@inline
function recordOf(attribute: i32): usize {
  return state + (<usize>attribute << STATE_SHIFT);
}

/** It changed at this very time already. */
function changeAgain(at: usize, value: f64): void {
  store<f64>(at, value, VALUE);
  if (load<f64>(at, PAST_VALUE) !== value) return;
  store<f64>(at, load<f64>(at, PAST_SINCE), SINCE);
  store<f64>(at, NO_PAST, PAST_VALUE);
  store<f64>(at, -Infinity, PAST_SINCE);
}

/** Whether the attribute's interval began in the open segment: else `settle` has to patch earlier ones. */
@inline
export function beganHere(attribute: i32): bool {
  return load<f64>(recordOf(attribute), SINCE) >= from;
}

/** The interval that ends now turns out to have had `past`; then `value` begins. It began in the open segment. */
export function settle(attribute: i32, past: f64, value: f64): void {
  const at = recordOf(attribute);
  if (load<f64>(at, SINCE) < now && load<f64>(at, VALUE) !== past) store<f64>(at, past, VALUE);
  set(attribute, value);
}

/** Appends a tile; `~attribute` where it continues an interval of the segment before. */
@inline
function emit(attribute: i32, end: f64, value: f64): void {
  const tile = tiles;
  tiles = tile + 1;
  setI32(tileAttribute, tile, attribute);
  setF64(tileEnd, tile, end);
  setF64(tileValue, tile, value);
}

function enlist(attribute: i32): void {
  const place = load<i32>(cursor, LIVE);
  setU8(isLive, attribute, 1);
  setI32(live, place, attribute);
  store<i32>(cursor, place + 1, LIVE);
}
