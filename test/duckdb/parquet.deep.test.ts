/** Tables as Parquet: what DuckDB reads of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ExportRow, type ExportTable, rowTable } from '../../src/engine/export/tables/table.ts';
import { tableFile } from '../../src/engine/export/tables/table-file.ts';
import { queried } from './query.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const COLUMNS: ExportTable['columns'] = [
  { name: 'time_ns', kind: 'integer', base: 1_795_225_043_737_704_787n },
  { name: 'since_ns', kind: 'integer' },
  { name: 'share', kind: 'number' },
  { name: 'thread', kind: 'text' },
  { name: 'payload', kind: 'json' },
];

/** @returns its path, for SQL */
async function parquetOf(table: ExportTable, name: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await writeFile(path, tableFile(table, 'parquet'));
  return `'${path}'`;
}

const HOSTILE: readonly ExportRow[] = [
  [0, 0, 0.5, '=HYPERLINK("http://x")', '{"a":18446744073709551615}'],
  [-1, -1, null, 'a\u202eb,"c"\nd', null],
  [null, null, -0.25, '@sum', '{"b":"<script>"}'],
];

describe('a table as Parquet', () => {
  it('has its values and kinds', async () => {
    const file = await parquetOf(rowTable(COLUMNS, [HOSTILE]), 'hostile');
    expect(await queried(`select *, payload->>'a' as a from ${file}`)).toEqual([
      {
        time_ns: 1_795_225_043_737_704_787n,
        since_ns: 0n,
        share: 0.5,
        thread: '=HYPERLINK("http://x")',
        payload: '{"a":18446744073709551615}',
        a: '18446744073709551615',
      },
      {
        time_ns: 1_795_225_043_737_704_786n,
        since_ns: -1n,
        share: null,
        thread: 'a\u202eb,"c"\nd',
        payload: null,
        a: null,
      },
      { time_ns: null, since_ns: null, share: -0.25, thread: '@sum', payload: '{"b":"<script>"}', a: null },
    ]);
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
