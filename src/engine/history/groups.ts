/** A `ValueScheme` as tables, so that loops over intervals make no calls for what depends on the state alone. */
import { GROUP_NONE, GROUPS, type ValueScheme } from './types.ts';

/** States are the low four bits of a value. */
export const STATES = 16;
export const GROUP_COUNT = GROUPS.length;
export const GROUP_BLOCKED = GROUPS.indexOf('blocked');

export interface GroupTable {
  /** Drawn group of each state, or GROUP_NONE. */
  readonly groupOfState: Uint8Array;
  causeOf(value: number): number;
}

/** Nothing is drawn. */
export const NO_GROUPS: GroupTable = {
  groupOfState: new Uint8Array(STATES).fill(GROUP_NONE),
  causeOf: () => 0,
};

/** The tables of a scheme; without one nothing is drawn. */
export function groupTable(scheme: ValueScheme | undefined): GroupTable {
  if (scheme === undefined) return NO_GROUPS;
  const groupOfState = new Uint8Array(STATES).fill(GROUP_NONE);
  for (let state = 0; state < scheme.states; state++) groupOfState[state] = scheme.groupOf(state);
  return { groupOfState, causeOf: (value) => scheme.causeOf(value) };
}

/** Tables of schemes, each made once. */
export function groupTables(): (scheme: ValueScheme | undefined) => GroupTable {
  const tables = new Map<ValueScheme | undefined, GroupTable>();
  return (scheme) => {
    const known = tables.get(scheme);
    if (known !== undefined) return known;
    const table = groupTable(scheme);
    tables.set(scheme, table);
    return table;
  };
}
