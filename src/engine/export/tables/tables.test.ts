/** Tables as files: what other programs read of them, whatever names a trace has. */
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { queried } from '../../../../test/support/duckdb.ts';
import { objectTable } from './object-table.ts';
import type { ExportRow, ExportTable } from './table.ts';
import { tableFile, type TableFormat } from './table-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
afterAll(() => rmSync(folder, { recursive: true }));

const COLUMNS: ExportTable['columns'] = [
  { name: 'time_ns', kind: 'integer' },
  { name: 'share', kind: 'number' },
  { name: 'thread', kind: 'text' },
  { name: 'payload', kind: 'json' },
];

async function textOf(table: ExportTable, format: TableFormat): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tableFile(table, format)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

/** @returns its path, for SQL */
async function parquetOf(table: ExportTable, name: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await writeFile(path, tableFile(table, 'parquet'));
  return `'${path}'`;
}

const HOSTILE: readonly ExportRow[] = [
  [1_795_225_043_737_704_787n, 0.5, '=HYPERLINK("http://x")', '{"a":18446744073709551615}'],
  [-1, null, 'a\u202eb,"c"\nd', null],
  [null, -0.25, '@sum', '{"b":"<script>"}'],
];

describe('a table', () => {
  it('as CSV runs no formula, hides nothing, and keeps a row a line', async () => {
    const text = await textOf({ columns: COLUMNS, rows: [HOSTILE.slice(0, 1), [], HOSTILE.slice(1)] }, 'csv');
    expect(text.split('\r\n')).toEqual([
      'time_ns,share,thread,payload',
      `1795225043737704787,0.5,"'=HYPERLINK(""http://x"")","{""a"":18446744073709551615}"`,
      '-1,,"a⟨202e⟩b,""c""⟨0a⟩d",',
      `,-0.25,'@sum,"{""b"":""<script>""}"`,
      '',
    ]);
  });

  it('as JSON says all digits, leaves out what is not known, and has no character that hides', async () => {
    const text = await textOf({ columns: COLUMNS, rows: [HOSTILE] }, 'json');
    expect(text).not.toMatch(/\u202e/);
    expect(text).toContain('18446744073709551615');
    expect(JSON.parse(text)).toEqual([
      {
        time_ns: '1795225043737704787',
        share: 0.5,
        thread: '=HYPERLINK("http://x")',
        payload: { a: 18446744073709552000 },
      },
      { time_ns: -1, thread: 'a\u202eb,"c"\nd' },
      { share: -0.25, thread: '@sum', payload: { b: '<script>' } },
    ]);
    expect(await textOf({ columns: COLUMNS, rows: [] }, 'json')).toBe('[]\n');
  });

  it('as Parquet has its values and kinds', async () => {
    const file = await parquetOf({ columns: COLUMNS, rows: [HOSTILE] }, 'hostile');
    expect(await queried(`select *, payload->>'a' as a from ${file}`)).toEqual([
      {
        time_ns: 1_795_225_043_737_704_787n,
        share: 0.5,
        thread: '=HYPERLINK("http://x")',
        payload: '{"a":18446744073709551615}',
        a: '18446744073709551615',
      },
      { time_ns: -1n, share: null, thread: 'a\u202eb,"c"\nd', payload: null, a: null },
      { time_ns: null, share: -0.25, thread: '@sum', payload: '{"b":"<script>"}', a: null },
    ]);
  });

  it('as Parquet may have no rows, or more than a group holds', async () => {
    const empty = await parquetOf({ columns: COLUMNS, rows: [] }, 'empty');
    expect(await queried(`select count(*) as rows from ${empty}`)).toEqual([{ rows: 0n }]);
    const row = (i: number): ExportRow => [i, i / 2, `thread ${i % 7}`, null];
    const piece = (from: number) => Array.from({ length: 50_000 }, (_, i) => row(from + i));
    const long = await parquetOf(
      { columns: COLUMNS, rows: [piece(0), piece(50_000), piece(100_000)] },
      'long',
    );
    expect(
      await queried(`
        select count(*) as rows, sum(time_ns)::bigint as sum, count(distinct thread) as threads from ${long}`),
    ).toEqual([{ rows: 150_000n, sum: 11_249_925_000n, threads: 7n }]);
    const groups = await queried(
      `select distinct row_group_num_rows as n from parquet_metadata(${long}) order by n`,
    );
    expect(groups).toEqual([{ n: 18_928n }, { n: 65_536n }]);
  });

  it('is made of objects: a column for each property, whole numbers as such only where all are', async () => {
    const objects = [
      { name: 'a', read: { ops: 1, meanNs: 1.5 }, bins: [[1, 2]], lastNs: NaN },
      { name: 'b', read: { ops: 2, meanNs: 2 }, bins: [], host: 'h' },
    ];
    const { columns, rows } = objectTable(objects);
    expect(columns).toEqual([
      { name: 'name', kind: 'text' },
      { name: 'read.ops', kind: 'integer' },
      { name: 'read.meanNs', kind: 'number' },
      { name: 'bins', kind: 'json' },
      { name: 'host', kind: 'text' },
    ]);
    expect(rows).toEqual([
      [
        ['a', 1, 1.5, '[[1,2]]', null],
        ['b', 2, 2, '[]', 'h'],
      ],
    ]);
  });
});
