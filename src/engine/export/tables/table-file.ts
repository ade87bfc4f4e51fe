/** The files that a table can be written as. */
import { csvPieces } from './csv.ts';
import { jsonPieces } from './json.ts';
import { parquetPieces } from './parquet.ts';
import type { ExportTable, FilePieces } from './table.ts';

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
