/**
 * A program with a known wait, recorded by perf as the recording guide says, in each form of its files, and opened as a
 * user would. Only where perf records the scheduler and a C compiler is installed.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordingPlan } from '../../src/app/recording/recording-plan.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type PathAnswer } from '../support/inspect-answers.ts';

const work = temporaryFolder();

function shell(command: string) {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], { cwd: work, encoding: 'utf8' });
  return { ok: status === 0, stdout, stderr };
}

const [COMMAND] = recordingPlan(new Set(['waits']), 'while', 'perf').split(' ./');

/** Why nothing can be recorded here; undefined: it can. */
function obstacle(): string | undefined {
  const source = join(projectDir(), 'test/recording/pipe-wait.c');
  if (!shell(`cc -O1 -pthread -o program '${source}'`).ok) return 'no C compiler';
  const tried = shell(`${COMMAND} -o tried.data true`);
  return tried.ok ? undefined : `perf does not record here: ${tried.stderr.trim().split('\n')[0]}`;
}

const why = obstacle();
describe.skipIf(why !== undefined)(`a wait for a pipe${why === undefined ? '' : ` (${why})`}`, () => {
  const program = "sh -c './program > said.txt'";
  it.each([
    ['file.data', `-o file.data ${program}`],
    ['pipe.data', `-o - ${program} > pipe.data`],
    ['packed.data', `-z -o packed.data ${program}`],
  ])('in %s leads to the thread that wrote', async (file, rest) => {
    const recorded = shell(`${COMMAND} ${rest}`);
    expect(recorded.ok, recorded.stderr).toBe(true);
    const said = new Map(
      shell('cat said.txt')
        .stdout.trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
    const [starter, reader, writer, waited] = ['starter', 'reader', 'writer', 'waited'].map(
      (word) => said.get(word) ?? '',
    );
    const { segments, sentence } = await inspectJson<PathAnswer>(
      'critical-path',
      join(work, file),
      '--thread',
      reader,
    );
    const inWait = segments.filter(({ depth }) => depth > 0);
    const { stdout, stderr } = await inspect('info', join(work, file));
    const waits = inWait
      .filter(({ label }) => label === 'blocked' || label === 'unknown')
      .map((wait) => ({ ...wait, text: `${wait.worker} ${wait.label} ${wait.cause}` }));
    const slept = [`${starter} blocked timer`, `${writer} blocked timer`];
    if (stderr.includes('[switches-missing]')) {
      // What ended a wait may be among the events that this kernel left out: then nobody is named.
      const unknown = [reader, starter].map((worker) => `${worker} unknown lost events`);
      expect([...slept, ...unknown]).toEqual(expect.arrayContaining(waits.map(({ text }) => text)));
    } else {
      expect(waits.map(({ text }) => text)).toEqual(slept);
      expect(sentence).toContain('waiting for a timer');
    }
    // The call takes longer than its wait: by its way into and out of the kernel, and until there is a CPU.
    const pathNs = inWait[inWait.length - 1].to - inWait[0].from;
    expect(pathNs).toBeLessThanOrEqual(Number(waited));
    const [{ from, to }] = waits.slice(-1);
    expect(to - from).toBeGreaterThanOrEqual(150e6);
    const outside = segments
      .filter(({ depth, from }) => depth === 0 && from >= inWait[0].from)
      .reduce((sum, { from, to }) => sum + to - from, 0);
    expect(Number(waited) - pathNs).toBeLessThan(1e6 + outside);
    expect(stdout).not.toContain('lacks -');
    expect(stdout).toContain('lacks raw_syscalls:sys_enter');
  });

  it('is one in a call by its name, where calls were recorded by number', async () => {
    const calls = `perf record -a -m 4M -k CLOCK_MONOTONIC -e 'sched:*,raw_syscalls:*'`;
    expect(shell(`${calls} -o calls.data sh -c './program > said.txt'`).ok).toBe(true);
    const reader = /reader (\d+)/.exec(shell('cat said.txt').stdout)?.[1];
    type Io = { threads: { worker: string; read: { bytes: number; ops: number } }[] };
    const { threads } = await inspectJson<Io>('stats', 'io', join(work, 'calls.data'));
    const read = threads.find(({ worker }) => worker === reader)?.read;
    // Of a call whose end this kernel left out nothing is known.
    if ((await inspect('info', join(work, 'calls.data'))).stderr.includes('[switches-missing]'))
      expect(read?.bytes ?? 0).toBeLessThanOrEqual(1);
    else expect(read).toMatchObject({ bytes: 1, ops: 1 });
    const { stdout } = await inspect('stats', 'syscalls', join(work, 'calls.data'));
    expect(stdout).toMatch(/ clock_nanosleep$/m);
    expect(stdout).not.toMatch(/ call \d+$/m);
    expect(shell('perf trace record -o traced.data ./program').ok).toBe(true);
    const { stdout: traced } = await inspect('stats', 'counts', join(work, 'traced.data'));
    expect(traced).toMatch(/ raw_syscalls:sys_enter_pipe2?$/m);
    expect(traced).not.toMatch(/ raw_syscalls:sys_enter$/m);
  });

  it('of the program alone is said to be so', async () => {
    const alone = COMMAND.replace(' -a', '').replace(' -g', '');
    expect(shell(`${alone} -o alone.data ./program`).ok).toBe(true);
    const { stdout } = await inspect('info', join(work, 'alone.data'));
    expect(stdout).toContain('lacks -a: Only program was recorded');
    expect(stdout).toContain('lacks -g');
  });
});
