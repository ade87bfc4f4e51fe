/** Tables for people: numbers to the right, text to the left, wide as needed. */
import { visibleText } from '../../engine/base/visible-text.ts';
import { printLines } from '../output.ts';

export type Cell = string | number;

/** @param rows as wide as `head`; gone through twice */
export function printTable(head: readonly string[], rows: Iterable<readonly Cell[]>): void {
  const widths = head.map((title) => title.length);
  const numbers = head.map(() => true);
  let isEmpty = true;
  for (const row of rows) {
    isEmpty = false;
    for (let column = 0; column < head.length; column++) {
      widths[column] = Math.max(widths[column], cellText(row[column]).length);
      if (typeof row[column] !== 'number') numbers[column] = false;
    }
  }
  if (isEmpty) numbers.fill(false);
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, column) =>
        numbers[column] ? cellText(cell).padStart(widths[column]) : cellText(cell).padEnd(widths[column]),
      )
      .join('  ')
      .trimEnd();
  printLines(
    (function* () {
      yield line(head);
      for (const row of rows) yield line(row);
    })(),
  );
}

/** Names may hold what a terminal obeys. */
function cellText(cell: Cell): string {
  return typeof cell === 'string' ? visibleText(cell) : String(cell);
}
