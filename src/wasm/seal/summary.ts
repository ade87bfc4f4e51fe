/** Writes summaries of rows: time per state (`engine/history/summary.ts` describes the format). */
import { STATES } from '../../engine/history/types';
import { I64Column } from '../columns';
import { ByteWriter } from './bytes';

/** Where gaps are summed up, behind the states. */
const OUTSIDE: i32 = STATES;
/** i64 by state, of the row at hand. */
const sums: usize = memory.data((STATES + 1) << 3, 16);
const ns: I64Column = changetype<I64Column>(sums);

/** Begins a row. */
export function beginSums(): void {
  memory.fill(sums, 0, (STATES + 1) << 3);
}

/** Adds an interval; 1 for a gap, whose low bits are those of the last state. */
@inline
export function addToSums(duration: i64, value: i64): i64 {
  const gap = <i64>(<u64>value >> 63);
  const at = sums + (((<usize>value & (STATES - 1)) + <usize>gap) << 3);
  store<i64>(at, load<i64>(at) + duration);
  return gap;
}

/** Appends the summary of what was added, the last of which ended `rest` ns before the segment. */
export function writeSums(gaps: i64, rest: i64, isState: bool, out: ByteWriter): void {
  const outside = ns[OUTSIDE] + rest;
  out.varint(gaps * 2 + i64(outside > 0));
  if (outside > 0) out.varint(outside);
  if (isState) writeStates(out);
}

function writeStates(out: ByteWriter): void {
  let present = 0;
  let last = 0;
  for (let state = 0; state < STATES; state++) {
    if (ns[state] === 0) continue;
    present |= 1 << state;
    last = state;
  }
  out.varint(present);
  for (let state = 0; state < last; state++) if (ns[state] > 0) out.varint(ns[state]);
}
