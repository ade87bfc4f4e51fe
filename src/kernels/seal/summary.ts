/** Writes summaries of rows: time per state (`engine/history/summary.ts` tells the format). */
import { i64At } from '../columns';
import { ByteWriter } from './bytes';
import { STATES } from './schemes';

/** Where gaps are summed up, behind the states. */
const OUTSIDE: i32 = STATES;
/** i64 by state, of the row at hand. */
const ns: usize = memory.data((STATES + 1) << 3, 16);

/** Begins a row. */
export function beginSums(): void {
  memory.fill(ns, 0, (STATES + 1) << 3);
}

/** Adds a tile; 1 for a gap, whose low bits are those of the last state. */
@inline
export function addToSums(duration: i64, value: i64): i64 {
  const gap = <i64>(<u64>value >> 63);
  const at = ns + (((<usize>value & (STATES - 1)) + <usize>gap) << 3);
  store<i64>(at, load<i64>(at) + duration);
  return gap;
}

/** Appends the summary of what was added, the last of which ended `rest` ns before the segment. */
export function writeSums(gaps: i64, rest: i64, isState: bool, out: ByteWriter): void {
  const outside = i64At(ns, OUTSIDE) + rest;
  out.varint(gaps * 2 + i64(outside > 0));
  if (outside > 0) out.varint(outside);
  if (isState) writeStates(out);
}

function writeStates(out: ByteWriter): void {
  let present = 0;
  let last = 0;
  for (let state = 0; state < STATES; state++) {
    if (i64At(ns, state) === 0) continue;
    present |= 1 << state;
    last = state;
  }
  out.varint(present);
  for (let state = 0; state < last; state++) if (i64At(ns, state) > 0) out.varint(i64At(ns, state));
}
