/** Files of executions on the command line: what `--database` writes is read in place of the trace. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { inspect, inspectJson, expectRefused } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { writtenRecording } from '../support/written-recordings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TRACE = join(projectDir(), 'public/examples/executions-lock');
const CALLS = ['--begin', 'syscall_entry_futex', '--end', 'syscall_exit_futex'];
const REQUESTS = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'];
const folder = temporaryFolder();
const file = join(folder, 'requests');

beforeAll(() => inspectJson('executions', TRACE, ...REQUESTS, '--database', file));

it('a file says what its trace says', async () => {
  const slow = ['--slow', 'p90'];
  const [ofTrace, ofFile] = [
    await inspectJson('executions', TRACE, ...REQUESTS, ...slow),
    await inspectJson('executions', file, ...slow),
  ];
  expect(ofFile).toEqual(ofTrace);
});

it('a trace of which locks are known names those that the slow ones wait for longer', async () => {
  const { stdout } = await inspect('executions', TRACE, ...REQUESTS, '--slow', 'p90');
  const lines = stdout.slice(stdout.indexOf('For which locks')).split('\n');
  expect(lines[2]).toMatch(/^0 +5552683 +5552683 .* 0 +19 +futex cache_lock of wk-server$/);
});

it('a file is compared with a trace, of which the same executions are read', async () => {
  const args = [TRACE, '--against', file];
  const compared = await inspectJson<{ readonly ranking: object }>('executions', ...args);
  expect(compared.ranking).toMatchObject({ difference: 0, nodes: [], threads: [], metrics: [] });
  await expectRefused('from wk_req:begin to wk_req:end', 'executions', ...args, ...CALLS);
});

it('a file that is cut off is refused', async () => {
  const cut = join(folder, 'cut');
  writeFileSync(cut, readFileSync(file).subarray(0, 1000));
  const { code, stdout, stderr } = await inspect('executions', cut, '--json');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('This file of executions cannot be read');
});

describe('files of many recordings', () => {
  const recordings = [20_000, 21_000, 20_500, 30_000].map((ns, i) => {
    const waitNs = Array.from({ length: 12 }, (_, turn) => ns + 100 * turn);
    return { waitNs, second: 1_795_000_000 + 60 * i, file: `build-${i}` };
  });
  beforeAll(async () => {
    for (const { file, ...written } of recordings) {
      const trace = writtenRecording(join(folder, `trace-of-${file}`), { hostname: 'h', ...written });
      await inspectJson('executions', trace, ...CALLS, '--database', join(folder, file));
    }
  });
  const paths = () => recordings.map(({ file: name }) => join(folder, name));

  it('say since when executions are slower', async () => {
    const trend = await inspectJson<{ recordings: Record<string, unknown>[]; slower: object }>(
      ...['executions', '--trend', ...paths().reverse()],
    );
    // From entry to return: 20 ns less than the wait. Of 12 the sixth is the median, the twelfth the 95th percentile.
    expect(
      trend.recordings.map(({ file: path, executions, medianNs, p95Ns }) => [
        path,
        executions,
        medianNs,
        p95Ns,
      ]),
    ).toEqual(
      paths().map((path, i) => [path, 12, recordings[i].waitNs[5] - 20, recordings[i].waitNs[11] - 20]),
    );
    expect(trend.slower).toMatchObject({ recording: 3, beforeNs: 21_480 });
    const { code, stdout } = await inspect('executions', '--trend', ...paths());
    expect(code).toBe(0);
    expect(stdout).toContain('2026-11-18 11:06:40');
    expect(stdout).toMatch(
      /The first slower one is .*build-3: its median is 30480 ns, 42 % above the largest before/,
    );
  });

  it.each([
    [() => [TRACE], /is no file of executions/],
    [() => [...paths(), file], /has those from wk_req:begin to wk_req:end, not those of/],
    [() => [], /--trend takes files of executions alone/],
    [() => [file, '--slow', 'p90'], /--trend takes files of executions alone/],
  ])('are refused with what they cannot be read with (%#)', async (args, words) => {
    await expectRefused(words, 'executions', '--trend', ...args());
  });

  it('are read without the one that is damaged', async () => {
    const cut = join(folder, 'cut-off');
    writeFileSync(cut, readFileSync(file).subarray(0, 1000));
    const { code, stdout, stderr } = await inspect('executions', '--trend', ...paths(), cut);
    expect([code, stdout.split('\n').filter((line) => line.includes('build-')).length]).toEqual([2, 5]);
    expect(stderr).toContain('This file of executions cannot be read');
  });
});
