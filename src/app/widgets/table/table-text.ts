/** Tables as text to paste elsewhere: CSV, Markdown, JSON; all digits, in the order shown. */
import { csvCell } from '../../../engine/base/csv-cell.ts';
import type { Column } from './column.ts';

export type TextFormat = 'csv' | 'markdown' | 'json';

export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  format: TextFormat,
): string {
  const told = columns.filter((column) => column.sortable !== false);
  const heads = told.map((column) => column.copyTitle ?? column.title);
  const known = (value: number | string) => (Number.isNaN(value) ? '' : value);
  const cells = rows.map((row) => told.map((column) => known(column.value(row))));
  switch (format) {
    case 'csv':
      return [heads, ...cells].map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
    case 'markdown':
      return [heads, told.map((column) => (column.numeric ? '---:' : '---')), ...cells]
        .map((line) => `| ${line.map(markdownCell).join(' | ')} |`)
        .join('\n');
    case 'json':
      return JSON.stringify(tableObjects(rows, columns), undefined, 2);
  }
}

/** An object for each row, with values by the heads of columns. */
export function tableObjects<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): readonly Readonly<Record<string, number | string>>[] {
  const told = columns.filter((column) => column.sortable !== false);
  return rows.map((row) =>
    Object.fromEntries(told.map((column) => [column.copyTitle ?? column.title, column.value(row)])),
  );
}

function markdownCell(value: number | string): string {
  return String(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replace(/[\r\n]+/g, ' ');
}
