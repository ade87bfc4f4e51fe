/**
 * Layout of the rows: which are shown, in which order and where, by folds, filter, sorting and pins. Pure; linear in
 * the rows but for sorting.
 */
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { tidText } from '../../format/tid.ts';
import { rowIndex } from './row-by-id.ts';
import { isLayerRow, openByDefault, ROW_KINDS } from './row-kinds.ts';
import { isPinned, OFF_PATH, RowOrder, type OrderOptions, timesOnPath } from './row-order.ts';

/** Sort 'path' leaves out the threads that are not on the path, and heeds no `parents`. */
export interface RowOptions extends OrderOptions {
  /** Ids of rows that are not as their kind is by default. */
  readonly toggled: ReadonlySet<string>;
  readonly filter: string;
  /** Only rows that are active in view, and those that are pinned or kept; not with sort 'path'. */
  readonly activeOnly: boolean;
  /** Ids of rows that are shown though they are not active. */
  readonly kept: ReadonlySet<string>;
  /** Ids of rows that are left out, with those below them. */
  readonly hiddenIds?: ReadonlySet<string>;
  /** False: what belongs to a pid namespace stands among all other processes, without a row for the namespace. */
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

/** Rows in the order in which they are shown, as columns; what is known of one is put together for who asks. */
export class RowLayout {
  readonly length: number;
  readonly height: number;
  /** Processes and threads that are not shown since they are not active in view. */
  readonly hidden: number;
  readonly #tree: RowTree;
  readonly #laid: LaidColumns;
  readonly #options: RowOptions;
  /** Laid-out rows that were asked for, by position. */
  readonly #made = new Map<number, LaidRow>();
  /** Positions of the rows, by index in the tree; -1: the row is not shown. */
  #positions: Int32Array | undefined;

  constructor(tree: RowTree, laid: LaidColumns, options: RowOptions) {
    this.length = laid.length;
    this.height = laid.height;
    this.hidden = laid.hidden;
    this.#tree = tree;
    this.#laid = laid;
    this.#options = options;
  }

