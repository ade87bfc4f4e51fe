/**
 * Layout of the rows: which are shown, in which order and where, by folds, filter, sorting and pins. Pure; linear in the
 * rows except for sorting the shown ones. Loops over all rows read columns, without an object or a text for each row.
 */
import { byKind, columnsOf } from '../../../engine/answers/rows/row-writer.ts';
import { cachedByKey } from '../../../engine/base/cached-by-key.ts';
import { rowsBy } from '../../../engine/base/rows-by.ts';
import { textAt } from '../../../engine/base/text-column.ts';
import { textIndex } from '../../../engine/base/text-index.ts';
import type { RowColumns, RowInfo } from '../../../engine/protocol/rows.ts';
import { tidText } from '../../format/tid.ts';
import { markedRows, rowIndex } from './row-by-id.ts';
import { IS_LAYER, openByDefault, ROW_KINDS } from './row-kinds.ts';
import { OFF_PATH, siblingOrder, type OrderOptions, timesOnPath } from './row-order.ts';

/** Options of a layout. Sort 'path' leaves out threads that are not on the path, and ignores `parents`. */
export interface RowOptions extends OrderOptions {
  /** Ids of rows whose fold is not their kind's default. */
  readonly toggled: ReadonlySet<string>;
  readonly filter: string;
  /** Only rows that are active in view, and those that are pinned or kept; not with sort 'path'. */
  readonly activeOnly: boolean;
  /** Ids of rows that are shown though they are not active. */
  readonly kept: ReadonlySet<string>;
  /** Ids of rows that the reader has hidden, with those below them. */
  readonly hiddenIds?: ReadonlySet<string>;
  /** Whether processes of a pid namespace are below a row for it; false: they are among all other processes. */
  readonly byNamespace: boolean;
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

/** The shown rows in their order, as columns; objects of single rows are made on demand. */
export class RowLayout {
  readonly length: number;
  readonly height: number;
  /** Number of processes and threads that are not shown because they are not active in view. */
  readonly hidden: number;
  readonly #rows: readonly RowInfo[];
  readonly #tree: RowTree;
  readonly #laid: LaidColumns;
  readonly #options: RowOptions;
  /** Row objects made so far, by position. */
  readonly #made = new Map<number, LaidRow>();
  /** Positions of the rows, by index in the tree; -1: the row is not shown. */
  #positions: Int32Array | undefined;

  constructor(rows: readonly RowInfo[], tree: RowTree, laid: LaidColumns, options: RowOptions) {
    this.#rows = rows;
    this.length = laid.length;
    this.height = laid.height;
    this.hidden = laid.hidden;
    this.#tree = tree;
    this.#laid = laid;
    this.#options = options;
  }

  /** The row at a position: the same object each time, so that nothing renders again. */
  at(position: number): LaidRow {
    let laid = this.#made.get(position);
    if (laid === undefined) {
      laid = this.#make(position);
      this.#made.set(position, laid);
    }
    return laid;
  }

  /** Positions [from, to), as far as there are rows. */
  slice(from: number, to: number): LaidRow[] {
    const rows: LaidRow[] = [];
    for (let i = Math.max(0, from); i < Math.min(to, this.length); i++) rows.push(this.at(i));
    return rows;
  }

  /** -1: the row is not shown. */
  positionOf(id: string): number {
    this.#positions ??= this.#findPositions();
    return this.#positions[rowIndex(this.#rows, id)] ?? -1;
  }

  find(id: string): LaidRow | undefined {
    const position = this.positionOf(id);
    return position < 0 ? undefined : this.at(position);
  }

  /** Position of the row at `y`, clamped to the rows; -1 when there is none. Binary search. */
  positionAt(y: number): number {
    const tops = this.#laid.y;
    let low = 0;
    let high = this.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return high;
  }

  #make(position: number): LaidRow {
    const { index, depth, y, open } = this.#laid;
    const row = this.#rows[index[position]];
    return {
      row,
      depth: depth[position],
      y: y[position],
      height: heightOf(this.#options, row.kind === 'host'),
      children: this.#tree.countBelow(index[position]),
      open: open[position] === 1,
      pinned: this.#options.pinned.has(row.id),
    };
  }

