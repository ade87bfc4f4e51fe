/**
 * A program with a known wait is recorded by perf and trace-cmd in each of their forms, and the path says what it waited
 * for. Only where they are installed and may record.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';

const folder = mkdtempSync(join(tmpdir(), 'wakepath-recorders-'));
afterAll(() => rmSync(folder, { recursive: true }));

const EVENTS = ['sched:*', 'irq:*', 'timer:hrtimer_expire_entry', 'timer:hrtimer_expire_exit'];
const OF_PERF = ['-q', '-a', '-m', '4M', '-k', 'CLOCK_MONOTONIC', '-e', EVENTS.join()];
const OF_TRACE_CMD = ['-q', '-C', 'mono', ...EVENTS.flatMap((event) => ['-e', event])];

/** A recorder with the options of `record`, and what its file is called. */
interface Form {
  readonly command: 'perf' | 'trace-cmd';
  readonly options: readonly string[];
  readonly file: string;
  /** What is printed of the file is opened in its place. */
  readonly isReport?: boolean;
}

const FORMS: Readonly<Record<string, Form>> = {
  'perf: a file': { command: 'perf', options: OF_PERF, file: 'perf.data' },
  'perf: packed': { command: 'perf', options: [...OF_PERF, '-z'], file: 'packed.data' },
  'trace-cmd: version 7': { command: 'trace-cmd', options: OF_TRACE_CMD, file: 'trace.dat' },
  'trace-cmd: version 6': {
    command: 'trace-cmd',
    options: [...OF_TRACE_CMD, '--file-version', '6'],
    file: 'trace6.dat',
  },
  'trace-cmd: report': { command: 'trace-cmd', options: OF_TRACE_CMD, file: 'text.dat', isReport: true },
};

function record({ command, options }: Omit<Form, 'file'>, path: string, program: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(
    command,
    ['record', ...options, '-o', path, ...program],
    {
      encoding: 'utf8',
      timeout: 60_000,
    },
  );
  return { isDone: status === 0, stdout: stdout as string | null, why: error?.message ?? stderr.trim() };
}

/** Reason why a recorder cannot record here, '': it can. */
function whyNot(command: Form['command'], options: readonly string[]): string {
  const { isDone, why } = record({ command, options }, join(folder, `${command}.try`), ['true']);
  return isDone ? '' : why.split('\n')[0];
}

const REASONS = { perf: whyNot('perf', OF_PERF), 'trace-cmd': whyNot('trace-cmd', OF_TRACE_CMD) };

interface Path {
  readonly segments: readonly { readonly from: number; readonly to: number; readonly cause: string }[];
}

const SLEEP_NS = 400_000_000;

describe.each(Object.entries(FORMS))('%s', (_, form) => {
  const reason = REASONS[form.command];

  it.skipIf(reason !== '')(`tells that a program waited for a timer${reason && `: ${reason}`}`, async () => {
    const path = join(folder, form.file);
    const { stdout } = record(form, path, ['sh', '-c', 'echo $$; sleep 0.4; :']);
    const tid = /^\d+$/m.exec(stdout ?? '')?.[0] ?? '';
    if (form.isReport === true) {
      const report = spawnSync('trace-cmd', ['report', '-i', path], { encoding: 'utf8', maxBuffer: 2 ** 28 });
      writeFileSync(`${path}.txt`, report.stdout);
    }
    const opened = form.isReport === true ? `${path}.txt` : path;
    const { segments } = await inspectJson<Path>('critical-path', opened, '--thread', tid);
    const waited = segments
      .filter(({ cause }) => cause === 'timer')
      .reduce((sum, { from, to }) => sum + to - from, 0);
    expect(waited).toBeGreaterThan(0.9 * SLEEP_NS);
  });
});