  /** The same each time, so that nothing is rendered anew. */
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
    return this.#positions[rowIndex(this.#tree.rows, id)] ?? -1;
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
    const row = this.#tree.rows[index[position]];
    return {
      row,
      depth: depth[position],
      y: y[position],
      height: heightOf(row, this.#options),
      children: this.#tree.countBelow(index[position]),
      open: open[position] === 1,
      pinned: isPinned(row, this.#options),
    };
  }

  #findPositions(): Int32Array {
    const positions = new Int32Array(this.#tree.rows.length).fill(-1);
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

export function layoutRows(rows: readonly RowInfo[], options: RowOptions): RowLayout {
  const parents = parentsOf(rows, options);
  const tree = new RowTree(rows, parents);
  const shown = matching(rows, parents, options.filter);
  const active = activeRows(rows, parents, options);
  const onPath = timesOnPath(rows, options);
  const order = new RowOrder(rows, options, onPath);
  const laid: LaidColumns = {
    length: 0,
    height: 0,
    hidden: 0,
    index: new Int32Array(rows.length),
    depth: new Uint8Array(rows.length),
    y: new Int32Array(rows.length),
    open: new Uint8Array(rows.length),
  };
  // Texts of rows are made when they are asked for.
  const { hiddenIds = new Set<string>() } = options;
  const add = (index: number, depth: number) => {
    if (shown && shown[index] === 0) return;
    const row = rows[index];
    if (onPath?.[index] === OFF_PATH && isLeftOut(row, options)) return;
    if (hiddenIds.size > 0 && hiddenIds.has(row.id)) return;
    const isLeaf = tree.countBelow(index) === 0;
    const open = shown !== undefined || isLeaf || isOpen(row, options);
    if (active?.[index] === 0 && ROW_KINDS[row.kind].order >= ROW_KINDS.thread.order) {
      laid.hidden += 1 + (open ? tree.countBelow(index) : 0);
      return;
    }
    const position = laid.length++;
    laid.index[position] = index;
    laid.depth[position] = depth;
    laid.y[position] = laid.height;
    laid.open[position] = open ? 1 : 0;
    laid.height += heightOf(row, options);
    if (isLeaf || !open) return;
    for (const child of order.sorted(childrenOf(tree, index, options))) add(child, depth + 1);
  };
  for (const root of tree.below(-1)) add(root, 0);
  return new RowLayout(tree, laid, options);
}

function parentsOf(rows: readonly RowInfo[], { parents, sort }: RowOptions): Int32Array {
  const isOther = parents?.length === rows.length && sort !== 'path';
  return isOther ? parents : Int32Array.from(rows, ({ parent }) => parent);
}

/** Indices of the rows that are shown right below one: those of a namespace whose row is not shown are its own. */
function childrenOf(tree: RowTree, index: number, { byNamespace }: RowOptions): Int32Array {
  const below = tree.below(index);
  const isHidden = (child: number) => !byNamespace && tree.rows[child].kind === 'namespace';
  if (!below.some(isHidden)) return below;
  return Int32Array.from([...below].flatMap((child) => (isHidden(child) ? [...tree.below(child)] : [child])));
}

function isOpen(row: RowInfo, { toggled }: RowOptions): boolean {
  return openByDefault(row.kind) !== toggled.has(row.id);
}

function heightOf({ kind }: RowInfo, { rowHeight, hostHeight }: RowOptions): number {
  return kind === 'host' ? hostHeight : rowHeight;
}

/** Rows with what is right below each. */
class RowTree {
  readonly rows: readonly RowInfo[];
  /** Rows by their parent, and where those of row i begin: at `#first[i + 1]`, those without a parent at 0. */
  readonly #list: Int32Array;
  readonly #first: Int32Array;

  constructor(rows: readonly RowInfo[], parents: Int32Array) {
    this.rows = rows;
    this.#first = new Int32Array(rows.length + 2);
    this.#list = new Int32Array(rows.length);
    for (const parent of parents) this.#first[parent + 2]++;
    for (let i = 1; i < this.#first.length; i++) this.#first[i] += this.#first[i - 1];
    const next = this.#first.slice();
    parents.forEach((parent, index) => (this.#list[next[parent + 1]++] = index));
  }

  countBelow(index: number): number {
    return this.#first[index + 2] - this.#first[index + 1];
  }

  /** Indices of the rows right below one, or of those below none (-1), in their order: a view. */
  below(index: number): Int32Array {
    return this.#list.subarray(this.#first[index + 1], this.#first[index + 2]);
  }
}

/** Whether a row that the path does not touch is left out: a thread, or a group. Pinned rows stay, rows of layers stay with their thread. */
function isLeftOut(row: RowInfo, options: RowOptions): boolean {
  const isThread = ROW_KINDS[row.kind].order >= ROW_KINDS.thread.order;
  return isThread && !isLayerRow(row) && !isPinned(row, options);
}

/** 1 for rows that are shown where only active ones are, and for those above them; undefined: all are shown. */
function activeRows(
  rows: readonly RowInfo[],
  parents: Int32Array,
  { activeOnly, inView, sort, pinned, kept }: RowOptions,
): Uint8Array | undefined {
  if (!activeOnly || inView === undefined || sort === 'path') return undefined;
  const shown = inView.isActive.slice();
  // Of what is active, too: what forked it may not be.
  inView.isActive.forEach((isActive, i) => isActive === 1 && showAbove(shown, parents, parents[i]));
  for (const id of [...pinned, ...kept]) showAbove(shown, parents, rowIndex(rows, id));
  return shown;
}

/** Marks a row and those above it. */
function showAbove(shown: Uint8Array, parents: Int32Array, row: number): void {
  for (let i = row; i >= 0 && shown[i] === 0; i = parents[i]) shown[i] = 1;
}

/** 1 for rows that match every word, and for those above them; undefined without a filter. */
function matching(rows: readonly RowInfo[], parents: Int32Array, filter: string): Uint8Array | undefined {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const shown = new Uint8Array(rows.length);
  rows.forEach((row, index) => {
    const text = filteredText(row, rows).toLowerCase();
    if (words.every((word) => text.includes(word))) showAbove(shown, parents, index);
  });
  return shown;
}

/** A layer's row is found by its thread as well: who looks for a thread wants to see what it does. */
function filteredText(row: RowInfo, rows: readonly RowInfo[]): string {
  const { name, parent } = row;
  const own = `${name} ${tidText(row) ?? ''}`;
  return isLayerRow(row) && parent >= 0 ? `${filteredText(rows[parent], rows)} ${own}` : own;
}
