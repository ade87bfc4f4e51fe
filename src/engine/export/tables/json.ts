/**
 * Tables as one JSON array, a line for each row: an object of what is known of it. An integer that a double cannot hold is
 * text of its digits. Characters that hide or reorder text are escaped.
 */
import { escapedCharacters } from '../../base/visible-text.ts';
import { type ExportRow, type ExportTable, type FilePieces, utf8 } from './table.ts';

export async function* jsonPieces({ columns, rows }: ExportTable): FilePieces {
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