  #findPositions(): Int32Array {
    const positions = new Int32Array(this.#rows.length).fill(-1);
    for (let i = 0; i < this.length; i++) positions[this.#laid.index[i]] = i;
    return positions;
  }
}

/** Columns of a layout, by position; they have more room than rows. */
interface LaidColumns {
  length: number;
  height: number;
  hidden: number;
  /** Index of the row in the tree. */
  readonly index: Int32Array;
  readonly depth: Uint8Array;
  readonly y: Int32Array;
  readonly open: Uint8Array;
}

const KIND_ORDER = byKind((kind) => ROW_KINDS[kind].order);
const IS_OPEN = byKind((kind) => (openByDefault(kind) ? 1 : 0));
const IS_HOST = byKind((kind) => (kind === 'host' ? 1 : 0));
const IS_NAMESPACE = byKind((kind) => (kind === 'namespace' ? 1 : 0));

export function layoutRows(rows: readonly RowInfo[], options: RowOptions): RowLayout {
  const columns = columnsOf(rows);
  const { kind } = columns;
  const parents = parentsOf(columns, options);
  const tree = treeOf(parents);
  const shown = matching(rows, parents, options.filter);
  const active = activeRows(rows, parents, options);
  const onPath = timesOnPath(rows, options);
  const pinned = markedRows(rows, options.pinned);
  const left = markedRows(rows, options.hiddenIds);
  const toggled = markedRows(rows, options.toggled);
  const sorted = siblingOrder(columns, options, pinned, onPath);
  const laid: LaidColumns = {
    length: 0,
    height: 0,
    hidden: 0,
    index: new Int32Array(rows.length),
    depth: new Uint8Array(rows.length),
    y: new Int32Array(rows.length),
    open: new Uint8Array(rows.length),
  };
  const isOpen = (index: number) =>
    shown !== undefined || IS_OPEN[kind[index]] !== (toggled?.[index] ?? 0) || tree.countBelow(index) === 0;
  /** Whether a row below an open one is shown; counts it if it is hidden because it is not active. */
  const isShown = (index: number) => {
    if (shown?.[index] === 0 || left?.[index] === 1) return false;
    const isOfThreads = KIND_ORDER[kind[index]] >= ROW_KINDS.thread.order;
    // Pinned rows stay, and rows of layers stay with their thread.
    const isOff = isOfThreads && IS_LAYER[kind[index]] === 0 && pinned?.[index] !== 1;
    if (onPath?.[index] === OFF_PATH && isOff) return false;
    if (active?.[index] !== 0 || !isOfThreads) return true;
    laid.hidden += 1 + (isOpen(index) ? tree.countBelow(index) : 0);
    return false;
  };
  const add = (index: number, depth: number) => {
    const open = isOpen(index);
    const position = laid.length++;
    laid.index[position] = index;
    laid.depth[position] = depth;
    laid.y[position] = laid.height;
    laid.open[position] = open ? 1 : 0;
    laid.height += heightOf(options, IS_HOST[kind[index]] === 1);
    if (!open || tree.countBelow(index) === 0) return;
    // Filtered before sorting, since a path or a filter leaves few rows.
    const below = childrenOf(tree, kind, index, options).filter(isShown);
    for (const child of sorted(below)) add(child, depth + 1);
  };
  for (const root of tree.below(-1)) if (isShown(root)) add(root, 0);
  return new RowLayout(rows, tree, laid, options);
}

function parentsOf({ parent }: RowColumns, { parents, sort }: RowOptions): Int32Array {
  return parents?.length === parent.length && sort !== 'path' ? parents : parent;
}

/** Indices of the rows shown right below one; includes those of namespaces whose rows are not shown. */
function childrenOf(tree: RowTree, kind: Uint8Array, index: number, { byNamespace }: RowOptions): Int32Array {
  const below = tree.below(index);
  const isHidden = (child: number) => !byNamespace && IS_NAMESPACE[kind[child]] === 1;
  if (!below.some(isHidden)) return below;
  return Int32Array.from([...below].flatMap((child) => (isHidden(child) ? [...tree.below(child)] : [child])));
}

function heightOf({ rowHeight, hostHeight }: RowOptions, isHost: boolean): number {
  return isHost ? hostHeight : rowHeight;
}

type RowTree = ReturnType<typeof treeOf>;

/** Children of each row, from a column of parents; computed once for each column. */
export const treeOf = cachedByKey((parents: Int32Array) => {
  // Rows without a parent come first.
  const { start, order } = rowsBy(
    parents.map((parent) => parent + 1),
    parents.length + 1,
  );
  return {
    countBelow: (index: number) => start[index + 2] - start[index + 1],
    /** Indices of the children of a row (-1: rows without a parent), in their order, as a view. */
    below: (index: number) => order.subarray(start[index + 1], start[index + 2]),
  };
});

/** 1 for rows that are shown where only active ones are, and for those above them; undefined: all are shown. */
function activeRows(
  rows: readonly RowInfo[],
  parents: Int32Array,
  { activeOnly, inView, sort, pinned, kept }: RowOptions,
): Uint8Array | undefined {
  if (!activeOnly || inView === undefined || sort === 'path') return undefined;
  const shown = inView.isActive.slice();
  // For active rows too, since their parents by fork may not be active.
  inView.isActive.forEach((isActive, i) => isActive === 1 && showAbove(shown, parents, parents[i]));
  for (const id of [...pinned, ...kept]) showAbove(shown, parents, rowIndex(rows, id));
  return shown;
}

function showAbove(shown: Uint8Array, parents: Int32Array, row: number): void {
  for (let i = row; i >= 0 && shown[i] === 0; i = parents[i]) shown[i] = 1;
}

/** 1 for rows that match every word, and for those above them; undefined without a filter. */
function matching(rows: readonly RowInfo[], parents: Int32Array, filter: string): Uint8Array | undefined {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const columns = columnsOf(rows);
  const isMatch = words.map((word) => wordMatch(rows, columns, word));
  const shown = new Uint8Array(rows.length);
  for (let i = 0; i < rows.length; i++)
    if (shown[i] === 0 && isMatch.every((is) => is(i))) showAbove(shown, parents, i);
  return shown;
}

/** Whether a row has a word in its name, which many rows share, or its id; a layer's row is found by its thread as well. */
function wordMatch(rows: readonly RowInfo[], columns: RowColumns, word: string): (row: number) => boolean {
  const { name, kind, parent } = columns;
  const { first } = textIndex(name);
  const inName = new Uint8Array(rows.length);
  first.forEach((same, i) => {
    inName[i] = same < i ? inName[same] : Number(textAt(name, i).toLowerCase().includes(word));
  });
  // Only these characters occur in the texts of ids.
  const isId = /^[\d#()-]+$/.test(word);
  const has = (row: number): boolean =>
    inName[row] === 1 ||
    (isId && (tidText(rows[row])?.includes(word) ?? false)) ||
    (IS_LAYER[kind[row]] === 1 && parent[row] >= 0 && has(parent[row]));
  return has;
}
