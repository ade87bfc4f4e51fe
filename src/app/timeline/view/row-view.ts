/** The reader's choice of rows (folds, filter, sorting, pins, scroll position) and the layout that follows from it. */
import { batch, computed, effect, signal, type ReadonlySignal, untracked } from '@preact/signals';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { NONE } from '../../../engine/answers/rows/row-columns.ts';
import { columnsOf, indicesOf } from '../../../engine/answers/rows/row-writer.ts';
import { isBoolean, readSetting, writeSetting } from '../../browser/settings.ts';
import { isOver } from '../../opening/reading.ts';
import { rowById, rowIndex } from '../rows/row-by-id.ts';
import type { ShownPath } from './shown-path.ts';
import { parentsByFork } from '../rows/row-family.ts';
import { openByDefault } from '../rows/row-kinds.ts';
import { layoutRows, type RowLayout, treeOf } from '../rows/row-layout.ts';
import { foundRanks, type SortBy } from '../rows/row-order.ts';
import type { RowsInView } from './rows-in-view.ts';
import type { TimelineSource } from '../timeline-source.ts';

/** Most threads of a path whose groups are unfolded for it. */
const MOST_OPENED = 40;

/** Number of user threads from which on only those active in view are shown, unless the reader wants all. */
const MANY_THREADS = 100;

/** Row heights in CSS pixels, larger for touch. */
const HEIGHTS = { fine: { row: 20, host: 24 }, coarse: { row: 28, host: 28 } };

/** Visible part of the rows, from `top` on, in CSS pixels. */
interface Seen {
  readonly layout: RowLayout;
  readonly top: number;
}

type RowSource = Pick<TimelineSource, 'rows' | 'progress' | 'byProgram' | 'hasPrograms'>;

