/**
 * A table of millions of rows, of which only those in sight are loaded while it scrolls. It cannot be sorted. Keys are
 * those of `Table`.
 */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Column } from './column.ts';
import { cellClass, columnTracks, Head, OVERSCAN, ROW_HEIGHT, rowOfKey, useTableElement } from './table.tsx';

/** Greatest height in pixels, as browsers limit it. With more rows, a pixel of scrolling is several rows. */
const HIGHEST = 8_000_000;

interface RowPage<Row> {
  readonly first: number;
  readonly rows: readonly Row[];
}

interface LongTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly total: ReadonlySignal<number>;
  readonly page: ReadonlySignal<RowPage<Row> | undefined>;
  readonly empty: string;
  /** Number of the active row; setting it scrolls there. */
  readonly active: Signal<number>;
  /** Row to scroll to the middle, once for each new object. */
  readonly middle: ReadonlySignal<{ readonly row: number } | undefined>;
  /** Called when the reader scrolls. */
  onMove(): void;
  /** Called with the rows [first, first + count) that are in sight, or nearly so. */
  onSight(first: number, count: number): void;
  onActivate(row: Row, number: number): void;
  /** Called with the active row; undefined: it is not loaded yet. */
  onActive(row: Row | undefined): void;
}

export function LongTable<Row>(props: LongTableProps<Row>) {
  const { label, columns, total, page, empty, active, middle, ...on } = props;
  const { viewport, isMoved, height } = useTableElement();
  /** Number of the first row in sight, with fraction; below it, the scroll position that was set for it. */
  const top = useSignal(0);
  const scrolled = useSignal(0);
  /** Active row that this table has set itself. */
  const placed = useRef(active.peek());
  const place = (row: number) => {
    placed.current = row;
    active.value = row;
  };
  const body = useComputed(() => Math.min(total.value * ROW_HEIGHT, HIGHEST));
  const isScaled = () => body.peek() < total.peek() * ROW_HEIGHT;
  const lastTop = () => Math.max(0, total.peek() - (height.peek() - HEAD) / ROW_HEIGHT);
  const lastScroll = () => Math.max(1, body.peek() + HEAD - height.peek());
  const sight = useComputed(() => {
    const to = Math.min(total.value, Math.ceil(top.value + height.value / ROW_HEIGHT) + OVERSCAN);
    // A filter may leave fewer rows than are above those in sight.
    const from = Math.max(0, Math.min(Math.floor(top.value), to) - OVERSCAN);
    return { from, to };
  });
  useSignalEffect(() => {
    const { from, to } = sight.value;
    on.onSight(from, to - from);
  });
  const goTo = (row: number) => {
    const element = viewport.current;
    if (element === null) return;
    top.value = Math.max(0, Math.min(lastTop(), row));
    element.scrollTop = isScaled() ? (top.value / lastTop()) * lastScroll() : top.value * ROW_HEIGHT;
    scrolled.value = element.scrollTop;
  };
  /** Row that was scrolled to the middle last. */
  const reached = useRef<{ readonly row: number }>(undefined);
  const moved = () => {
    // Not later either, if the row could not be reached yet.
    reached.current = middle.peek();
    on.onMove();
  };
  const onScroll = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => {
    // Scrolled by `goTo`, which has set `top` more exactly.
    if (scrollTop === scrolled.value) return;
    // Not by the browser, which scrolls if there are fewer rows now.
    if (scrolled.value <= scrollHeight - clientHeight + 1) moved();
    scrolled.value = scrollTop;
    top.value = isScaled() ? (scrollTop / lastScroll()) * lastTop() : scrollTop / ROW_HEIGHT;
  };
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent) => {
      if (!isScaled() || event.deltaY === 0) return;
      event.preventDefault();
      moved();
      goTo(top.value + event.deltaY / ROW_HEIGHT);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, []);
  const wanted = middle.value;
  useLayoutEffect(() => {
    // Waits while it is behind the last known row.
    if (wanted === undefined || wanted === reached.current || wanted.row >= total.peek()) return;
    reached.current = wanted;
    place(wanted.row);
    goTo(wanted.row - (height.peek() - HEAD) / ROW_HEIGHT / 2);
  });

  const rowAt = (number: number): Row | undefined => {
    const known = page.value;
    return known?.rows[number - known.first];
  };
  // There may be fewer rows than before.
  const current = useComputed(() => Math.min(active.value, total.value - 1));
  useSignalEffect(() => on.onActive(rowAt(current.value)));
  const reveal = (row: number) => {
    const rows = (height.peek() - HEAD) / ROW_HEIGHT;
    if (row < top.peek()) goTo(row);
    else if (row + 1 > top.peek() + rows) goTo(row + 1 - rows);
  };
  const moveTo = (row: number) => {
    moved();
    place(Math.max(0, Math.min(total.value - 1, row)));
    isMoved.current = true;
    reveal(active.value);
  };
  useSignalEffect(() => {
    if (active.value === placed.current) return;
    moved();
    placed.current = active.value;
    reveal(active.value);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const to = rowOfKey(
      event.key,
      current.value,
      Math.max(1, Math.floor(height.value / ROW_HEIGHT) - 2),
      total.value,
    );
    const row = rowAt(current.value);
    if (to !== undefined) moveTo(to);
    else if (event.key === 'Enter' && row !== undefined) on.onActivate(row, current.value);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { from, to } = sight.value;
  const padding = isScaled()
    ? Math.max(0, scrolled.value - (top.value - from) * ROW_HEIGHT)
    : from * ROW_HEIGHT;
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={total.value + 1}
      style={columnTracks(columns)}
      ref={viewport}
      onScroll={(event) => onScroll(event.currentTarget)}
      onKeyDown={onKeyDown}
    >
      <div role="row" class="table-head" aria-rowindex={1}>
        {columns.map((column) => (
          <Head key={column.id} column={column} />
        ))}
      </div>
      <div
        role="rowgroup"
        class="table-body"
        style={{ height: `${body.value}px`, paddingTop: `${padding}px` }}
      >
        {Array.from({ length: Math.max(0, to - from) }, (_, i) => {
          const number = from + i;
          const row = rowAt(number);
          return (
            <div
              key={number}
              role="row"
              class="table-row leads"
              aria-rowindex={number + 2}
              aria-busy={row === undefined}
              aria-selected={number === current.value}
              data-active={number === current.value}
              tabIndex={number === current.value ? 0 : -1}
              onClick={() => {
                moved();
                place(number);
                if (row !== undefined) on.onActivate(row, number);
              }}
            >
              {columns.map((column) => (
                <div key={column.id} role="gridcell" class={cellClass(column)}>
                  {row === undefined ? <span class="table-placeholder" /> : column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {total.value === 0 && <p class="table-empty">{empty}</p>}
    </div>
  );
}

/** Pixels of the head. */
const HEAD = 26;
