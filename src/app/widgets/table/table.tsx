/**
 * A sortable table of any size, which renders only the rows in sight. One tab stop; arrows, Page and Home move over the
 * rows, Enter does the same as a click on a row (ARIA pattern "grid").
 */
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { nextOrder, type Column, type SortOrder } from './column.ts';

export const ROW_HEIGHT = 22;
/** Rows beyond the edges, so that fast scrolling shows no gaps. */
export const OVERSCAN = 8;

export interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  /** Sorted. */
  readonly rows: ReadonlySignal<readonly Row[]>;
  readonly order: SortOrder;
  readonly empty: string;
  keyOf(row: Row): string;
  onOrder(order: SortOrder): void;
  /** Id of the timeline's row that a row is about, for its context menu. */
  rowOf?(row: Row): string | undefined;
  onActivate?(row: Row): void;
  /** Whether a row is selected elsewhere. */
  isSelected?(row: Row): boolean;
}

export function Table<Row>({ label, columns, rows, order, empty, ...on }: TableProps<Row>) {
  const { viewport, isMoved, height } = useTableElement();
  const top = useSignal(0);
  // By key, since rows may come again in another order.
  const activeKey = useSignal<string | undefined>(undefined);
  const active = useComputed(() => {
    const key = activeKey.value;
    const at = key === undefined ? 0 : rows.value.findIndex((row) => on.keyOf(row) === key);
    return Math.max(0, at);
  });
  const sight = useComputed(() => {
    const from = Math.max(0, Math.floor(top.value / ROW_HEIGHT) - OVERSCAN);
    const to = Math.min(rows.value.length, Math.ceil((top.value + height.value) / ROW_HEIGHT) + OVERSCAN);
    return { from, shown: rows.value.slice(from, to) };
  });
  useLayoutEffect(() => {
    if (viewport.current !== null) fitColumns(viewport.current);
  }, [rows.value, columns.map(({ id }) => id).join()]);
  const moveTo = (index: number) => {
    const element = viewport.current;
    const row = rows.value.at(Math.max(0, Math.min(rows.value.length - 1, index)));
    if (element === null || row === undefined) return;
    const before = active.value;
    activeKey.value = on.keyOf(row);
    isMoved.current = active.value !== before;
    const y = active.value * ROW_HEIGHT;
    const head = ROW_HEIGHT + 4;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW_HEIGHT + head > element.scrollTop + element.clientHeight) {
      element.scrollTop = y + ROW_HEIGHT + head - element.clientHeight;
    }
    top.value = element.scrollTop;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 2);
    const row = rows.value[active.value];
    if (event.target instanceof HTMLElement && event.target.closest('[role=row][aria-rowindex="1"]')) return;
    const to = rowOfKey(event.key, active.value, page, rows.value.length);
    if (to !== undefined) moveTo(to);
    else if (event.key === 'Enter' && row !== undefined) on.onActivate?.(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const { from, shown } = sight.value;
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.value.length + 1}
      style={columnTracks(columns)}
      ref={viewport}
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="table-head" aria-rowindex={1}>
        {columns.map((column) => (
          <Head key={column.id} column={column} order={order} onOrder={on.onOrder} />
        ))}
      </div>
      <div
        role="rowgroup"
        class="table-body"
        style={{ height: `${rows.value.length * ROW_HEIGHT}px`, paddingTop: `${from * ROW_HEIGHT}px` }}
      >
        {shown.map((row, i) => (
          <div
            key={on.keyOf(row)}
            role="row"
            class={on.onActivate === undefined ? 'table-row' : 'table-row leads'}
            aria-rowindex={from + i + 2}
            aria-selected={on.isSelected?.(row)}
            data-active={from + i === active.value}
            data-row={on.rowOf?.(row)}
            tabIndex={from + i === active.value ? 0 : -1}
            onClick={() => {
              activeKey.value = on.keyOf(row);
              on.onActivate?.(row);
            }}
          >
            {columns.map((column) => (
              <div key={column.id} role="gridcell" class={cellClass(column)}>
                {column.cell(row)}
              </div>
            ))}
          </div>
        ))}
      </div>
      {rows.value.length === 0 && <p class="table-empty">{empty}</p>}
    </div>
  );
}

/** The element of a table: its height, columns that fit it, and the focus on the active row where a key moved there. */
export function useTableElement() {
  const viewport = useRef<HTMLDivElement>(null);
  const isMoved = useRef(false);
  const height = useSignal(400);
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => {
      height.value = element.clientHeight;
      fitColumns(element);
    });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  // In a layout effect: a frame later the focused row may be gone, and the next key would be lost.
  useLayoutEffect(() => {
    if (isMoved.current) viewport.current?.querySelector<HTMLElement>('[data-active=true]')?.focus();
    isMoved.current = false;
  });
  return { viewport, isMoved, height };
}

/** Number of the row that a key moves to from `active`, perhaps beyond the ends. */
export function rowOfKey(key: string, active: number, page: number, length: number): number | undefined {
  const steps: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: length - 1,
  };
  return Object.hasOwn(steps, key) ? steps[key] : undefined;
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  /** Absent: the rows keep the order in which they come. */
  readonly order?: SortOrder;
  readonly onOrder?: (order: SortOrder) => void;
}

export function Head<Row>({ column, order, onOrder }: HeadProps<Row>) {
  if (column.sortable === false || order === undefined || onOrder === undefined) {
    return (
      <div role="columnheader" class={cellClass(column)} style={leastWidth(column)} title={column.about}>
        {column.title}
      </div>
    );
  }
  const sorted = order.column === column.id;
  return (
    <div
      role="columnheader"
      class={cellClass(column)}
      style={leastWidth(column)}
      aria-sort={sorted ? (order.descending ? 'descending' : 'ascending') : 'none'}
    >
      <button class="table-sort" title={column.about} onClick={() => onOrder(nextOrder(order, column))}>
        {column.title}
        {sorted && <span aria-hidden="true">{order.descending ? ' ↓' : ' ↑'}</span>}
      </button>
    </div>
  );
}

export function cellClass<Row>(column: Column<Row>): string {
  return `table-cell${column.numeric ? ' numeric' : ''}${column.wideOnly ? ' wide-only' : ''}`;
}

/** Width to which names may be cut so that no column is left out, CSS pixels. */
const NAME_WIDTH = 160;

/** Fits the columns into the width if possible: with smaller gaps, then without those for wide panels. */
function fitColumns(table: HTMLElement): void {
  for (const step of ['0', '1', '2']) {
    table.dataset.tight = step;
    if (table.scrollWidth <= table.clientWidth && !isNameCut(table)) return;
  }
}

function isNameCut(table: HTMLElement): boolean {
  const names = [...table.querySelectorAll('.table-name')];
  return names.some(({ scrollWidth, clientWidth }) => clientWidth < Math.min(NAME_WIDTH, scrollWidth));
}

/** CSS tracks of the columns, with and without those for wide panels. */
export function columnTracks<Row>(columns: readonly Column<Row>[]) {
  return {
    '--tracks': tracksOf(columns),
    '--tracks-narrow': tracksOf(columns.filter((c) => !c.wideOnly)),
  };
}

/** Tracks that heads and numbers widen where a font, or a number, needs more room. */
function tracksOf<Row>(columns: readonly Column<Row>[]): string {
  return columns.map(({ width }) => width.replace(/^\d+px$|\d+px(?=,)/, 'max-content')).join(' ');
}

function leastWidth<Row>({ width }: Column<Row>): { readonly minWidth: string | undefined } {
  return { minWidth: /\d+px/.exec(width)?.[0] };
}
