/** How values are drawn: a table of groups by state for each scheme, and the host's function for causes. */

import { GROUP_COUNT, STATES } from '../../engine/history/types';
import { MOST_SCHEMES } from '../../engine/history/wasm-sealer';

/** u8 by scheme and state. */
export const groupTable: usize = memory.data(MOST_SCHEMES * STATES);

/** Drawn cause of a blocked value, in a scheme of the job. */
@external('scheme', 'causeOf')
export declare function causeOf(scheme: i32, value: f64): i32;

/** u8 by scheme and state, and for gaps behind the last state: where a mix has the time of the group. */
const PLACES: i32 = 32;
const places: usize = memory.data(MOST_SCHEMES * PLACES);

/** Takes over the table of groups; time of states without one goes to `none`, as that of gaps. */
export function placeGroups(none: i32): void {
  for (let scheme = 0; scheme < MOST_SCHEMES; scheme++) {
    const at = places + scheme * PLACES;
    for (let state = 0; state < STATES; state++) {
      const group = <i32>load<u8>(groupTable + scheme * STATES + state);
      store<u8>(at + state, <u8>((group < GROUP_COUNT ? group : none) << 3));
    }
    store<u8>(at + STATES, <u8>(none << 3));
  }
}

/** Places of the groups of a scheme. */
@inline
export function placesOf(scheme: i32): usize {
  return places + scheme * PLACES;
}

/** Where a mix has the time of the group of a value, or of a gap: its low bits are those of the last state. */
@inline
export function groupPlaceOf(places: usize, value: i64): usize {
  return load<u8>(places + (<usize>value & (STATES - 1)) + <usize>(<u64>value >> 63));
}
