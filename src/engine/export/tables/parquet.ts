/** Tables as Parquet: row groups of a bounded number of rows, so that a file of any length needs the memory of one. */
import type { ByteWriter } from 'hyparquet-writer';
import type { ColumnKind, ExportCell, ExportRow, ExportTable, FilePieces } from './table.ts';

/** Rows of a group: readers take a group at a time, and prefer large ones. */
const GROUP_ROWS = 65_536;

const TYPES = {
  integer: 'INT64',
  number: 'DOUBLE',
  text: 'STRING',
  json: 'STRING',
} as const satisfies Record<ColumnKind, string>;

export async function* parquetPieces({ columns, rows }: ExportTable): FilePieces {
  const library = await import('hyparquet-writer');
  const writer = new library.ByteWriter();
  const columnsOf = (group: readonly ExportRow[]) =>
    columns.map(({ name, kind }, i) => {
      return { name, type: TYPES[kind], data: group.map((row) => valueOf(row[i], kind)) };
    });
  const schema = library.schemaFromColumnData({ columnData: columnsOf([]) });
  const parquet = new library.ParquetWriter({ writer, schema, createdBy: 'wakepath' });
  const write = (group: readonly ExportRow[]) => {
    const columnData = columnsOf(group).map(({ name, data }) => ({ name, data }));
    // Without `flush` the writer keeps to itself, and writes at once.
    void parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
    return takenFrom(writer);
  };
  let group: ExportRow[] = [];
  for await (const piece of rows) {
    for (const row of piece) {
      group.push(row);
      if (group.length < GROUP_ROWS) continue;
      yield write(group);
      group = [];
    }
  }
  if (group.length > 0) yield write(group);
  void parquet.finish();
  yield takenFrom(writer);
}

/** Undefined is what the library takes for no value. */
function valueOf(cell: ExportCell, kind: ColumnKind): ExportCell | undefined {
  if (cell === null) return undefined;
  return kind === 'integer' && typeof cell === 'number' ? BigInt(cell) : cell;
}

/** Takes what was written since; the place within the file goes on. */
function takenFrom(writer: ByteWriter): Uint8Array<ArrayBuffer> {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
