/** Columns of a table: one value a row, which sorts, filters, copies and is shown. */
import type { ComponentChildren } from 'preact';
import { readBounds } from './row-bounds.ts';

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
  /** Leaves on narrow screens. */
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
  const sorted = rows.map((_, i) => i).sort((a, b) => direction * compare(values[a], values[b]));
  return sorted.map((i) => rows[i]);
}

/**
 * Rows with the text in one of their texts, or with the number itself; nothing is looked for in pictures. Bounds of columns
 * stand beside the text (`row-bounds.ts`).
 */
export function filterRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  text: string,
): readonly Row[] {
  const searched = columns.filter(({ sortable }) => sortable !== false);
  const { bounds, rest } = readBounds(text, searched);
  const wanted = rest.trim().toLowerCase();
  if (wanted === '' && bounds.length === 0) return rows;
  const number = String(Number(wanted)) === wanted ? Number(wanted) : undefined;
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
