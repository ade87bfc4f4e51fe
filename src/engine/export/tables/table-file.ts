/** The files that a table can be written as. */
import { parquetPieces } from './parquet.ts';
import { type ExportTable, type FilePieces, type ExportCell, utf8, type ExportRow } from './table.ts';
import { csvCell } from '../../base/csv-cell.ts';
import { visibleCharacters, escapedCharacters } from '../../base/visible-text.ts';

const WRITERS = {
  csv: csvPieces,
  json: jsonPieces,
  parquet: parquetPieces,
} satisfies Record<string, (table: ExportTable) => FilePieces>;

export type TableFormat = keyof typeof WRITERS;
export const TABLE_FORMATS = Object.keys(WRITERS) as readonly TableFormat[];

export function tableFile(table: ExportTable, format: TableFormat): FilePieces {
  return WRITERS[format](table);
}

/** CSV (RFC 4180, in UTF-8): a line of names, then a line for each row; a value that is not known is empty. */
async function* csvPieces({ columns, rows }: ExportTable): FilePieces {
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

/**
 * One JSON array, a line for each row: an object of what is known of it. An integer that a double cannot hold is text of
 * its digits. Characters that hide or reorder text are escaped.
 */
async function* jsonPieces({ columns, rows }: ExportTable): FilePieces {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const lineOf = (row: ExportRow): string => {
    const members = row.flatMap((cell, i) => {
      if (cell === null) return [];
      if (columns[i].kind === 'json') return names[i] + String(cell);
      return names[i] + JSON.stringify(typeof cell === 'bigint' ? String(cell) : cell);
    });
    return escapedCharacters(`{${members.join(',')}}`);
  };
  let separator = '[\n';
  for await (const piece of rows) {
    if (piece.length === 0) continue;
    yield utf8(separator + piece.map(lineOf).join(',\n'));
    separator = ',\n';
  }
  yield utf8(separator === '[\n' ? '[]\n' : '\n]\n');
}
