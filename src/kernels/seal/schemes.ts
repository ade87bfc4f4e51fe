/** How values are drawn: a table of groups by state for each scheme, and the host's function for causes. */
import { u8At } from '../columns';

/** States are the low four bits of a value. */
export const STATES: i32 = 16;
/** Of `GROUPS` in `engine/history/types.ts`. */
export const GROUP_COUNT: i32 = 6;
export const GROUP_BLOCKED: i32 = 4;
/** Schemes that fit into the table. */
const SCHEMES: i32 = 16;

/** u8 by scheme and state. */
export const groupTable: usize = memory.data(SCHEMES * STATES);

/** Drawn cause of a blocked value, in a scheme of the job. */
@external('scheme', 'causeOf')
export declare function causeOf(scheme: i32, value: f64): i32;

@inline
export function stateOf(value: f64): i32 {
  return <i32>(<i64>value) & (STATES - 1);
}

@inline
export function groupOf(scheme: i32, value: f64): i32 {
  return u8At(groupTable, (scheme * STATES) + stateOf(value));
}
