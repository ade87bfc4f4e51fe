/** Rows of overlays: each directly below the row of its thread, or below one of its own where that has none. */
import { addTo } from '../../base/group-by.ts';
import { type OverlayTables, type OverlayTrack, threadKeyOf } from '../../overlays/overlay-reducer.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RowInfo } from '../rows/rows-api.ts';

export interface HostOverlayRows {
  readonly index: number;
  readonly names: readonly string[];
  /** Of the definitions: rows of others are other rows. */
  readonly hash: string;
  readonly tables: OverlayTables;
  readonly clock: ClockTransform;
}

/** The rows with those of overlays among them. `rows` stay in their order. */
export function withOverlayRows(rows: readonly RowInfo[], hosts: readonly HostOverlayRows[]): RowInfo[] {
  /** Rows to add below each row, by its index; -1 - n: below the n-th group. */
  const below = new Map<number, RowInfo[]>();
  const groups: RowInfo[] = [];
  const groupPlaces = new Map<string, number>();
  const rowsOfTid = placesByTid(rows);
  const add = (place: number, added: readonly RowInfo[]) => {
    for (const row of added) addTo(below, place, row);
  };
  for (const host of hosts) {
    for (const track of host.tables.tracks) {
      const first = host.clock.toExperiment(track.first);
      const own = lifeAt(rows, rowsOfTid.get(placeKey(host.index, track)), first);
      if (own >= 0) {
        add(own, levelRows(host, track, rows[own]));
        continue;
      }
      const group = groupRow(rows, host, track, first);
      if (group === undefined) continue;
      const place = groupPlaces.get(group.id) ?? -groups.push(group);
      groupPlaces.set(group.id, place);
      add(place, levelRows(host, track, group));
    }
  }
  return inserted(rows, below, groups);
}

/** Indices of the rows that overlays may lie below: of threads by their id, several of one that came again, and of CPUs. */
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

/** @param thread as a track has it: the tid of the idle thread of CPU n is -2 - n */
function placeKey(host: number, thread: Pick<OverlayTrack, 'tid' | 'ns'>): string {
  return `${host}:${threadKeyOf(thread)}`;
}

/** The last of the lives that began by `time`, else the first of all; -1 of none. */
function lifeAt(rows: readonly RowInfo[], lives: readonly number[] = [], time: number): number {
  let found = -1;
  for (const life of lives) {
    const { firstNs } = rows[life];
    const foundNs = rows[found]?.firstNs ?? Infinity;
    if (foundNs > time ? firstNs < foundNs : firstNs <= time && firstNs > foundNs) found = life;
  }
  return found;
}

/** Stands for a thread that the kernel's trace tells nothing of; `parent` is the host's row. */
function groupRow(
  rows: readonly RowInfo[],
  { index }: HostOverlayRows,
  { tid, ns, pid, process }: OverlayTrack,
  firstNs: number,
): RowInfo | undefined {
  const parent = rows.findIndex(({ kind, host }) => kind === 'host' && host === index);
  if (parent < 0) return undefined;
  const isThread = tid > 0;
  return {
    id: `overlay-thread:${index}:${threadKeyOf({ tid, ns })}`,
    parent,
    kind: 'group',
    name: isThread ? process || 'Thread' : 'No known thread',
    tid: isThread ? tid : undefined,
    pid: isThread && pid > 0 ? pid : undefined,
    ns: ns >>> 0 || undefined,
    host: index,
    attribute: -1,
    cpuTimeNs: 0,
    events: 0,
    ran: true,
    kernelThread: false,
    firstNs,
    lastNs: rows[parent].lastNs,
  };
}

/** One row a level; `parent` is set when it is inserted. */
function levelRows({ index, names, hash }: HostOverlayRows, track: OverlayTrack, thread: RowInfo): RowInfo[] {
  const name = names[track.definition];
  return track.attributes.map((attribute, level) => ({
    id: `overlay:${index}:${threadKeyOf(track)}:${track.definition}:${level}:${hash}`,
    parent: -1,
    kind: 'overlay',
    name: level === 0 ? name : `${name}, level ${level + 1}`,
    host: index,
    attribute,
    cpuTimeNs: 0,
    events: 0,
    ran: true,
    kernelThread: false,
    firstNs: thread.firstNs,
    lastNs: thread.lastNs,
  }));
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
