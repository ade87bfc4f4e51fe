/** How values are drawn: a table of groups by state for each scheme, and the host's function for causes. */

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

/** States without a group get number `none`. */
export function nameNoGroup(none: i32): void {
  for (let at = groupTable; at < groupTable + SCHEMES * STATES; at++) {
    if (load<u8>(at) >= <u8>GROUP_COUNT) store<u8>(at, <u8>none);
  }
}

/** u8 by state: groups in a scheme. */
@inline
export function groupsOf(scheme: i32): usize {
  return groupTable + scheme * STATES;
}
