/** Columns of a table: one value a row, which sorts, filters, copies and is shown. */
import type { ComponentChildren } from 'preact';
import { stableOrder } from '../../../engine/base/stable-order.ts';

export interface Column<Row> {
  readonly id: string;
  /** Head with the unit, so that cells need none: "On CPU, ms". */
  readonly title: string;
  /** Explanation of its values, where its head is pointed at: the title alone is for experts. */
  readonly about?: string;
  /** Head of the column where it is copied, when the unit differs: "On CPU, ns". */
  readonly copyTitle?: string;
  /** Track of the CSS grid at least, which its head widens, and so do numbers: '72px', 'minmax(120px, 1fr)'. */
  readonly width: string;
  /** Numbers stand right. */
  readonly numeric: boolean;
  /** Leaves where not all columns fit. */
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
    // What is not known is less than all numbers; -0 is 0.
    const keyOf = (value: number) => (Number.isNaN(value) ? -Infinity : value) * direction + 0;
    return Array.from(stableOrder(Float64Array.from(values, keyOf)), (i) => rows[i]);
  }
  const sorted = rows.map((_, i) => i).sort((a, b) => direction * compare(values[a], values[b]));
  return sorted.map((i) => rows[i]);
}

/** Rows with the text in one of their texts, or with the number itself; bounds of columns stand beside the text. */
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
  // Columns of numbers hold no other text: of very many rows they are most of the work.
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

/** The order after a click on a column's head: the other way round, or numbers from the largest and texts from A. */
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
  /** False for what is not known. */
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
 * Bounds that a text states of columns with numbers, by id or title, words of which are joined by `-`; and the rest of the
 * text. All that is about no such column is text.
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