export class RowView {
  readonly filter = signal('');
  readonly sort = signal<SortBy>('found');
  /** Whether only rows that are active in view are shown, as the reader chose; undefined: where there are many. */
  readonly activeOnly = signal<boolean | undefined>(undefined);
  readonly isActiveOnly: ReadonlySignal<boolean> = computed(
    () => this.activeOnly.value ?? this.#hasMany.value,
  );
  /** Whether activity in view is needed. */
  readonly wantsView: ReadonlySignal<boolean> = computed(
    () => this.isActiveOnly.value || this.sort.value === 'view',
  );
  /** Whether processes are grouped by pid namespace where there are several; kept in this browser. */
  readonly byNamespace = signal(readSetting('by-namespace', isBoolean) ?? true);
  /** Whether there are namespaces to group by. */
  readonly hasNamespaces: ReadonlySignal<boolean> = computed(
    () => indicesOf(columnsOf(this.#source.rows.value), 'namespace').length > 0,
  );
  /** Whether processes stand below those that forked them, and not in namespaces; kept in this browser. */
  readonly byFork = signal(readSetting('by-fork', isBoolean) ?? false);
  /** Whether forks of processes are known. */
  readonly hasForks: ReadonlySignal<boolean> = computed(() =>
    columnsOf(this.#source.rows.value).ppid.some((ppid) => ppid !== NONE),
  );
  /** Ids of rows whose fold is not their kind's default. */
  readonly toggled = signal<ReadonlySet<string>>(new Set());
  readonly pinned = signal<ReadonlySet<string>>(new Set());
  /** Ids of rows that are hidden, with those below them, until the reader shows or visits them. */
  readonly hiddenIds = signal<ReadonlySet<string>>(new Set());
  /** Height of the visible part in CSS pixels, which the component measures. */
  readonly height = signal(0);
  readonly layout: ReadonlySignal<RowLayout> = computed(() => this.#laidOut());
  /** Scroll position in CSS pixels, set by `scrollTo`. */
  readonly scrollTop: ReadonlySignal<number> = computed(() => this.#within(this.#wantedTop.value));
  readonly byProgram: ReadonlySignal<boolean>;
  /** Whether several processes have one program. */
  readonly hasPrograms: ReadonlySignal<boolean>;
  readonly dispose: () => void;
  readonly #source: RowSource;
  readonly #heights: (typeof HEIGHTS)['fine'];
  readonly #timeOnPath = signal<ReadonlyMap<string, number> | undefined>(undefined);
  /** ns on the path that is shown, by row; undefined: there is none. */
  readonly timeOnPath: ReadonlySignal<ReadonlyMap<string, number> | undefined> = this.#timeOnPath;
  /** Time on the path by which rows are sorted: that of the path when it was first shown. */
  readonly #pathOrder = signal<ReadonlyMap<string, number> | undefined>(undefined);
  /** Parent of each row in the layout, by index; undefined: as the rows say. */
  readonly #parents = computed(() =>
    this.byFork.value ? parentsByFork(this.#source.rows.value) : undefined,
  );
  readonly #hasMany = computed(() => hasManyThreads(this.#source.rows.value));
  /** Activity in view; undefined: the whole trace is visible, or it is not known. */
  readonly #inView = signal<RowsInView | undefined>(undefined);
  /** Rows shown though they are not active, because the reader searched for them or is at them. */
  readonly #kept = signal<ReadonlySet<string>>(new Set());
  readonly #wantedTop = signal(0);
  /** Order in which rows were found while reading. */
  #found = NOTHING_FOUND;
  #sortBefore: SortBy = 'cpu';

  constructor(source: RowSource, coarsePointer: boolean) {
    this.#source = source;
    this.byProgram = source.byProgram;
    this.hasPrograms = source.hasPrograms;
    this.#heights = coarsePointer ? HEIGHTS.coarse : HEIGHTS.fine;
    const stopKeeping = effect(() => {
      writeSetting('by-namespace', this.byNamespace.value);
      writeSetting('by-program', this.byProgram.value);
      writeSetting('by-fork', this.byFork.value);
    });
    const stopSorting = effect(() => {
      if (!isOver(source.progress.value) || this.sort.peek() !== 'found') return;
      this.sort.value = 'cpu';
      this.#found = NOTHING_FOUND;
    });
    this.dispose = () => {
      stopKeeping();
      stopSorting();
    };
  }

  /** Toggles grouping by program, which ends grouping by fork. */
  readonly toggleByProgram = () =>
    batch(() => {
      this.#source.byProgram.value = !this.byProgram.peek();
      this.byFork.value = false;
    });

  readonly toggleByFork = () =>
    batch(() => {
      this.byFork.value = !this.byFork.peek();
      this.#source.byProgram.value = false;
    });

  readonly toggleByNamespace = () => (this.byNamespace.value = !this.byNamespace.peek());
  readonly toggleActiveOnly = () => (this.activeOnly.value = !this.isActiveOnly.peek());

  toggleFold(id: string): void {
    this.toggled.value = flipped(this.toggled.peek(), [id]);
  }

  /** Folds everything below hosts, or unfolds it if all is folded. */
  toggleAllFolds(): void {
    const groups = foldableGroups(this.#source.rows.peek()).filter(
      ({ kind }) => kind !== 'namespace' || this.byNamespace.peek(),
    );
    const anyOpen = groups.some((g) => openByDefault(g.kind) !== this.toggled.peek().has(g.id));
    this.toggled.value = new Set(groups.filter((g) => openByDefault(g.kind) === anyOpen).map((g) => g.id));
  }

  togglePin(id: string): void {
    this.pinned.value = flipped(this.pinned.peek(), [id]);
  }

  hide(id: string): void {
    this.hiddenIds.value = new Set([...this.hiddenIds.peek(), id]);
  }

  /** Resets hidden rows, pins, filter, order and folds. */
  clear(): void {
    batch(() => {
      this.filter.value = '';
      this.toggled.value = new Set();
      this.pinned.value = new Set();
      this.showHidden();
    });
  }

  showHidden(): void {
    this.hiddenIds.value = new Set();
  }

  scrollTo(y: number): void {
    this.#wantedTop.value = untracked(() => this.#within(y));
  }

  /** Unfolds the groups around a row and scrolls as little as needed. */
  reveal(id: string): void {
    const { layout, height } = this;
    const row = rowById(this.#source.rows.peek(), id);
    if (!row) return;
    this.#openAround([row]);
    this.#unhide(row);
    if (layout.peek().positionOf(id) < 0 && layout.peek().hidden > 0)
      this.#kept.value = new Set([...this.#kept.peek(), id]);
    if (layout.peek().positionOf(id) < 0) this.filter.value = '';
    if (layout.peek().positionOf(id) < 0 && this.sort.peek() === 'path') this.sort.value = this.#sortBefore;
    const laid = layout.peek().find(id);
    if (!laid) return;
    const margin = this.#heights.row;
    const top = this.scrollTop.peek();
    if (laid.y < top) this.scrollTo(laid.y - margin);
    else if (laid.y + laid.height > top + height.peek())
      this.scrollTo(laid.y + laid.height + margin - height.peek());
  }

  /** Sets the activity in view; undefined: the whole trace is visible. The row `focused` keeps its place on the screen. */
  showInView(inView: RowsInView | undefined, focused: string | undefined): void {
    if (inView === undefined && this.#inView.peek() === undefined) return;
    const before = this.#seen();
    batch(() => {
      this.#kept.value = new Set(focused === undefined ? [] : [focused]);
      this.#inView.value = inView;
    });
    this.#stay(before, focused);
  }

  /** Keeps the visible rows in place when other rows come or go, such as those of a layer that is read later. */
  keepPlace(focused: ReadonlySignal<string | undefined>): () => void {
    let before = this.#seen();
    let rows = this.#source.rows.peek();
    return effect(() => {
      const now = { layout: this.layout.value, top: this.scrollTop.value };
      const isOther = this.#source.rows.value !== rows;
      rows = this.#source.rows.value;
      if (isOther) untracked(() => this.#stay(before, focused.peek()));
      before = isOther ? this.#seen() : now;
    });
  }

  #seen(): Seen {
    return { layout: this.layout.peek(), top: this.scrollTop.peek() };
  }

  /** Scrolls so that the row `focused`, or else the first visible one, stays in place. At the top, new rows are shown. */
  #stay({ layout, top }: Seen, focused: string | undefined): void {
    const laid = layout.find(focused ?? '');
    const isSeen = laid !== undefined && laid.y + laid.height > top && laid.y < top + this.height.peek();
    const first = layout.positionAt(top);
    const anchor = isSeen ? laid : top > 0 ? layout.slice(first, first + 1).at(0) : undefined;
    const after = this.layout.peek().find(anchor?.row.id ?? '');
    if (anchor !== undefined && after !== undefined) this.scrollTo(top + after.y - anchor.y);
  }

  /**
   * Sorts rows by a path and unfolds the groups of those with most of it; undefined: restores the order. If the path is
   * not `another` one, but the same over a dragged range, no row moves.
   */
  followPath(path: Pick<ShownPath, 'timeOn' | 'order'> | undefined, another: boolean): void {
    batch(() => {
      this.#timeOnPath.value = path?.timeOn;
      if (path === undefined) {
        if (this.sort.peek() === 'path') this.sort.value = this.#sortBefore;
      } else if (another) this.#sortByPath(path.order);
    });
  }

  #sortByPath(order: ReadonlyMap<string, number>): void {
    this.#pathOrder.value = order;
    if (this.sort.peek() !== 'path') this.#sortBefore = this.sort.peek();
    this.sort.value = 'path';
    const rows = this.#source.rows.peek();
    const times = [...order].map(([id, ns]) => ({ row: rowById(rows, id), ns }));
    const most = times.flatMap(({ row, ns }) => (row?.kind === 'thread' ? [{ row, ns }] : []));
    most.sort((a, b) => (a.ns > b.ns ? -1 : 1));
    this.#openAround(most.slice(0, MOST_OPENED).map(({ row }) => row));
  }

  #laidOut(): RowLayout {
    const rows = this.#source.rows.value;
    if (this.sort.value === 'found' && this.#found.rows !== rows)
      this.#found = { rows, ranks: foundRanks(rows, this.#found) };
    return layoutRows(rows, {
      toggled: this.toggled.value,
      pinned: this.pinned.value,
      hiddenIds: this.hiddenIds.value,
      filter: this.filter.value,
      sort: this.sort.value,
      byNamespace: this.byNamespace.value && !this.byFork.value,
      parents: this.#parents.value,
      activeOnly: this.isActiveOnly.value,
      kept: this.#kept.value,
      inView: this.#inView.value?.rows === rows ? this.#inView.value : undefined,
      found: this.#found.ranks,
      timeOnPath: this.#pathOrder.value,
      rowHeight: this.#heights.row,
      hostHeight: this.#heights.host,
    });
  }

  /** A scroll position within the rows, with room for one row below them. */
  #within(top: number): number {
    const lowest = this.layout.value.height + this.#heights.row - this.height.value;
    return Math.max(0, Math.min(top, lowest));
  }

  #unhide(row: RowInfo): void {
    const hidden = new Set(this.hiddenIds.peek());
    for (const { id } of [row, ...this.#above(row)]) hidden.delete(id);
    if (hidden.size < this.hiddenIds.peek().size) this.hiddenIds.value = hidden;
  }

  /** Rows above a row in the tree, from the innermost one. */
  #above(row: RowInfo): RowInfo[] {
    const rows = this.#source.rows.peek();
    const parents = this.#parents.peek();
    const aboveOf = (i: number) => parents?.[i] ?? rows[i].parent;
    const above: RowInfo[] = [];
    for (let i = aboveOf(rowIndex(rows, row.id)); i >= 0; i = aboveOf(i)) above.push(rows[i]);
    return above;
  }

  #openAround(found: readonly RowInfo[]): void {
    const toggled = this.toggled.peek();
    const groups = new Set(found.flatMap((row) => this.#above(row)));
    const closed = [...groups].filter((g) => openByDefault(g.kind) === toggled.has(g.id));
    if (closed.length === 0) return;
    this.toggled.value = flipped(
      toggled,
      closed.map((g) => g.id),
    );
  }
}

const NOTHING_FOUND: Parameters<typeof foundRanks>[1] = { rows: [], ranks: new Float64Array(0) };

/** Whether there are `MANY_THREADS`; stops as soon as it is known. */
function hasManyThreads(rows: readonly RowInfo[]): boolean {
  let threads = 0;
  for (const { kind, ran, kernelThread } of rows)
    if (kind === 'thread' && ran && !kernelThread && ++threads >= MANY_THREADS) return true;
  return false;
}

function flipped(set: ReadonlySet<string>, ids: readonly string[]): Set<string> {
  const next = new Set(set);
  for (const id of ids) if (!next.delete(id)) next.add(id);
  return next;
}

function foldableGroups(rows: readonly RowInfo[]): RowInfo[] {
  const { parent } = columnsOf(rows);
  const tree = treeOf(parent);
  return rows.filter((_, index) => parent[index] >= 0 && tree.countBelow(index) > 0);
}

/** Orders that a link may have; others are defaults or follow from a path. */
const LINKED: readonly SortBy[] = ['view', 'name', 'tid'];

/** Writes the reader's choice of rows into a link: their order, and whether only those active in view are shown. Reads signals. */
export function writeRows(parts: URLSearchParams, rows: RowView): void {
  const { value: sort } = rows.sort;
  if (LINKED.includes(sort)) parts.set('sort', sort);
  const { value: only } = rows.activeOnly;
  if (only !== undefined) parts.set('rows', only ? 'active' : 'all');
}

export function showRows(parts: URLSearchParams, rows: RowView): void {
  const sort = LINKED.find((known) => known === parts.get('sort'));
  if (sort !== undefined) rows.sort.value = sort;
  else if (LINKED.includes(rows.sort.peek())) rows.sort.value = 'cpu';
  const only = parts.get('rows');
  rows.activeOnly.value = only === 'active' ? true : only === 'all' ? false : undefined;
}
