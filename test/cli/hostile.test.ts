/** Traces that are wrong, or written to do harm: the command line answers, soon and in little memory. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { boundedInspect } from '../support/bounded-run.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';
import { switchTrace, type SwitchTrace } from '../support/switch-trace.ts';
import { DEEP } from '../support/tier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

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
  const trace = (hostname: string): SwitchTrace => ({ hostname, streams: [{ cpu: 0, end: 40n, switches }] });
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
  const path = sharedPath('cases/attack/hostile');

  it.each(COMMANDS.filter((command) => !command.startsWith('critical-path')))('by %s', async (command) => {
    const { stdout, stderr } = await inspect(...command.split(' '), path);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toMatch(OBEYED);
  });
});

describe.skipIf(sharedDir() === undefined)('damaged bytes of a recorded trace', () => {
  it.each(['states-invariant-1', 'r-ts-back', 'r-freq-1'])('%s: the states hold together', async (name) => {
    const path = sharedPath('cases/attack', name);
    expect((await inspect('states', '--check', path)).stdout).toBe('0 violations\n');
  });
});

describe('folders with links', () => {
  it('are read once, however often links lead to them', async () => {
    const path = written('circle', {
      streams: [{ cpu: 0, end: 100n, switches: [{ time: 10n, prev: 1, next: 2 }] }],
    });
    for (const name of ['a', 'b', 'c']) symlinkSync('.', join(path, name));
    symlinkSync('../circle', join(path, 'd'));
    symlinkSync('/', join(path, 'root'));
    const { code, stdout, stderr } = await boundedInspect('info', '--json', path);
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Info).traces).toHaveLength(1);
    expect(stderr).toContain('circle/root: A link in the folder is not followed');
    expect((await inspect('info', '--strict', path)).code).toBe(1);
  });

  it.skipIf(!existsSync('/usr'))('that lead to half the machine are not', async () => {
    const path = written('machine', {
      streams: [{ cpu: 0, end: 100n, switches: [{ time: 10n, prev: 1, next: 2 }] }],
    });
    symlinkSync('/usr', join(path, 'usr'));
    symlinkSync('/proc', join(path, 'proc'));
    const { code, stdout } = await boundedInspect('info', '--json', path);
    expect([0, 2]).toContain(code);
    expect((JSON.parse(stdout) as Info).traces).toHaveLength(1);
  });
});

describe('what is no file or folder', () => {
  it.each(['/dev/zero', '/dev/null', 'pipe'])('%s is refused, and told by its name', async (name) => {
    const path = name === 'pipe' ? join(folder, name) : name;
    if (name === 'pipe') execFileSync('mkfifo', [path]);
    const { code, stdout, stderr } = await boundedInspect('info', path);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/expected a file or folder, found a (device|pipe \(FIFO\))\. \[file-unreadable\]/);
  });
});

describe('output that cannot be written', () => {
  const path = join(projectDir(), 'test/fixtures/cases/kernel-step-back/trace');
  const run = (line: string) => {
    const program = [process.execPath, join(projectDir(), 'build/cli/inspect.js')];
    return spawnSync('sh', ['-c', line, 'sh', ...program], { encoding: 'utf8' });
  };

  it.skipIf(!existsSync('/dev/full'))('to stdout is a reason to refuse', () => {
    for (const command of ['stats counts', 'stats counts --json', 'canonical', 'help']) {
      const where = command === 'help' ? '' : path;
      const { status, stderr } = run(`"$@" ${command} ${where} --workers 0 > /dev/full`);
      expect(status).toBe(2);
      expect(stderr).toMatch(
        /^stdout: The output cannot be written: found .*ENOSPC.*\[output-unwritable\]$/m,
      );
    }
    expect(run(`"$@" canonical ${path} | head -1`).stderr).not.toContain('output-unwritable');
  });

  it.each([
    ['a full disk', '/dev/full', 'ENOSPC'],
    ['a folder', folder, 'EISDIR'],
    ['a missing folder', join(folder, 'missing/file'), 'ENOENT'],
  ])('to %s says so, not how the program is used', async (_, output, error) => {
    if (output === '/dev/full' && !existsSync(output)) return;
    const commands = [
      ['export', path, '--what', 'states', '--format', 'csv', '--output', output],
      ['export', path, '--format', 'finding', '--output', output],
      ['executions', path, '--begin', 'sched_switch', '--end', 'sched_switch', '--database', output],
    ];
    for (const command of commands) {
      const { code, stderr } = await inspect(...command);
      expect([code, stderr]).toEqual([2, expect.stringContaining(error)]);
      expect(stderr).toContain(`${output}: The output cannot be written: found`);
      expect(stderr).not.toContain('Usage');
    }
  });
});

it('an archive that unpacks to very much is unpacked up to a limit', async () => {
  const path = join(folder, 'zeros.tar.gz');
  const header = Buffer.alloc(512);
  header.write('t/metadata', 0);
  header.write('00000000000\0', 124);
  writeFileSync(path, gzipSync(Buffer.concat([header, Buffer.alloc(300 * 2 ** 20)]), { level: 1 }));
  expect(statSync(path).size).toBeLessThan(2 ** 21);
  const { code, stderr } = await boundedInspect('info', path);
  expect([code, stderr]).toEqual([2, expect.stringContaining('zeros.tar.gz')]);
});

/** Inputs that made reading endless, wrong or large once. Those with locks and names are tested with these. */
const SMALL = ['f-10-62', 'f-1000-62', 'r-pkt-2p63', 'deep.zip', 'hugesize.tar', 'names.tar'];
const LARGER = ['names.zip', 'hostile', 'r-ts-back', 'r-freq-1', 'states-invariant-1'];

describe('an input of the attack is handled within its bounds', () => {
  const commands = DEEP
    ? ['info', 'summary', 'locks', 'states --check', 'stats cpu', 'canonical']
    : ['summary'];

  it.each(SMALL)('%s', async (name) => {
    for (const command of commands) {
      const { code, stdout, stderr } = await boundedInspect(
        ...command.split(' '),
        join(projectDir(), 'test/fixtures/attack', name),
      );
      expect([0, 2]).toContain(code);
      expect(stdout + stderr).not.toMatch(OBEYED);
    }
  });

  it.skipIf(sharedDir() === undefined).each(LARGER)('%s', async (name) => {
    const path = sharedPath('cases/attack', name);
    for (const command of commands) {
      const { code, stdout, stderr } = await boundedInspect(...command.split(' '), path);
      expect([0, 2]).toContain(code);
      expect(stdout + stderr).not.toMatch(OBEYED);
    }
  });
});
