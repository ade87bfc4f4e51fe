/** Rows of layers: each directly below the row of its thread, or below one of its own where there is none. */
import { addTo } from '../../base/group-by.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { LayerRow, LayerThread } from '../../layers/contract/layer.ts';
import { threadKeyOf, type ThreadNumber } from '../../layers/contract/event-threads.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RowInfo } from '../../protocol/rows.ts';

/** A row of a layer on a host. */
export interface PlacedRow extends LayerRow {
  readonly id: string;
  /** Begins the ids of the layer's rows. */
  readonly word: string;
  readonly host: number;
  readonly clock: ClockTransform;
}

/** The rows with those of layers among them. `rows` stay in their order. */
export function withLayerRows(rows: readonly RowInfo[], added: readonly PlacedRow[]): RowInfo[] {
  /** Rows to add below each row, by its index; -1 - n: below the n-th group. */
  const below = new Map<number, RowInfo[]>();
  const groups: RowInfo[] = [];
  const groupPlaces = new Map<string, number>();
  const rowsOfTid = placesByTid(rows);
  for (const row of added) {
    const first = row.clock.toExperiment(row.first);
    const thread = typeof row.below === 'string' ? undefined : placeKey(row.host, row.below);
    const own = thread === undefined ? -1 : lifeAt(rows, rowsOfTid.get(thread), first);
    if (own >= 0) {
      addTo(below, own, rowOf(row, rows[own]));
      continue;
    }
    const group = groupRow(rows, row, first);
    if (group === undefined) continue;
    // Layers share the row of a thread, and groups about the machine.
    const key = thread ?? (row.isOfMachine === true ? `${row.host} ${group.name}` : group.id);
    const place = groupPlaces.get(key) ?? -groups.push(group);
    groupPlaces.set(key, place);
    addTo(below, place, rowOf(row, groups[-1 - place]));
  }
  return inserted(rows, below, groups);
}

/** Indices of the rows that others may lie below: of threads by their id, several of one that came again, and of CPUs. */
function placesByTid(rows: readonly RowInfo[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  rows.forEach(({ kind, host, tid, vtid, ns = 0, cpu }, i) => {
    // Of a thread whose number in its namespace is another column, `tid` is the host's.
    const own = vtid === undefined ? ns : 0;
    if (kind === 'thread' && tid !== undefined && tid > 0) addTo(places, placeKey(host, { tid, ns: own }), i);
    if (kind === 'cpu' && cpu !== undefined) addTo(places, placeKey(host, { tid: -2 - cpu, ns: 0 }), i);
  });
  return places;
}

function placeKey(host: number, thread: ThreadNumber): string {
  return `${host}:${threadKeyOf(thread)}`;
}

/** The last of the lives that began by `time`, else the first of all; -1 of none. */
function lifeAt(rows: readonly RowInfo[], lives: readonly number[] = [], time: DisplayNs): number {
  let found = -1;
  for (const life of lives) {
    const { firstNs } = rows[life];
    const foundNs = rows[found]?.firstNs ?? Infinity;
    if (foundNs > time ? firstNs < foundNs : firstNs <= time && firstNs > foundNs) found = life;
  }
  return found;
}

/** Row that stands for a group, or for a thread that has no row, below the host's row; undefined: the host has none. */
function groupRow(
  rows: readonly RowInfo[],
  { word, host, below, isOfMachine }: PlacedRow,
  firstNs: DisplayNs,
): RowInfo | undefined {
  const parent = rows.findIndex((row) => row.kind === 'host' && row.host === host);
  if (parent < 0) return undefined;
  const group =
    typeof below === 'string'
      ? { id: `${word}-group:${host}:${below}`, name: below }
      : { id: `${word}-thread:${host}:${threadKeyOf(below)}`, ...threadColumns(below) };
  return {
    ...PLAIN,
    ...group,
    parent,
    kind: isOfMachine === true ? 'resources' : 'group',
    host,
    attribute: -1,
    firstNs,
    lastNs: rows[parent].lastNs,
  };
}

function threadColumns({ tid, ns, pid, process }: LayerThread): Pick<RowInfo, 'name' | 'tid' | 'pid' | 'ns'> {
  const namespace = ns >>> 0 || undefined;
  if (tid <= 0) return { name: 'No known thread', ns: namespace };
  return { name: process || 'Thread', tid, pid: pid > 0 ? pid : undefined, ns: namespace };
}

const PLAIN = { cpuTimeNs: 0, events: 0, ran: true, kernelThread: false };

/** `parent` is set when it is inserted. */
function rowOf({ id, name, host, attribute, isPlot }: PlacedRow, { firstNs, lastNs }: RowInfo): RowInfo {
  const kind = isPlot === true ? 'plot' : 'layer';
  return { ...PLAIN, id, parent: -1, kind, name, host, attribute, firstNs, lastNs };
}

function inserted(
  rows: readonly RowInfo[],
  below: ReadonlyMap<number, readonly RowInfo[]>,
  groups: readonly RowInfo[],
): RowInfo[] {
  const all: RowInfo[] = [];
  /** New index of each row. */
  const places: number[] = [];
  const addBelow = (place: number, parent: number) => {
    for (const row of below.get(place) ?? []) all.push({ ...row, parent });
  };
  rows.forEach((row, i) => {
    places[i] = all.push({ ...row, parent: row.parent < 0 ? -1 : places[row.parent] }) - 1;
    addBelow(i, places[i]);
  });
  groups.forEach((group, i) => {
    const place = all.push({ ...group, parent: places[group.parent] }) - 1;
    addBelow(-1 - i, place);
  });
  return all;
}
