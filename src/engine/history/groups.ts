/** A `ValueScheme` as tables, so that loops over intervals need no calls for what depends on the state alone. */
import { cachedByKey } from '../base/cached-by-key.ts';
import { ID_MIX } from './id-mix.ts';
import type { GroupTable } from './mix.ts';
import { STATE_MIX } from './state-mix.ts';
import { GROUP_NONE, GROUP_UNKNOWN, STATES, type ValueScheme } from './types.ts';

/** The value of an unknown state, in schemes that have one. */
export const UNKNOWN = 0;

/** Tables by which nothing is drawn. */
export const NO_GROUPS: GroupTable = {
  mix: STATE_MIX,
  groupOfState: new Uint8Array(STATES).fill(GROUP_NONE),
  causeOf: () => 0,
};

/** Tables of ids, each of which is drawn by itself. */
export const ID_GROUPS: GroupTable = { ...NO_GROUPS, mix: ID_MIX };

/** Whether some value means an unknown state. */
export function hasUnknown({ groupOfState }: GroupTable): boolean {
  return groupOfState[UNKNOWN] === GROUP_UNKNOWN;
}

/** The tables of a scheme; without one nothing is drawn. */
export function groupTable(scheme: ValueScheme | undefined): GroupTable {
  return scheme === undefined ? NO_GROUPS : tableOf(scheme);
}

const tableOf = cachedByKey((scheme: ValueScheme): GroupTable => {
  const groupOfState = new Uint8Array(STATES).fill(GROUP_NONE);
  for (let state = 0; state < scheme.states; state++) groupOfState[state] = scheme.groupOf(state);
  return { mix: STATE_MIX, groupOfState, causeOf: (value) => scheme.causeOf(value) };
});

/** Mark of attributes whose values are ids. */
export const IDS = -3;
/** Mark of attributes that are neither ids nor states. */
export const NO_STATE = -2;
/** Mark of states that are not drawn. */
export const NO_SCHEME = -1;

/** @param scheme as in `SealJob`; `tables` are those of its places */
export function groupsOfScheme(scheme: number, tables: readonly GroupTable[]): GroupTable {
  return scheme === IDS ? ID_GROUPS : (tables[scheme] ?? NO_GROUPS);
}

/** Whether values are states. */
export function isStateScheme(scheme: number): boolean {
  return scheme >= NO_SCHEME;
}
