/** Order in which siblings are shown. */
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { rowIndex } from './row-by-id.ts';
import { PINNED_ORDER, ROW_KINDS } from './row-kinds.ts';
import type { RowsInView } from '../view/rows-in-view.ts';

/** 'found': in the order in which rows came, so that nothing jumps while reading. 'view': by time on CPU in view. */
export type SortBy = 'found' | 'cpu' | 'view' | 'name' | 'tid' | 'path';

export interface OrderOptions {
  readonly pinned: ReadonlySet<string>;
  readonly sort: SortBy;
  /** ns on the path by id, for sort 'path'; groups count what is below. */
  readonly timeOnPath?: ReadonlyMap<string, number>;
  /** Undefined: the whole trace is seen. */
  readonly inView?: RowsInView;
  /** Index of the row that each row stands below, by row, where processes stand below those that forked them. */
  readonly parents?: Int32Array;
  /** Order in which ids were first seen. */
  readonly found: ReadonlyMap<string, number>;
}

const THREAD_ORDER = ROW_KINDS.thread.order;
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

/** Place in `timesOnPath` of a row that the path does not touch. */
export const OFF_PATH = -1;

/** Time on the path by row for sort 'path', ns; undefined: rows are sorted otherwise. */
export function timesOnPath(
  rows: readonly RowInfo[],
  { sort, timeOnPath }: Pick<OrderOptions, 'sort' | 'timeOnPath'>,
): Float64Array | undefined {
  if (sort !== 'path' || timeOnPath === undefined) return undefined;
  const times = new Float64Array(rows.length).fill(OFF_PATH);
  for (const [id, ns] of timeOnPath) {
    const row = rowIndex(rows, id);
    if (row >= 0) times[row] = ns;
  }
  return times;
}

/** Sorts siblings: by group, threads and processes as the reader wants, all else as it came. What it compares are columns. */
export class RowOrder {
  /** Group of each row, by index. */
  readonly #group: Uint8Array;
  readonly #compare: (a: number, b: number) => number;

  /** @param onPath as `timesOnPath` has them */
  constructor(rows: readonly RowInfo[], options: OrderOptions, onPath: Float64Array | undefined) {
    this.#group = new Uint8Array(rows.length);
    rows.forEach((row, i) => (this.#group[i] = groupOf(row, options, onPath?.[i])));
    this.#compare = comparison(rows, options, onPath);
  }

  sorted(indices: Int32Array): Int32Array {
    const group = this.#group;
    return indices.slice().sort((a, b) => {
      if (group[a] !== group[b]) return group[a] - group[b];
      const isSorted = group[a] >= PINNED_ORDER && group[a] <= THREAD_ORDER;
      return (isSorted ? this.#compare(a, b) : 0) || a - b;
    });
  }
}

function groupOf(row: RowInfo, options: OrderOptions, onPath = OFF_PATH): number {
  if (isPinned(row, options)) return PINNED_ORDER;
  const order = ROW_KINDS[row.kind].order;
  // What lies on the path stands together, whatever group it belongs to.
  return order > THREAD_ORDER && onPath !== OFF_PATH ? THREAD_ORDER : order;
}

/** Compares rows by their numbers; a process that others stand below by the sum of all of them. */
function comparison(
  rows: readonly RowInfo[],
  options: OrderOptions,
  onPath: Float64Array | undefined,
): (a: number, b: number) => number {
  const column = (valueOf: (row: RowInfo) => number) => {
    const values = new Float64Array(rows.length);
    rows.forEach((row, i) => (values[i] = valueOf(row)));
    return values;
  };
  switch (options.sort) {
    case 'found': {
      const rank = column(({ id }) => options.found.get(id) ?? Infinity);
      return (a, b) => rank[a] - rank[b];
    }
    case 'cpu': {
      const time = withForked(
        rows,
        column(({ cpuTimeNs }) => cpuTimeNs),
        options,
      );
      return (a, b) => time[b] - time[a];
    }
    case 'view': {
      const own = options.inView?.onCpuNs ?? column(({ cpuTimeNs }) => cpuTimeNs);
      const time = withForked(rows, own, options);
      return (a, b) => time[b] - time[a];
    }
    case 'name': {
      const names = rows.map(({ name }) => name);
      return (a, b) => BY_NAME.compare(names[a], names[b]);
    }
    case 'tid': {
      const tid = column((row) => row.tid ?? -1);
      return (a, b) => tid[a] - tid[b];
    }
    case 'path': {
      const own = onPath?.map((ns) => Math.max(0, ns)) ?? new Float64Array(rows.length);
      const time = column(({ cpuTimeNs }) => cpuTimeNs);
      // Two that come first are equal, and Infinity less Infinity is not.
      return (a, b) => (own[a] === own[b] ? time[b] - time[a] : own[b] - own[a]);
    }
  }
}

/** Adds to the number of each process those of the processes below it. */
function withForked(rows: readonly RowInfo[], own: Float64Array, { parents }: OrderOptions): Float64Array {
  if (parents === undefined) return own;
  const isOfThreads = (i: number) => rows[i].kind === 'process' || rows[i].kind === 'thread';
  const sums = own.slice();
  rows.forEach(({ parent }, i) => {
    // The number of a process has those of its threads.
    if (!isOfThreads(i) || (parent >= 0 && rows[parent].kind === 'process')) return;
    for (let above = parents[i]; above >= 0 && isOfThreads(above); above = parents[above])
      sums[above] += own[i];
  });
  return sums;
}

/** Texts of rows are made when they are asked for: not that of each row where nothing is pinned. */
export function isPinned(row: RowInfo, { pinned }: OrderOptions): boolean {
  return pinned.size > 0 && pinned.has(row.id);
}
