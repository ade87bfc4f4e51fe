/** Tables as files: what other programs read of them, whatever names a trace has. */
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { objectTable, type ExportRow, type ExportTable, rowTable } from './table.ts';
import { tableFile, type TableFormat } from './table-file.ts';
import { COLUMNS, HOSTILE, READ_HOSTILE } from '../../../../test/support/hostile-table.ts';

async function textOf(table: ExportTable, format: TableFormat): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of tableFile(table, format)) pieces.push(piece.slice());
  return Buffer.concat(pieces).toString();
}

/** What a Parquet file of a table has, by a reader that is not ours. */
async function parquetOf(table: ExportTable) {
  const pieces: Uint8Array[] = [];
  for await (const piece of tableFile(table, 'parquet')) pieces.push(piece.slice());
  const file = new Uint8Array(Buffer.concat(pieces)).buffer;
  const rows = await parquetReadObjects({ file });
  return { metadata: parquetMetadata(file), rows };
}

describe('a table', () => {
  it('as CSV runs no formula, hides nothing, and keeps a row a line', async () => {
    const text = await textOf(rowTable(COLUMNS, [HOSTILE.slice(0, 1), [], HOSTILE.slice(1)]), 'csv');
    expect(text.split('\r\n')).toEqual([
      'time_ns,since_ns,share,thread,payload',
      `1795225043737704787,0,0.5,"'=HYPERLINK(""http://x"")","{""a"":18446744073709551615}"`,
      '1795225043737704786,-1,,"a⟨202e⟩b,""c""⟨0a⟩d",',
      `,,-0.25,'@sum,"{""b"":""<script>""}"`,
      '',
    ]);
  });

  it('as JSON says all digits, leaves out what is not known, and has no character that hides', async () => {
    const text = await textOf(rowTable(COLUMNS, [HOSTILE]), 'json');
    expect(text).not.toMatch(/\u202e/);
    expect(text).toContain('18446744073709551615');
    expect(JSON.parse(text)).toEqual([
      {
        time_ns: '1795225043737704787',
        since_ns: 0,
        share: 0.5,
        thread: '=HYPERLINK("http://x")',
        payload: { a: 18446744073709552000 },
      },
      { time_ns: '1795225043737704786', since_ns: -1, thread: 'a\u202eb,"c"\nd' },
      { share: -0.25, thread: '@sum', payload: { b: '<script>' } },
    ]);
    expect(await textOf(rowTable(COLUMNS, []), 'json')).toBe('[]\n');
  });

  it('as Parquet has its values and kinds', async () => {
    const { metadata, rows } = await parquetOf(rowTable(COLUMNS, [HOSTILE]));
    expect(
      metadata.schema.slice(1).map(({ name, type, converted_type }) => [name, type, converted_type]),
    ).toEqual([
      ['time_ns', 'INT64', undefined],
      ['since_ns', 'INT64', undefined],
      ['share', 'DOUBLE', undefined],
      ['thread', 'BYTE_ARRAY', 'UTF8'],
      ['payload', 'BYTE_ARRAY', 'UTF8'],
    ]);
    expect(rows).toEqual(READ_HOSTILE);
  });

  it('as Parquet has no fraction among whole numbers', async () => {
    const rows = [0, 1.5, 2].map((ns): ExportRow => [0, ns, 0, 'a', null]);
    await expect(parquetOf(rowTable(COLUMNS, [rows]))).rejects.toThrow(
      'column since_ns has whole numbers, not 1.5',
    );
  });

  it('as Parquet may have no rows, or more than a group holds', async () => {
    expect((await parquetOf(rowTable(COLUMNS, []))).rows).toEqual([]);
    const all = Array.from({ length: 150_000 }, (_, i) => [i, i, i / 2, `thread ${i % 7}`, null] as const);
    const pieces = [all.slice(0, 50_000), all.slice(50_000, 100_000), all.slice(100_000)];
    const { metadata, rows } = await parquetOf(rowTable(COLUMNS, pieces));
    const isRead = ([i, , half, thread]: (typeof all)[number]) =>
      rows[i].since_ns === BigInt(i) && rows[i].share === half && rows[i].thread === thread;
    expect(rows.length).toBe(150_000);
    expect(all.filter((row) => !isRead(row))).toEqual([]);
    expect(metadata.row_groups.map((group) => group.num_rows)).toEqual([65_536n, 65_536n, 18_928n]);
  });

  it('as Parquet has texts that come again, near, far or never, and long ones', async () => {
    const letters = 'the same again and again; ';
    const random = (seed: number, length: number) =>
      Array.from({ length }, (_, i) =>
        String.fromCharCode(33 + (Math.imul(i + seed, 2_654_435_761) >>> 26)),
      ).join('');
    const texts = [
      letters.repeat(9000),
      random(1, 300),
      random(2, 70_000),
      letters,
      random(1, 300),
      '',
      letters,
    ];
    const { rows } = await parquetOf(
      rowTable(COLUMNS, [texts.map((text, i) => [i, i, null, text, `"${text}"`])]),
    );
    expect(rows.map(({ thread }) => thread as string)).toEqual(texts);
    expect(rows.map(({ payload }) => payload as string)).toEqual(texts.map((text) => `"${text}"`));
  });

  it('is made of objects: a column for each property, whole numbers as such only where all are', async () => {
    const objects = [
      { name: 'a', read: { ops: 1, meanNs: 1.5 }, bins: [[1, 2]], lastNs: NaN },
      { name: 'b', read: { ops: 2, meanNs: 2 }, bins: [], host: 'h' },
    ];
    expect(objectTable(objects).columns).toEqual([
      { name: 'name', kind: 'text' },
      { name: 'read.ops', kind: 'integer' },
      { name: 'read.meanNs', kind: 'number' },
      { name: 'bins', kind: 'json' },
      { name: 'host', kind: 'text' },
    ]);
    expect((await textOf(objectTable(objects), 'csv')).split('\r\n')).toEqual([
      'name,read.ops,read.meanNs,bins,host',
      'a,1,1.5,"[[1,2]]",',
      'b,2,2,[],h',
      '',
    ]);
  });
});
