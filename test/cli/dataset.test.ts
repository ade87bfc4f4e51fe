/** `inspect export --dataset`: a folder of Parquet files that each trace has a part of, and the schema that the documents say. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, it } from 'vitest';
import { partitionName } from '../../src/cli/commands/dataset.ts';
import { inspect, expectRefused } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { writtenRecording } from '../support/written-recordings.ts';
import { bufferOf, exported, filesIn } from '../support/exported-dataset.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

describe('the part of a trace', () => {
  const dataset = join(folder, 'parts');
  const first = writtenRecording(join(folder, 'first'), { hostname: '../..', waitNs: [1000, 2000] });
  const second = writtenRecording(join(folder, 'second'), { hostname: '../..', waitNs: [3000] });

  beforeAll(() => exported(first, dataset));

  it('has the tables and columns that the documents list', async () => {
    const text = readFileSync(join(projectDir(), 'docs/dataset.md'), 'utf8');
    const part = text.slice(text.indexOf('## Tables'), text.indexOf('## Ten queries'));
    const documented = new Set([...part.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name));
    const tables = readdirSync(dataset).sort();
    const listed = [...part.matchAll(/^\| `([a-z_]+)` \| an? /gm)].map(([, name]) => name);
    expect(tables).toEqual(listed.sort());
    for (const table of tables) {
      const [file] = filesIn(join(dataset, table));
      const { schema, key_value_metadata: facts = [] } = parquetMetadata(
        bufferOf(join(dataset, table, file)),
      );
      const columns = schema.slice(1).map(({ name }) => name);
      expect(columns.filter((name) => !documented.has(name))).toEqual([]);
      expect(Object.fromEntries(facts.map(({ key, value }) => [key, value]))).toEqual({
        'wakepath.schema': '1',
        'wakepath.table': table,
      });
    }
  });

  it('is replaced by exporting it again, and no other', async () => {
    await exported(second, dataset);
    const before = filesIn(dataset);
    expect(before).toHaveLength(14);
    expect(
      before.every((file) =>
        /^[a-z_]+\/host=%2E\.%2F\.\.\/recording=[0-9a-f]{64}\/day=1970-01-01\/part\.parquet$/.test(file),
      ),
    ).toBe(true);
    const contents = before.map((file) => readFileSync(join(dataset, file)));
    // What is left of another day of the same recording goes; what is not the dataset's stays.
    const [, , recording] = before[0].split('/');
    const former = join(dataset, 'waits/host=former', recording, 'day=2020-01-01');
    mkdirSync(former, { recursive: true });
    writeFileSync(join(former, 'part.parquet'), 'former');
    writeFileSync(join(dataset, 'README'), 'ours');
    for (const trace of [first, second]) await exported(trace, dataset);
    expect(filesIn(dataset)).toEqual(['README', ...before]);
    expect(before.map((file) => readFileSync(join(dataset, file)))).toEqual(contents);
  });

  it('lies within the folder, whatever its host is called', () => {
    const names = [
      '',
      '.',
      '..',
      '../..',
      'a/b',
      '.hidden',
      'a\0b',
      'ä',
      'h'.repeat(5000),
      '/'.repeat(5000),
      'web-1.example_2',
    ];
    expect(names.map(partitionName).map((name) => (name.length > 40 ? name.length : name))).toEqual([
      '__HIVE_DEFAULT_PARTITION__',
      '%2E',
      '%2E.',
      '%2E.%2F..',
      'a%2Fb',
      '%2Ehidden',
      'a%00b',
      '%C3%A4',
      161,
      161,
      'web-1.example_2',
    ]);
    expect(new Set(['h'.repeat(5000), 'h'.repeat(5001)].map(partitionName)).size).toBe(2);
  });

  it.each([
    [['--output', 'file'], /--dataset is of the whole trace, without --output/],
    [['--range', '0..5'], /--dataset is of the whole trace/],
    [['--begin', 'a'], /--begin EVENT and --end EVENT are expected/],
    [['--begin', 'a', '--end', 'b'], /no event of the trace is called "a"/],
    [['--label', 'version'], /--label: NAME=VALUE is expected/],
  ])('is refused with %j', async (options, words) => {
    const { code, stderr } = await inspect('export', first, '--dataset', join(folder, 'refused'), ...options);
    expect([code, readdirSync(folder).includes('refused')]).toEqual([2, false]);
    expect(stderr).toMatch(words);
  });

  it('has whole ns in each finding, of lost events too', async () => {
    const lossy = join(projectDir(), 'test/fixtures/cases/loss-in-another-channel/trace');
    const dataset = join(folder, 'lossy');
    await exported(lossy, dataset);
    const [file] = filesIn(join(dataset, 'findings'));
    const rows = await parquetReadObjects({ file: bufferOf(join(dataset, 'findings', file)) });
    // 1000 of 1014 events, of 60 ms.
    expect(rows.map(({ rule, ns }) => [rule, ns])).toEqual([['lost-events', 59_171_598n]]);
  });

  it('has no lock that is the end of a thread', async () => {
    const ended = join(projectDir(), 'test/fixtures/cases/pthread-join-waker/trace');
    const dataset = join(folder, 'ends');
    await exported(ended, dataset);
    const rowsOf = (table: string) => {
      const [file] = filesIn(join(dataset, table));
      return parquetReadObjects({ file: bufferOf(join(dataset, table, file)) });
    };
    expect([await rowsOf('locks'), await rowsOf('lock_waits')]).toEqual([[], []]);
    // The wait itself is known, and who ended it.
    expect((await rowsOf('waits')).map(({ call, waker_tid }) => [call, waker_tid])).toContainEqual([
      'futex',
      11n,
    ]);
  });

  it('is not written where there is no room for it', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expectRefused(
      /The output cannot be written.*\[output-unwritable\]/,
      'export',
      first,
      '--dataset',
      join(folder, 'file'),
    );
    const alone = await inspect('export', first, '--label', 'a=b', '--output', 'x');
    expect(alone.stderr).toMatch(/--label needs --dataset/);
  });
});
