/** Files of executions on the command line: what `--database` writes is read in place of the trace. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';

const TRACE = join(projectDir(), 'public/examples/executions-lock');
const REQUESTS = ['--begin', 'wk_req:begin', '--end', 'wk_req:end', '--key', 'id'];
let folder = '';
let file = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wakepath-'));
  file = join(folder, 'requests');
  await inspectJson('executions', TRACE, ...REQUESTS, '--database', file);
});
afterAll(() => rmSync(folder, { recursive: true }));

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
  const others = await inspect(
    'executions',
    ...args,
    '--begin',
    'syscall_entry_futex',
    '--end',
    'syscall_exit_futex',
  );
  expect([others.code, others.stderr]).toEqual([
    2,
    expect.stringContaining('from wk_req:begin to wk_req:end'),
  ]);
});

it('a file that is cut off is refused', async () => {
  const cut = join(folder, 'cut');
  writeFileSync(cut, readFileSync(file).subarray(0, 1000));
  const { code, stdout, stderr } = await inspect('executions', cut, '--json');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('This file of executions cannot be read');
});
