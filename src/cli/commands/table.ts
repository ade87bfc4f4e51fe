/** Tables for people: numbers to the right, text to the left, wide as needed. */
import { visibleText } from '../../engine/base/visible-text.ts';
import { print } from '../output.ts';

type Cell = string | number;

/** @param cells rows as wide as `head` */
export function printTable(head: readonly string[], cells: readonly (readonly Cell[])[]): void {
  // Names may hold what a terminal obeys.
  const rows = cells.map((row) => row.map((cell) => (typeof cell === 'string' ? visibleText(cell) : cell)));
  const widths = head.map((title, column) =>
    rows.reduce((width, row) => Math.max(width, String(row[column]).length), title.length),
  );
  const line = (cells: readonly Cell[], numbers: readonly boolean[]): string =>
    cells
      .map((cell, column) =>
        numbers[column] ? String(cell).padStart(widths[column]) : String(cell).padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  const numbers = head.map(
    (_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'),
  );
  print(line(head, numbers));
  for (const row of rows) print(line(row, numbers));
}
