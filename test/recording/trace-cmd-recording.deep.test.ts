/**
 * A program with a known wait is recorded by trace-cmd in each of its forms, and the path says what it waited for. Only where
 * trace-cmd is installed and may record.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const EVENTS = ['sched:*', 'irq:*', 'timer:hrtimer_expire_entry', 'timer:hrtimer_expire_exit'];
const OPTIONS = ['-q', '-C', 'mono', ...EVENTS.flatMap((event) => ['-e', event])];

interface Form {
  /** Options of `trace-cmd record`. */
  readonly options: readonly string[];
  readonly file: string;
  /** What `trace-cmd report` prints of the file is opened in its place. */
  readonly isReport?: boolean;
}

const FORMS: Readonly<Record<string, Form>> = {
  'version 7': { options: OPTIONS, file: 'trace.dat' },
  'version 6': { options: [...OPTIONS, '--file-version', '6'], file: 'trace6.dat' },
  report: { options: OPTIONS, file: 'text.dat', isReport: true },
};

function record(options: readonly string[], path: string, program: readonly string[]) {
  const { status, stdout, stderr, error } = spawnSync(
    'trace-cmd',
    ['record', ...options, '-o', path, ...program],
    { encoding: 'utf8', timeout: 60_000 },
  );
  return { isDone: status === 0, stdout: stdout as string | null, why: error?.message ?? stderr.trim() };
}

/** Reason why it cannot record here, '': it can. */
function whyNot(): string {
  const { isDone, why } = record(OPTIONS, join(folder, 'try'), ['true']);
  return isDone ? '' : why.split('\n')[0];
}

const reason = whyNot();

interface Path {
  readonly segments: readonly { readonly from: number; readonly to: number; readonly cause: string }[];
}

const SLEEP_NS = 400_000_000;

describe.each(Object.entries(FORMS))('%s', (_, form) => {
  it.skipIf(reason !== '')(`tells that a program waited for a timer${reason && `: ${reason}`}`, async () => {
    const path = join(folder, form.file);
    const { stdout } = record(form.options, path, ['sh', '-c', 'echo $$; sleep 0.4; :']);
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
