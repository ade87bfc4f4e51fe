/** Order in which siblings are shown. */
import { byKind, columnsOf } from '../../../engine/answers/rows/row-writer.ts';
import { textAt } from '../../../engine/base/text-column.ts';
import { textIndex } from '../../../engine/base/text-index.ts';
import type { RowColumns, RowInfo } from '../../../engine/protocol/rows.ts';
import { rowIndex } from './row-by-id.ts';
import { PINNED_ORDER, ROW_KINDS } from './row-kinds.ts';
import type { RowsInView } from '../view/rows-in-view.ts';

/** Orders of rows. 'found': in the order in which rows came, so that nothing jumps while reading. 'view': by time on CPU in view. */
export type SortBy = 'found' | 'cpu' | 'view' | 'name' | 'tid' | 'path';

export interface OrderOptions {
  readonly pinned: ReadonlySet<string>;
  readonly sort: SortBy;
  /** ns on the path by id, for sort 'path'; groups count what is below. */
  readonly timeOnPath?: ReadonlyMap<string, number>;
  /** Undefined: the whole trace is seen. */
  readonly inView?: RowsInView;
  /** Parent of each row, if processes are below those that forked them. */
  readonly parents?: Int32Array;
  /** Rank of each row in the order in which rows were first seen, for sort 'found' (`foundRanks`). */
  readonly found?: Float64Array;
}

const THREAD_ORDER = ROW_KINDS.thread.order;
const KIND_ORDER = byKind((kind) => ROW_KINDS[kind].order);
const IS_OF_THREADS = byKind((kind) => (kind === 'process' || kind === 'thread' ? 1 : 0));
const IS_PROCESS = byKind((kind) => (kind === 'process' ? 1 : 0));
const BY_NAME = new Intl.Collator(undefined, { numeric: true });

/** Place in `timesOnPath` of a row that the path does not touch. */
export const OFF_PATH = -1;

/** Time on the path by row, ns, for sort 'path'; undefined for other orders. */
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

/** Ranks of rows: those that were there `before` keep theirs, others follow in their order. */
export function foundRanks(
  rows: readonly RowInfo[],
  before: { readonly rows: readonly RowInfo[]; readonly ranks: Float64Array },
): Float64Array {
  const { text, end } = columnsOf(rows).id;
  const known = textIndex(columnsOf(before.rows).id);
  let next = before.ranks.reduce((most, rank) => Math.max(most, rank), -1);
  const ranks = new Float64Array(rows.length);
  for (let row = 0; row < rows.length; row++) {
    const at = known.find(text, row === 0 ? 0 : end[row - 1], end[row]);
    ranks[row] = at < 0 ? ++next : before.ranks[at];
  }
  return ranks;
}

/**
 * Sorts siblings by columns: by group, then threads and processes as the reader chose, others as they came.
 * @param pinned 1 for pinned rows
 * @param onPath result of `timesOnPath`
 */
export function siblingOrder(
  columns: RowColumns,
  options: OrderOptions,
  pinned: Uint8Array | undefined,
  onPath: Float64Array | undefined,
): (siblings: Int32Array) => Int32Array {
  /** Group of each row, by index. */
  const group = Uint8Array.from(columns.kind, (kind, i) => {
    const order = KIND_ORDER[kind];
    if (pinned?.[i] === 1) return PINNED_ORDER;
    // Rows on the path stand together, whatever their group.
    return order > THREAD_ORDER && onPath !== undefined && onPath[i] !== OFF_PATH ? THREAD_ORDER : order;
  });
  const compare = comparison(columns, options, onPath);
  return (siblings) =>
    siblings.slice().sort((a, b) => {
      if (group[a] !== group[b]) return group[a] - group[b];
      const isSorted = group[a] >= PINNED_ORDER && group[a] <= THREAD_ORDER;
      return (isSorted ? compare(a, b) : 0) || a - b;
    });
}

/** Compares rows by their numbers; a process with others below it counts their sum. */
function comparison(
  columns: RowColumns,
  options: OrderOptions,
  onPath: Float64Array | undefined,
): (a: number, b: number) => number {
  const { tid, cpuTimeNs } = columns;
  switch (options.sort) {
    case 'found': {
      const { found } = options;
      return found === undefined ? () => 0 : (a, b) => found[a] - found[b];
    }
    case 'cpu':
    case 'view': {
      const own = (options.sort === 'view' ? options.inView?.onCpuNs : undefined) ?? cpuTimeNs;
      const time = withForked(columns, own, options);
      return (a, b) => time[b] - time[a];
    }
    case 'name': {
      const rank = nameRanks(columns);
      return (a, b) => rank[a] - rank[b];
    }
    case 'tid':
      return (a, b) => tid[a] - tid[b];
    case 'path': {
      const own = onPath?.map((ns) => Math.max(0, ns)) ?? new Float64Array(cpuTimeNs.length);
      // Compared first, since Infinity - Infinity is NaN.
      return (a, b) => (own[a] === own[b] ? cpuTimeNs[b] - cpuTimeNs[a] : own[b] - own[a]);
    }
  }
}

/** Rank of each row's name among all names, of which there are fewer than rows. */
function nameRanks({ name, length }: RowColumns): Int32Array {
  const { first } = textIndex(name);
  const names = Array.from(
    first.filter((same, row) => same === row),
    (row) => ({ row, text: textAt(name, row) }),
  );
  names.sort((a, b) => BY_NAME.compare(a.text, b.text));
  const ranks = new Int32Array(length);
  names.forEach(({ row, text }, i) => {
    const isSame = i > 0 && BY_NAME.compare(names[i - 1].text, text) === 0;
    ranks[row] = isSame ? ranks[names[i - 1].row] : i;
  });
  return first.map((row) => ranks[row]);
}

/** Adds to the number of each process those of the processes below it. */
function withForked({ kind, parent }: RowColumns, own: Float64Array, { parents }: OrderOptions) {
  if (parents === undefined) return own;
  const isOfThreads = (i: number) => IS_OF_THREADS[kind[i]] === 1;
  const sums = own.slice();
  parent.forEach((above, i) => {
    // The number of a process includes those of its threads.
    if (!isOfThreads(i) || (above >= 0 && IS_PROCESS[kind[above]] === 1)) return;
    for (let to = parents[i]; to >= 0 && isOfThreads(to); to = parents[to]) sums[to] += own[i];
  });
  return sums;
}
