/** Columns of a table: each has one value a row, for display, sorting, filtering and copying. */
import type { ComponentChildren } from 'preact';
import { stableOrder } from '../../../engine/base/stable-order.ts';

export interface Column<Row> {
  readonly id: string;
  /** Head with the unit, so that cells need none: "On CPU, ms". */
  readonly title: string;
  /** Hover title of the head, which explains the values to non-experts. */
  readonly about?: string;
  /** Head for copies, if their unit differs: "On CPU, ns". */
  readonly copyTitle?: string;
  /** Least track of the CSS grid, which the head and numbers widen: '72px', 'minmax(120px, 1fr)'. */
  readonly width: string;
  /** Whether values are numbers, which are aligned right. */
  readonly numeric: boolean;
  /** Whether it is left out if not all columns fit. */
  readonly wideOnly?: boolean;
  /** False for pictures, which have no order of their own. */
  readonly sortable?: boolean;
  /** Value that sorts and is copied, with all its digits; NaN: not known. */
  value(row: Row): number | string;
  /** Content of the cell. */
  cell(row: Row): ComponentChildren;
}

export interface SortOrder {
  readonly column: string;
  readonly descending: boolean;
}

export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: SortOrder,
): readonly Row[] {
  const column = columns.find((c) => c.id === order.column);
  if (column === undefined) return rows;
  const direction = order.descending ? -1 : 1;
  const values = rows.map((row) => column.value(row));
  if (values.every((value) => typeof value === 'number')) {
    // Unknown values sort below all numbers; + 0 turns -0 into 0.
    const keyOf = (value: number) => (Number.isNaN(value) ? -Infinity : value) * direction + 0;
    return Array.from(stableOrder(Float64Array.from(values, keyOf)), (i) => rows[i]);
  }
  const sorted = rows.map((_, i) => i).sort((a, b) => direction * compare(values[a], values[b]));
  return sorted.map((i) => rows[i]);
}

/** Rows that contain the text or have exactly the number, and fulfil the bounds in the query. */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  text: string,
): readonly Row[] {
  const all = columns.filter(({ sortable }) => sortable !== false);
  const { bounds, rest } = readBounds(text, all);
  const wanted = rest.trim().toLowerCase();
  if (wanted === '' && bounds.length === 0) return rows;
  const number = String(Number(wanted)) === wanted ? Number(wanted) : undefined;
  // Columns of numbers are most of the work, and contain no other text.
  const searched = number === undefined ? all.filter(({ numeric }) => !numeric) : all;
  const isWithin = (row: Row) => bounds.every(({ column, holds }) => holds(Number(column.value(row))));
  const hasText = (row: Row) =>
    wanted === '' ||
    searched.some((column) => {
      const value = column.value(row);
      return typeof value === 'string' ? value.toLowerCase().includes(wanted) : value === number;
    });
  return rows.filter((row) => isWithin(row) && hasText(row));
}

/** The order after a click on a column's head: reversed if it is sorted, else numbers from the largest, texts from A. */
export function nextOrder<Row>(order: SortOrder, column: Column<Row>): SortOrder {
  return order.column === column.id
    ? { column: column.id, descending: !order.descending }
    : { column: column.id, descending: column.numeric };
}

function compare(a: number | string, b: number | string): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
}

/** A bound in the filter of a table: `size>=4kB`. */
interface Bound<Row> {
  readonly column: Column<Row>;
  /** Whether a value is within the bound; false for unknown ones. */
  holds(value: number): boolean;
}

/** Factors to the units of columns: ns, and bytes. */
const UNITS: Readonly<Partial<Record<string, number>>> = {
  '': 1,
  ...{ ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 },
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
};

const BOUND = /(^|\s)([a-z][\w-]*)(<=|>=|<|>)(\d+(?:\.\d+)?)([a-zµ]*)(?=\s|$)/gi;

/**
 * Bounds in a text, for numeric columns by id or title (words joined by `-`), and the rest of the text, including bounds
 * of other columns.
 */
function readBounds<Row>(text: string, columns: readonly Column<Row>[]) {
  const bounds: Bound<Row>[] = [];
  const rest = text.replace(
    BOUND,
    (whole, space: string, name: string, sign: string, digits: string, unit: string) => {
      const called = name.toLowerCase();
      const column = columns.find(
        ({ id, title, numeric }) =>
          numeric && (id === called || title.toLowerCase().replaceAll(' ', '-') === called),
      );
      const factor = UNITS[unit.toLowerCase()];
      if (column === undefined || factor === undefined) return whole;
      bounds.push({ column, holds: comparison(sign, Number(digits) * factor) });
      return space;
    },
  );
  return { bounds, rest };
}

function comparison(sign: string, bound: number): (value: number) => boolean {
  switch (sign) {
    case '<':
      return (value) => value < bound;
    case '<=':
      return (value) => value <= bound;
    case '>':
      return (value) => value > bound;
    default:
      return (value) => value >= bound;
  }
}
