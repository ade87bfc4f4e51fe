/** The reader's choice of rows (folds, filter, sorting, pins, scroll position) and the layout that follows from it. */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { Progress, RowInfo } from '../../workers/session-api.ts';
import { rowById } from './row-by-id.ts';
import type { ShownPath } from './shown-path.ts';
import { layoutRows, openByDefault, type RowLayout } from './row-layout.ts';
import type { SortBy } from './row-order.ts';

export interface RowView {
  readonly layout: ReadonlySignal<RowLayout>;
  readonly filter: Signal<string>;
  readonly sort: Signal<SortBy>;
  /** Ids of rows whose fold is not their kind's default. */
  readonly toggled: Signal<ReadonlySet<string>>;
  readonly pinned: Signal<ReadonlySet<string>>;
  /** CSS pixels; set through `scrollTo`. */
  readonly scrollTop: ReadonlySignal<number>;
  /** Height of the part that is seen, told by the component. */
  readonly height: Signal<number>;
  toggleFold(id: string): void;
  /** Folds everything below hosts; when all of it is folded, opens it. */
  toggleAllFolds(): void;
  togglePin(id: string): void;
  scrollTo(y: number): void;
  /** Opens the groups around a row and scrolls no further than needed. */
  reveal(id: string): void;
  /** ns on the path that is shown, by row; undefined: there is none. */
  readonly timeOnPath: ReadonlySignal<ReadonlyMap<string, number> | undefined>;
  /**
   * Sorts rows by a path and opens the groups of those with most of it; undefined: as it was before. A path that is
   * not `another` one, but the same over a range that is being dragged, moves no row.
   */
  followPath(path: Pick<ShownPath, 'timeOn' | 'order'> | undefined, another: boolean): void;
  dispose(): void;
}

/** Threads of a path whose groups are opened for it. */
const MOST_OPENED = 40;

/** Row heights in CSS pixels; taller where fingers point. */
const HEIGHTS = { fine: { row: 20, host: 24 }, coarse: { row: 28, host: 28 } };

interface RowSource {
  readonly rows: ReadonlySignal<readonly RowInfo[]>;
  readonly progress: ReadonlySignal<Progress | undefined>;
}

export function createRowView(source: RowSource, coarsePointer: boolean): RowView {
  const heights = coarsePointer ? HEIGHTS.coarse : HEIGHTS.fine;
  const filter = signal('');
  const sort = signal<SortBy>('found');
  const toggled = signal<ReadonlySet<string>>(new Set());
  const pinned = signal<ReadonlySet<string>>(new Set());
  const timeOnPath = signal<ReadonlyMap<string, number> | undefined>(undefined);
  const pathOrder = signal<ReadonlyMap<string, number> | undefined>(undefined);
  let sortBefore: SortBy = 'cpu';
  const wantedTop = signal(0);
  const height = signal(0);
  /** While reading. */
  const found = new Map<string, number>();

  const layout = computed(() => {
    if (sort.value === 'found')
      for (const row of source.rows.value) if (!found.has(row.id)) found.set(row.id, found.size);
    return layoutRows(source.rows.value, {
      toggled: toggled.value,
      pinned: pinned.value,
      filter: filter.value,
      sort: sort.value,
      found,
      timeOnPath: pathOrder.value,
      rowHeight: heights.row,
      hostHeight: heights.host,
    });
  });
  const scrollTop = computed(() =>
    Math.max(0, Math.min(wantedTop.value, layout.value.height + heights.row - height.value)),
  );
  const dispose = effect(() => {
    const phase = source.progress.value?.phase;
    const isLast = phase === 'finishing' || phase === 'done' || phase === 'cancelled' || phase === 'failed';
    if (!isLast || sort.peek() !== 'found') return;
    sort.value = 'cpu';
    found.clear();
  });

  const scrollTo = (y: number) => {
    wantedTop.value = Math.max(0, Math.min(y, layout.peek().height + heights.row - height.peek()));
  };
  const openAround = (found: readonly RowInfo[]) => {
    const rows = source.rows.peek();
    const groups = new Set(found.flatMap((row) => groupsAbove(rows, row)));
    const closed = [...groups].filter((g) => openByDefault(g.kind) === toggled.peek().has(g.id));
    if (closed.length > 0)
      toggled.value = flipped(
        toggled.peek(),
        closed.map((g) => g.id),
      );
  };
  const reveal = (id: string) => {
    const row = rowById(source.rows.peek(), id);
    if (!row) return;
    openAround([row]);
    if (layout.peek().positionOf(id) < 0) filter.value = '';
    if (layout.peek().positionOf(id) < 0 && sort.peek() === 'path') sort.value = sortBefore;
    const laid = layout.peek().find(id);
    if (!laid) return;
    const top = scrollTop.peek();
    if (laid.y < top) scrollTo(laid.y - heights.row);
    else if (laid.y + laid.height > top + height.peek())
      scrollTo(laid.y + laid.height + heights.row - height.peek());
  };
  const followPath: RowView['followPath'] = (path, another) => {
    batch(() => {
      timeOnPath.value = path?.timeOn;
      if (path === undefined) {
        if (sort.peek() === 'path') sort.value = sortBefore;
      } else if (another) {
        const { order } = path;
        pathOrder.value = order;
        if (sort.peek() !== 'path') sortBefore = sort.peek();
        sort.value = 'path';
        const most = source.rows.peek().filter((row) => row.kind === 'thread' && order.has(row.id));
        most.sort((a, b) => ((order.get(a.id) ?? 0) > (order.get(b.id) ?? 0) ? -1 : 1));
        openAround(most.slice(0, MOST_OPENED));
      }
    });
  };
  const toggleAllFolds = () => {
    const groups = foldableGroups(source.rows.peek());
    const anyOpen = groups.some((g) => openByDefault(g.kind) !== toggled.peek().has(g.id));
    toggled.value = new Set(groups.filter((g) => openByDefault(g.kind) === anyOpen).map((g) => g.id));
  };
  return {
    layout,
    filter,
    sort,
    toggled,
    pinned,
    scrollTop,
    height,
    toggleFold: (id) => (toggled.value = flipped(toggled.peek(), [id])),
    toggleAllFolds,
    togglePin: (id) => (pinned.value = flipped(pinned.peek(), [id])),
    scrollTo,
    reveal,
    timeOnPath,
    followPath,
    dispose,
  };
}

function flipped(set: ReadonlySet<string>, ids: readonly string[]): Set<string> {
  const next = new Set(set);
  for (const id of ids) if (!next.delete(id)) next.add(id);
  return next;
}

function groupsAbove(rows: readonly RowInfo[], row: RowInfo): RowInfo[] {
  const above: RowInfo[] = [];
  for (let i = row.parent; i >= 0; i = rows[i].parent) above.push(rows[i]);
  return above;
}

function foldableGroups(rows: readonly RowInfo[]): RowInfo[] {
  const parents = new Set(rows.map((r) => r.parent));
  return rows.filter((r, index) => r.parent >= 0 && parents.has(index));
}
