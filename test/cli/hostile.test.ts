/** Traces that are wrong, or written to do harm: the command line answers, soon and in little memory. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { switchTrace, type SwitchTrace } from '../support/switch-trace.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(name: string, trace: SwitchTrace): string {
  return writtenFiles(name, switchTrace(trace));
}

function writtenFiles(name: string, files: TraceFiles): string {
  const path = join(folder, name);
  mkdirSync(path);
  for (const [file, bytes] of files) writeFileSync(join(path, file), bytes);
  return path;
}

interface Info {
  readonly traces: readonly { readonly events: number; readonly firstNs: number; readonly lastNs: number }[];
}

interface CpuStats {
  readonly cpus: readonly { readonly cpu: number; readonly user: number; readonly switches: number }[];
  readonly threads: readonly { readonly worker: string; readonly states: readonly number[] }[];
}

describe('a time that is too far', () => {
  const far = 2n ** 62n;

  it.each([10, 1000, 10_000])('of a clock of %i Hz ends its packet', async (frequency) => {
    const switches = [
      { time: 10n, prev: 1, next: 2 },
      { time: far, prev: 2, next: 1 },
      { time: far + 5n, prev: 1, next: 2 },
    ];
    const path = written(`far-${frequency}`, { frequency, streams: [{ cpu: 0, end: 2n ** 63n, switches }] });
    for (const command of [['info'], ['states'], ['states', '--check'], ['stats', 'cpu']]) {
      const { code, stderr } = await inspect(...command, path);
      expect(code).toBe(2);
      expect(stderr).toContain('ch_0, packet 1, byte 120, event sched_switch: The trace exceeds a limit');
    }
    const { stdout } = await inspect('info', '--json', path);
    expect((JSON.parse(stdout) as Info).traces[0]).toMatchObject({ events: 1, firstNs: 0, lastNs: 0 });
  });

  it('is none where doubles hold it: 146 years of a clock of 1 GHz', async () => {
    const switches = [
      { time: 10n, prev: 1, next: 2 },
      { time: far, prev: 2, next: 1 },
    ];
    const path = written('years', { streams: [{ cpu: 0, end: far, switches }] });
    const { cpus } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, user: Number(far), switches: 2 }]);
  });
});

describe('times that go back', () => {
  it('stand still, and are counted', async () => {
    const path = join(projectDir(), 'test/fixtures/cases/kernel-step-back/trace');
    const { code, stdout, stderr } = await inspect('info', '--json', path);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Info).traces[0]).toMatchObject({
      events: 10,
      firstNs: 0,
      lastNs: 21_000_000,
    });
    expect(stderr).toContain('found 5 events in 1 packet. [time-backwards]');
    expect(await inspect('states', '--check', path)).toMatchObject({ code: 0, stdout: '0 violations\n' });
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, user: 21_000_000, switches: 6 }]);
    expect(threads.flatMap(({ states }) => states).every((ns) => ns >= 0)).toBe(true);
    const userOf = (worker: string) => threads.find((thread) => thread.worker === worker)?.states[1];
    expect([userOf('10'), userOf('20')]).toEqual([10_000_000, 11_000_000]);
  });

  it('in every event leave a trace without length', async () => {
    const switches = Array.from({ length: 100 }, (_, i) => {
      return { time: BigInt(1_000_000 - 7 * i), prev: (i % 2) + 1, next: ((i + 1) % 2) + 1 };
    });
    const path = written('back', { streams: [{ cpu: 0, end: 2_000_000n, switches }] });
    expect(await inspect('states', '--check', path)).toMatchObject({ code: 0, stdout: '0 violations\n' });
    const [{ firstNs, lastNs }] = (await inspectJson<Info>('info', path)).traces;
    expect([firstNs, lastNs]).toEqual([0, 0]);
    expect((await inspect('info', path)).stderr).toContain('found 99 events in 1 packet');
  });
});

/** Each command that prints names out of traces, for people and for programs. */
const PRINTING = [
  'info',
  'states',
  'states --check',
  ...['counts', 'cpu', 'io', 'net', 'memory', 'heap', 'sched', 'irq', 'syscalls'].map(
    (kind) => `stats ${kind}`,
  ),
  'critical-path --thread 1',
  'critical-path --thread 1 --by process',
  'critical-path --thread 1 --folded',
  'sync',
  'overlays --begin sched_switch --end sched_switch --key prev_comm',
  'overlays',
  'canonical',
];
const COMMANDS = PRINTING.flatMap((command) =>
  /canonical|--folded/.test(command) ? [command] : [command, `${command} --json`],
);
/** All but ends of lines that a terminal obeys, or that reorder or hide text. */
const OBEYED =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

