/** Rows of overlays: each directly below the row of its thread, or below one of its own where that has none. */
import { addTo } from '../../base/group-by.ts';
import type { OverlayTables, OverlayTrack } from '../../overlays/overlay-reducer.ts';
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
  const add = (place: number, added: readonly RowInfo[]) => {
    for (const row of added) addTo(below, place, row);
  };
  for (const host of hosts) {
    for (const track of host.tables.tracks) {
      const first = host.clock.toExperiment(track.first);
      const own = threadRow(rows, host.index, track.tid, first);
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

/** Index of the thread's row; of a thread id that came again, that of the life at `time`. */
function threadRow(rows: readonly RowInfo[], host: number, tid: number, time: number): number {
  let found = -1;
  rows.forEach((row, i) => {
    if (row.host !== host) return;
    if (tid < -1 && row.kind === 'cpu' && row.cpu === -2 - tid) found = i;
    if (tid <= 0 || row.kind !== 'thread' || row.tid !== tid) return;
    if (found < 0 || (row.firstNs <= time && row.firstNs > rows[found].firstNs)) found = i;
  });
  return found;
}

/** Stands for a thread that the kernel's trace tells nothing of; `parent` is the host's row. */
function groupRow(
  rows: readonly RowInfo[],
  { index }: HostOverlayRows,
  { tid, pid, process }: OverlayTrack,
  firstNs: number,
): RowInfo | undefined {
  const parent = rows.findIndex(({ kind, host }) => kind === 'host' && host === index);
  if (parent < 0) return undefined;
  const isThread = tid > 0;
  return {
    id: `overlay-thread:${index}:${tid}`,
    parent,
    kind: 'group',
    name: isThread ? process || 'Thread' : 'No known thread',
    tid: isThread ? tid : undefined,
    pid: isThread && pid > 0 ? pid : undefined,
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
    id: `overlay:${index}:${track.tid}:${track.definition}:${level}:${hash}`,
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
