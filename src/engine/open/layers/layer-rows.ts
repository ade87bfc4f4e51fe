/** Rows of layers: each directly below its thread's row, or below a row of its own where the thread has none. */
import { addTo } from '../../base/group-by.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { LayerRow, LayerThread } from '../../layers/contract/layer.ts';
import { threadKeyOf, type ThreadNumber } from '../../layers/contract/event-threads.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RowColumns, RowInfo } from '../../protocol/rows.ts';
import { NONE } from '../../answers/rows/row-columns.ts';
import { mergedRows, packRows, indicesOf } from '../../answers/rows/row-writer.ts';

export interface PlacedRow extends LayerRow {
  readonly id: string;
  /** Prefix of the ids of the layer's rows. */
  readonly word: string;
  readonly host: number;
  readonly clock: ClockTransform;
}

/** The rows with those of layers inserted. The order of `rows` stays. */
export function withLayerRows(rows: RowColumns, added: readonly PlacedRow[]): RowColumns {
  /** Rows to add below each row, by its index; -1 - n: below the n-th group. */
  const below = new Map<number, RowInfo[]>();
  const groups: RowInfo[] = [];
  const groupPlaces = new Map<string, number>();
  const rowsOfTid = placesByTid(rows, added);
  for (const row of added) {
    const first = row.clock.toExperiment(row.first);
    const thread = typeof row.below === 'string' ? undefined : placeKey(row.host, row.below);
    const own = thread === undefined ? -1 : lifeAt(rows, rowsOfTid.get(thread), first);
    if (own >= 0) {
      addTo(below, own, rowOf(row, { firstNs: rows.firstNs[own], lastNs: rows.lastNs[own] }));
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

/**
 * Indices of rows that others may be placed below: threads by id, several for a tid that was used again, and CPUs. Of
 * threads only those that have rows in `added`.
 */
function placesByTid(rows: RowColumns, added: readonly PlacedRow[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  const wanted = new Set(added.map(({ below }) => (typeof below === 'string' ? 0 : below.tid)));
  const { host, tid, vtid, ns, cpu } = rows;
  for (const i of indicesOf(rows, 'thread')) {
    // If the number in the namespace has a column of its own, `tid` is the host's.
    const own = vtid[i] === NONE ? ns[i] : 0;
    if (tid[i] > 0 && wanted.has(tid[i])) addTo(places, placeKey(host[i], { tid: tid[i], ns: own }), i);
  }
  for (const i of indicesOf(rows, 'cpu'))
    if (cpu[i] !== NONE) addTo(places, placeKey(host[i], { tid: -2 - cpu[i], ns: 0 }), i);
  return places;
}

function placeKey(host: number, thread: ThreadNumber): string {
  return `${host}:${threadKeyOf(thread)}`;
}

/** The last life that began by `time`, or else the first; -1: none. */
function lifeAt({ firstNs }: RowColumns, lives: readonly number[] = [], time: DisplayNs): number {
  let found = -1;
  for (const life of lives) {
    const foundNs = found < 0 ? Infinity : firstNs[found];
    if (foundNs > time ? firstNs[life] < foundNs : firstNs[life] <= time && firstNs[life] > foundNs)
      found = life;
  }
  return found;
}

/** Row of a group, or of a thread that has no row, below the host's row; undefined: the host has none. */
function groupRow(
  rows: RowColumns,
  { word, host, below, isOfMachine }: PlacedRow,
  firstNs: DisplayNs,
): RowInfo | undefined {
  const parent = indicesOf(rows, 'host').find((row) => rows.host[row] === host);
  if (parent === undefined) return undefined;
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
    lastNs: rows.lastNs[parent],
  };
}

function threadColumns({ tid, ns, pid, process }: LayerThread): Pick<RowInfo, 'name' | 'tid' | 'pid' | 'ns'> {
  const namespace = ns >>> 0 || undefined;
  if (tid <= 0) return { name: 'No known thread', ns: namespace };
  return { name: process || 'Thread', tid, pid: pid > 0 ? pid : undefined, ns: namespace };
}

const PLAIN = { cpuTimeNs: 0, events: 0, ran: true, kernelThread: false };

/** `parent` is set on insertion. */
function rowOf(
  { id, name, host, attribute, isPlot }: PlacedRow,
  { firstNs, lastNs }: Pick<RowInfo, 'firstNs' | 'lastNs'>,
): RowInfo {
  const kind = isPlot === true ? 'plot' : 'layer';
  return { ...PLAIN, id, parent: -1, kind, name, host, attribute, firstNs, lastNs };
}

function inserted(
  rows: RowColumns,
  below: ReadonlyMap<number, readonly RowInfo[]>,
  groups: readonly RowInfo[],
): RowColumns {
  const length = [...below.values()].reduce((sum, list) => sum + list.length, rows.length + groups.length);
  const order = new Int32Array(length);
  const parent = new Int32Array(length);
  const more: RowInfo[] = [];
  let next = 0;
  const add = (row: number, above: number) => {
    order[next] = row;
    parent[next] = above;
    return next++;
  };
  const addNew = (row: RowInfo, above: number) => add(rows.length + more.push(row) - 1, above);
  const addBelow = (place: number, above: number) => below.get(place)?.forEach((row) => addNew(row, above));
  /** New index of each row. */
  const places = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    places[i] = add(i, rows.parent[i] < 0 ? -1 : places[rows.parent[i]]);
    addBelow(i, places[i]);
  }
  groups.forEach((group, i) => addBelow(-1 - i, addNew(group, places[group.parent])));
  return mergedRows(rows, packRows(more), order, parent);
}
