/** Tables as files for other programs: all digits, in the order shown. */
import { download } from '../../browser/download.ts';

/** Saves objects of one form, a row each. What writes files is loaded with the first. */
export async function saveTable(
  name: string,
  objects: readonly object[],
  format: 'csv' | 'parquet',
): Promise<void> {
  const [{ objectTable }, { tableFile }] = await Promise.all([
    import('../../../engine/export/tables/object-table.ts'),
    import('../../../engine/export/tables/table-file.ts'),
  ]);
  const pieces: Blob[] = [];
  for await (const piece of tableFile(objectTable(objects), format)) pieces.push(new Blob([piece]));
  download(new Blob(pieces, { type: 'application/octet-stream' }), `${name}.${format}`);
}