describe('names that a terminal would obey', () => {
  const longName = 'x'.repeat(100_000);
  const red = '\u001b[31mred';
  const switches = [
    { time: 10n, prev: 1, next: 2, prevName: red, nextName: '\u202egnp' },
    { time: 20n, prev: 2, next: 1, prevName: '\u009b2J\nforged', nextName: red },
    { time: 30n, prev: 1, next: 2, prevName: red, nextName: '\u007f\u200f' },
  ];
  const trace = (hostname: string): SwitchTrace => ({
    hostname,
    streams: [{ cpu: 0, end: 40n, switches }],
  });
  const one = written('names', trace(`\u202e\u001b]0;title\u0007${longName}`));

  it.each(COMMANDS)('are shown, and long ones cut: %s', async (command) => {
    const { code, stdout, stderr } = await inspect(...command.split(' '), one);
    expect([code, stdout.length > 0]).toEqual([0, true]);
    expect(stdout + stderr).not.toMatch(OBEYED);
    expect(stdout + stderr).not.toMatch(/^forged/m);
    // JSON is for programs: nothing is cut there.
    if (!command.endsWith('--json')) expect(stdout.length).toBeLessThan(20_000);
  });

  it('are those of the trace in data for programs', async () => {
    const { threads } = await inspectJson<{ readonly threads: readonly { readonly name: string }[] }>(
      'states',
      one,
    );
    expect(threads.map(({ name }) => name)).toContain(red);
    expect((await inspect('states', one)).stdout).toContain('⟨1b⟩[31mred');
    expect((await inspect('critical-path', '--thread', '1', '--folded', one)).stdout).toContain(
      '⟨1b⟩[31mred 1',
    );
  });

  it('of hosts are shown, in messages too', async () => {
    const two = join(folder, 'two-hosts');
    mkdirSync(two);
    written('two-hosts/\u202ea', trace('first'));
    written('two-hosts/\u001b[2Jb', trace('second'));
    const commands = [['info'], ['sync'], ['stats', 'cpu'], ['critical-path', '--thread', '1']];
    const outputs = await Promise.all(commands.map((command) => inspect(...command, two)));
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toMatch(OBEYED);
    expect(outputs[1].stdout).toContain('⟨202e⟩a');
    // Both hosts have the thread: which are there is told.
    expect(outputs[3]).toMatchObject({ code: 2, stdout: '' });
    expect(outputs[3].stderr).toContain('⟨202e⟩a:1');
  });
});

describe.skipIf(sharedDir() === undefined)('the trace of hostile names', () => {
  const path = join(sharedDir() ?? '', 'cases/attack/hostile');

  it.each(COMMANDS.filter((command) => !command.startsWith('critical-path')))(
    'is printed safely: %s',
    async (command) => {
      const { stdout, stderr } = await inspect(...command.split(' '), path);
      expect(stdout).not.toBe('');
      expect(stdout + stderr).not.toMatch(OBEYED);
    },
  );
});

describe.skipIf(sharedDir() === undefined)('damaged bytes of a recorded trace', () => {
  it.each(['states-invariant-1', 'r-ts-back', 'r-freq-1'])('%s: the states hold together', async (name) => {
    const path = join(sharedDir() ?? '', 'cases/attack', name);
    expect((await inspect('states', '--check', path)).stdout).toBe('0 violations\n');
  });
});
