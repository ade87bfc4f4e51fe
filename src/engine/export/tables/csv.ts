/** Tables as CSV (RFC 4180, in UTF-8): a line of names, then a line for each row; a value that is not known is empty. */
import { csvCell } from '../../base/csv-cell.ts';
import { visibleCharacters } from '../../base/visible-text.ts';
import { type ExportCell, type ExportTable, type FilePieces, utf8 } from './table.ts';

export async function* csvPieces({ columns, rows }: ExportTable): FilePieces {
  yield utf8(lineOf(columns.map(({ name }) => name)));
  for await (const piece of rows) if (piece.length > 0) yield utf8(piece.map(lineOf).join(''));
}

function lineOf(cells: readonly ExportCell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

/** Characters that hide or reorder text become visible, as spreadsheets would obey them. */
function cellOf(cell: ExportCell): string {
  if (cell === null) return '';
  return csvCell(typeof cell === 'string' ? visibleCharacters(cell) : cell);
}
