/** Tables as Parquet: what DuckDB reads of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExportRow, type ExportTable, rowTable } from '../../src/engine/export/tables/table.ts';
import { tableFile } from '../../src/engine/export/tables/table-file.ts';
import { queried } from './query.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { COLUMNS, HOSTILE, READ_HOSTILE } from '../support/hostile-table.ts';

const folder = temporaryFolder();

/** @returns its path, for SQL */
async function parquetOf(table: ExportTable, name: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await writeFile(path, tableFile(table, 'parquet'));
  return `'${path}'`;
}

describe('a table as Parquet', () => {
  it('has its values and kinds', async () => {
    const file = await parquetOf(rowTable(COLUMNS, [HOSTILE]), 'hostile');
    const rows = await queried(`select *, payload->>'a' as a from ${file}`);
    const numbers = ['18446744073709551615', null, null];
    expect(rows).toEqual(READ_HOSTILE.map((row, i) => ({ ...row, a: numbers[i] })));
  });

  it('may have no rows, or more than a group holds', async () => {
    const empty = await parquetOf(rowTable(COLUMNS, []), 'empty');
    expect(await queried(`select count(*) as rows from ${empty}`)).toEqual([{ rows: 0n }]);
    const row = (i: number): ExportRow => [i, i, i / 2, `thread ${i % 7}`, null];
    const piece = (from: number) => Array.from({ length: 50_000 }, (_, i) => row(from + i));
    const long = await parquetOf(rowTable(COLUMNS, [piece(0), piece(50_000), piece(100_000)]), 'long');
    expect(
      await queried(`
        select count(*) as rows, sum(since_ns)::bigint as sum, count(distinct thread) as threads from ${long}`),
    ).toEqual([{ rows: 150_000n, sum: 11_249_925_000n, threads: 7n }]);
    const groups = await queried(
      `select distinct row_group_num_rows as n from parquet_metadata(${long}) order by n`,
    );
    expect(groups).toEqual([{ n: 18_928n }, { n: 65_536n }]);
  });
});
