/** Which rows are shown, in which order and where: folds, filter, sorting, pins. Pure; linear in the rows but for sorting. */
import type { RowInfo, RowKind } from '../../workers/session-api.ts';

export const SORTS = ['found', 'cpu', 'name', 'tid', 'path'] as const;
/** 'found': in the order in which rows came, so that nothing jumps while reading. */
export type SortBy = (typeof SORTS)[number];

export interface RowOptions {
  /** Ids of rows that are not as their kind is by default. */
  readonly toggled: ReadonlySet<string>;
  readonly pinned: ReadonlySet<string>;
  readonly filter: string;
  readonly sort: SortBy;
  /** ns on the path by id, for sort 'path', which leaves out the threads that are not on it; groups count what is below. */
  readonly timeOnPath?: ReadonlyMap<string, number>;
  /** Order in which ids were first seen. */
  readonly found: ReadonlyMap<string, number>;
  readonly rowHeight: number;
  readonly hostHeight: number;
}

export interface LaidRow {
  readonly row: RowInfo;
  readonly depth: number;
  /** CSS pixels from the first row's top. */
  readonly y: number;
  readonly height: number;
  /** Children in the tree, shown or not. */
  readonly children: number;
  readonly open: boolean;
  readonly pinned: boolean;
}

export interface RowLayout {
  readonly rows: readonly LaidRow[];
  readonly height: number;
  /** Position in `rows`. */
  readonly position: ReadonlyMap<string, number>;
}

export const NO_ROWS: RowLayout = { rows: [], height: 0, position: new Map() };

/** Kernel threads and threads that never ran are folded unless asked for. */
export function openByDefault(kind: RowKind): boolean {
  return kind !== 'kernel-threads' && kind !== 'never-ran';
}

export function layoutRows(rows: readonly RowInfo[], options: RowOptions): RowLayout {
  const children = childrenOf(rows);
  const shown = matching(rows, options.filter);
  const laid: LaidRow[] = [];
  let y = 0;
  const add = (index: number, depth: number) => {
    if (shown && shown[index] === 0) return;
    const row = rows[index];
    if (isOffPath(row, options)) return;
    const below = children.get(index) ?? [];
    const open = shown !== undefined || openByDefault(row.kind) !== options.toggled.has(row.id);
    const height = row.kind === 'host' ? options.hostHeight : options.rowHeight;
    laid.push({ row, depth, y, height, children: below.length, open, pinned: options.pinned.has(row.id) });
    y += height;
    if (open) for (const child of sorted(below, rows, options)) add(child, depth + 1);
  };
  for (const root of children.get(-1) ?? []) add(root, 0);
  const position = new Map<string, number>();
  laid.forEach(({ row }, i) => position.set(row.id, i));
  return { rows: laid, height: y, position };
}

/** A thread, or a group of threads, that the path does not touch. Pinned rows stay, overlays stay with their thread. */
function isOffPath({ id, kind }: RowInfo, { sort, timeOnPath, pinned }: RowOptions): boolean {
  if (sort !== 'path' || timeOnPath === undefined || pinned.has(id) || kind === 'overlay') return false;
  return GROUP_ORDER[kind] >= GROUP_ORDER.thread && !timeOnPath.has(id);
}

/** Position of the row at `y`, clamped to the rows; -1 when there is none. Binary search. */
export function rowAtY(layout: RowLayout, y: number): number {
  let low = 0;
  let high = layout.rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (layout.rows[middle].y <= y) low = middle;
    else high = middle - 1;
  }
  return high;
}

function childrenOf(rows: readonly RowInfo[]): Map<number, number[]> {
  const children = new Map<number, number[]>();
  rows.forEach((row, index) => {
    const list = children.get(row.parent);
    if (list) list.push(index);
    else children.set(row.parent, [index]);
  });
  return children;
}

/** 1 for rows that match every word, and for those above them; undefined without a filter. */
function matching(rows: readonly RowInfo[], filter: string): Uint8Array | undefined {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const shown = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    const text = filteredText(row, rows).toLowerCase();
    if (!words.every((word) => text.includes(word))) return;
    for (let i = index; i >= 0 && shown[i] === 0; i = rows[i].parent) shown[i] = 1;
  });
  return shown;
}

/** An overlay is found by its thread as well: who looks for a thread wants to see what it does. */
function filteredText({ kind, name, tid, parent }: RowInfo, rows: readonly RowInfo[]): string {
  const own = `${name} ${tid ?? ''}`;
  return kind === 'overlay' && parent >= 0 ? `${filteredText(rows[parent], rows)} ${own}` : own;
}

const GROUP_ORDER: Record<RowKind, number> = {
  host: 0,
  'cpu-usage': 1,
  cpu: 2,
  stream: 3,
  overlay: 3,
  process: 5,
  thread: 5,
  group: 6,
  'kernel-threads': 7,
  'never-ran': 8,
};
const PINNED_ORDER = 4;
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

function sorted(indices: readonly number[], rows: readonly RowInfo[], options: RowOptions): number[] {
  const compare = comparison(options);
  // What lies on the path stands together, whatever group it belongs to.
  const isOnPath = (row: RowInfo) =>
    options.sort === 'path' &&
    GROUP_ORDER[row.kind] > GROUP_ORDER.thread &&
    options.timeOnPath?.has(row.id) === true;
  const group = (row: RowInfo) => {
    if (options.pinned.has(row.id)) return PINNED_ORDER;
    return isOnPath(row) ? GROUP_ORDER.thread : GROUP_ORDER[row.kind];
  };
  return indices
    .map((index) => ({ index, row: rows[index], order: group(rows[index]) }))
    .sort((a, b) => {
      if (a.order !== b.order) return a.order - b.order;
      const isSorted = a.order >= PINNED_ORDER && a.order <= GROUP_ORDER.thread;
      return (isSorted ? compare(a.row, b.row) : 0) || a.index - b.index;
    })
    .map(({ index }) => index);
}

function comparison(options: RowOptions): (a: RowInfo, b: RowInfo) => number {
  const rank = (row: RowInfo) => options.found.get(row.id) ?? Infinity;
  switch (options.sort) {
    case 'found':
      return (a, b) => rank(a) - rank(b);
    case 'cpu':
      return (a, b) => b.cpuTimeNs - a.cpuTimeNs;
    case 'name':
      return (a, b) => BY_NAME.compare(a.name, b.name);
    case 'tid':
      return (a, b) => (a.tid ?? -1) - (b.tid ?? -1);
    case 'path': {
      const time = (row: RowInfo) => options.timeOnPath?.get(row.id) ?? 0;
      // Two that come first are equal, and Infinity less Infinity is not.
      return (a, b) => (time(a) === time(b) ? b.cpuTimeNs - a.cpuTimeNs : time(b) - time(a));
    }
  }
}
