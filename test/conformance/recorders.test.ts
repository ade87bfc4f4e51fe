/**
 * Files of perf as they are: the same events as in perf's own conversion to CTF (`tracers/NAME/ctf-by-perf`), and the
 * records and times that perf itself finds in files of others (`foreign/perf-data/perf-says.json`).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildIdSection, writeElf } from '../support/elf-writer.ts';
import { PipeWriter } from '../support/perf-writer.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { formatText, traceDat } from '../support/trace-dat-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { DEEP } from '../support/tier.ts';

const shared = sharedDir() ?? '';
const fixture = join(projectDir(), 'test/fixtures/recorders/perf-zstd.data');

interface Line {
  readonly time: bigint;
  readonly name: string;
  readonly text: string;
}

async function canonical(path: string): Promise<Line[]> {
  const { stdout } = await inspect('canonical', path);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf(' ');
      const text = line.slice(at + 1);
      return { time: BigInt(line.slice(0, at)), name: /^"([^"]*)"/.exec(text)?.[1] ?? '', text };
    });
}

/** In order: the canonical form has one stream behind the other. */
function timesOf(lines: readonly Line[]): bigint[] {
  return lines.map(({ time }) => time).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function counts(lines: readonly Line[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { name } of lines) sums[name] = (sums[name] ?? 0) + 1;
  return sums;
}

describe('a perf.data whose records are packed', () => {
  test('has the events that perf script prints, with threads that wait for each other', async () => {
    const { perf_mmap, perf_mmap2, perf_comm, perf_fork, perf_exit, ...events } = counts(
      await canonical(fixture),
    );
    expect(events).toEqual({
      'sched:sched_stat_runtime': 601,
      'sched:sched_switch': 336,
      'sched:sched_waking': 165,
      'sched:sched_wakeup': 164,
      'sched:sched_process_wait': 10,
      'sched:sched_migrate_task': 9,
      'sched:sched_process_exec': 7,
      'sched:sched_process_exit': 7,
      'sched:sched_process_fork': 6,
      'sched:sched_wakeup_new': 6,
      'sched:sched_process_free': 3,
    });
    expect([perf_mmap, perf_mmap2, perf_comm, perf_fork, perf_exit].every((count) => count > 0)).toBe(true);
    const { violations } = await inspectJson<{ violations: unknown[] }>('states', '--check', fixture);
    expect(violations).toEqual([]);
    // The stage in the middle does 15 units of work, the first one 4: it waits for room in the pipe.
    const { stdout } = await inspect('summary', fixture);
    expect(stdout).toContain('wk-gen and wk-sink waited for wk-mid');
  });
});

/** A system call as it was recorded: by its number, with six arguments. */
function withoutNames(text: string): string {
  if (!text.startsWith('"raw_syscalls:sys_enter')) return text;
  return text
    .replace(/sys_enter_\w+/, 'sys_enter')
    .replace(/(?<="id":\d+,).*/, (fields) => `"args":[${fields.match(/(?<=[:[,])\d+/g)?.join()}]}`);
}

const CONVERTED = ['perf-sched', 'perf-lock', 'perf-zstd', 'perf-callgraph', 'twin-disk'];

describe.skipIf(!existsSync(join(shared, 'tracers')))(
  'events of perf.data are those of its conversion',
  () => {
    test.each(CONVERTED.filter((name) => DEEP || name !== 'twin-disk'))('%s', async (name) => {
      const folder = join(shared, 'tracers', name);
      const own = await canonical(join(folder, 'perf.data'));
      const perf = await canonical(join(folder, 'ctf-by-perf'));
      const begin = timesOf(own)[0];
      const [first] = timesOf(perf.filter((line) => !line.name.startsWith('perf_')));
      // perf's conversion leaves out how long mappings are, build ids, and what executes a program, and the clock's origin; what was
      // there before the first sample has time 0 or its own.
      const text = (line: Line) =>
        withoutNames(line.text).replace(/,"length":\d+,"offset":\d+|,"exec":[01]|,"build_id":"\w+"/g, '');
      const ownLines = own.map((line) => `${line.time - begin} ${text(line)}`);
      const perfLines = perf.map((line) => `${line.time < first ? 0n : line.time - first} ${text(line)}`);
      expect(ownLines.sort()).toEqual(perfLines.sort());
    });
  },
);

interface Profile {
  readonly samples: number;
  readonly functions: readonly {
    readonly name: string;
    /** ns */
    readonly self: number;
    readonly total: number;
    readonly selfSamples: number;
    readonly totalSamples: number;
  }[];
}

interface Symbols {
  readonly modules: readonly (readonly [number, string, number, string, string | null, boolean])[];
  readonly frames: readonly (readonly [
    ...[process: number, address: string, isReturn: boolean, module: string | null, offset: string | null],
    ...[name: string | null, file: string | null, line: number | null],
  ])[];
}

/** Name of a function without its parameters and what it returns, both of which perf leaves out. */
function plainName(name: string): string {
  let depth = 0;
  let plain = '';
  for (const char of name) {
    if (char === '<') depth++;
    if (char === '>') depth--;
    if (depth === 0 && char === '(') break;
    plain = depth === 0 && char === ' ' ? '' : plain + char;
  }
  return plain;
}

interface KernelLocks {
  readonly kernelLocks: readonly {
    readonly waits: number;
    readonly wait: { readonly totalNs: number; readonly maxNs: number };
  }[];
}

describe.skipIf(!existsSync(join(shared, 'tracers')))('tracepoints of which perf left events out', () => {
  const folder = join(shared, 'tracers/perf-callgraph');

  test('have losses: the period of each says how many come until the next one of the CPU', async () => {
    const { traces } = await inspectJson<{
      readonly traces: readonly { readonly discardedEvents: number }[];
    }>('info', join(folder, 'perf.data'));
    let [leftOut, before] = [0, 0n];
    let behind = new Map<string, number>();
    // The conversion has a stream for each CPU, and they are printed one behind the other.
    for (const { time, name, text } of await canonical(join(folder, 'ctf-by-perf'))) {
      if (time < before) behind = new Map();
      before = time;
      if (!name.startsWith('sched:')) continue;
      leftOut += behind.get(name) ?? 0;
      behind.set(name, Number(/"perf_period":(\d+)/.exec(text)?.[1]) - 1);
    }
    expect(traces.map(({ discardedEvents }) => discardedEvents)).toEqual([leftOut]);
    expect(leftOut).toBe(567);
  });

  test('blame no thread: who had the CPU meanwhile is not known', async () => {
    const { stdout, stderr } = await inspect('summary', join(folder, 'perf.data'));
    expect(stdout).toMatch(/^9\.6 % of the events were lost while recording, 567 of 5878/);
    const others = stdout.trim().split('\n').slice(1);
    expect(others.filter((line) => !/^(Without all events|They are recorded by) /.test(line))).toEqual([]);
    expect(others[0]).toMatch(
      /^Without all events .*sched:sched_switch.* findings of these kinds may be missing: /,
    );
    expect(stderr).toContain('[events-sampled]');
  });
});

describe.skipIf(!existsSync(join(shared, 'tracers')))('what perf itself says of its recordings', () => {
  test('samples by function, through mappings and the files beside the recording', async () => {
    const folder = join(shared, 'tracers/perf-callgraph');
    const files = ['perf.data', 'libwkwork.so', 'wk-sampled'].map((name) => join(folder, name));
    const { samples, functions } = await inspectJson<Profile>('profile', ...files, '--thread', '215');
    const script = gunzipSync(readFileSync(join(folder, 'script.txt.gz'))).toString();
    const [self, total] = [new Map<string, number>(), new Map<string, number>()];
    const own = script.split(/\n(?=\S)/).filter((event) => /^\S+\s+215 \[.*cpu-clock/.test(event));
    for (const event of own) {
      const lines = event.split('\n').slice(1);
      // "ADDRESS FUNCTION+OFFSET (FILE)"; perf leaves parameters out.
      const names = lines
        .filter((line) => line.trim() !== '')
        .map((line) =>
          line
            .trim()
            .replace(/^\S+ /, '')
            .replace(/\+0x.*/, ''),
        );
      if (names.length > 0) self.set(names[0], (self.get(names[0]) ?? 0) + 1);
      for (const name of new Set(names)) total.set(name, (total.get(name) ?? 0) + 1);
    }
    expect(samples).toBe(own.length);
    for (const name of [
      'wkwork::Block<unsigned long>::squeeze',
      'wk::store::mix<7>',
      'wk::server::Handler::run',
      'wkwork_compress',
    ]) {
      const found = functions.find(
        (other) => other.name.replace(/\(.*/, '').replace(/^unsigned long /, '') === name,
      );
      const counts = [found?.selfSamples, found?.totalSamples];
      expect([name, ...counts]).toEqual([name, self.get(name) ?? 0, total.get(name)]);
    }
  });

  test('functions of all call chains, as far as their files are there', async () => {
    const folder = join(shared, 'tracers/perf-callgraph');
    const modules = ['libwkwork.so', 'wk-sampled'];
    const files = ['perf.data', ...modules].map((name) => join(folder, name));
    const { frames } = await inspectJson<Symbols>('symbols', ...files);
    const functions = new Map(
      frames.map(([, , , module, offset, name]) => [`${module} ${Number(offset)}`, plainName(name ?? '')]),
    );
    const script = gunzipSync(readFileSync(join(folder, 'script.txt.gz'))).toString();
    const chains = script.matchAll(/^\s+([0-9a-f]+) (.*)\+0x[0-9a-f]+ \(\S*\/([^/\s]+)\)$/gm);
    // perf makes up names of calls through the linker's table.
    const expected = [...chains].filter(
      ([, , name, module]) => modules.includes(module) && !name.endsWith('@plt'),
    );
    expect(expected.length).toBeGreaterThan(1200);
    for (const [, address, name, module] of expected)
      expect([address, functions.get(`${module} ${parseInt(address, 16)}`)]).toEqual([
        address,
        plainName(name),
      ]);
  });

  test('build ids of programs and libraries', async () => {
    const folder = join(shared, 'tracers/perf-callgraph');
    const { modules } = await inspectJson<Symbols>('symbols', join(folder, 'perf.data'));
    const ids = new Map(modules.map(([, , , path, id]) => [path, id]));
    // By `perf buildid-list`; it lists files in which a sample was, as `perf record` has no ids of others.
    expect([...ids].filter(([, id]) => id !== null)).toHaveLength(16);
    expect(Object.fromEntries(ids)).toMatchObject({
      '/opt/wk/wk-sampled': 'a1b9b66e6f485873001d2c706e2ecf1d4ba581af',
      '/opt/wk/libwkwork.so': '77ba0ff1ec2f54ea172810b1f5d5127ba9c93c46',
      '/usr/bin/dash': 'be6397ddffc3e384c505d7deab3bed190c884df9',
      '/usr/lib/x86_64-linux-gnu/libc.so.6': '93ac61ec5a8eb1396f9fbd350e3169a558528a40',
      '/usr/lib/x86_64-linux-gnu/libicuuc.so.72.1': null,
    });
  });

  test('waits for locks of the kernel', async () => {
    const folder = join(shared, 'tracers/perf-lock');
    const { kernelLocks } = await inspectJson<KernelLocks>('locks', join(folder, 'perf.data'));
    const rows =
      readFileSync(join(folder, 'contention.txt'), 'utf8').match(/^ +\d+ +[\d.]+ [mu]s .*$/gm) ?? [];
    const us = (value: string, unit: string) => Number(value) * (unit === 'ms' ? 1000 : 1);
    const perf = rows.map((row) => {
      const [, waits, sum, unit, most, mostUnit] =
        /^ +(\d+) +([\d.]+) ([mu]s) +([\d.]+) ([mu]s)/.exec(row) ?? [];
      return { waits: Number(waits), us: us(sum, unit), most: us(most, mostUnit) };
    });
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    expect(sum(kernelLocks.map(({ waits }) => waits))).toBe(sum(perf.map(({ waits }) => waits)));
    // Each of perf's lines is rounded to 10 us.
    const total = sum(kernelLocks.map(({ wait }) => wait.totalNs)) / 1000;
    expect(Math.abs(total - sum(perf.map((row) => row.us)))).toBeLessThan(5 * perf.length);
    const most = Math.max(...kernelLocks.map(({ wait }) => wait.maxNs)) / 1000;
    expect(Math.abs(most - Math.max(...perf.map((row) => row.most)))).toBeLessThan(5);
  });
});

interface PerfSays {
  /** perf 6.1 cannot read the file. */
  readonly error?: string;
  readonly first?: string;
  readonly last?: string;
  readonly records?: Readonly<Record<string, number>>;
  readonly samples?: Readonly<Record<string, number>>;
}

const foreign = join(shared, 'foreign/perf-data');
const says: Readonly<Record<string, PerfSays>> = existsSync(foreign)
  ? (JSON.parse(readFileSync(join(foreign, 'perf-says.json'), 'utf8')) as Record<string, PerfSays>)
  : {};

/** Samples and, where it is damaged, the place, of files that perf 6.1 cannot read. */
const UNREADABLE: Readonly<Record<string, readonly [samples: number, place?: RegExp]>> = {
  'lpd.fibo.compressed2.pipe.data': [547],
  'lpd.sleep.compressed.data': [8],
  'lpd.sleep.compressed2.data': [7],
  // What perf said itself stands at its end.
  'lpd.sleep.compressed2.pipe.data': [7, /byte 31808: .* \[truncated\]/],
  'lpd.sleep.data': [7],
  'perf.data.piped.corrupted.zero_size_sample-3.2': [
    0,
    /byte 49104: .* found one of 0 bytes\. \[recording-damaged\]/,
  ],
  'perf.data.piped.intel_pt-4.14': [11, /552 records SWITCH_CPU_WIDE/],
};

interface TraceCmdSays {
  readonly total: number;
  readonly first: string;
  readonly last: string;
  readonly events: Readonly<Record<string, number>>;
}

const boards = join(shared, 'foreign/trace-dat');
const reported: Readonly<Record<string, TraceCmdSays>> = existsSync(boards)
  ? (JSON.parse(readFileSync(join(boards, 'trace-cmd-says.json'), 'utf8')) as Record<string, TraceCmdSays>)
  : {};
/** As `trace-cmd report -t` prints times. */
const nanos = (time: bigint) => `${time / 1_000_000_000n}.${String(time % 1_000_000_000n).padStart(9, '0')}`;
/** Names without their system; what the importer itself says of threads left out. */
const own = (lines: readonly Line[]) =>
  lines
    .filter(({ name }) => name !== 'ftrace_thread')
    .map((line) => ({ ...line, name: line.name.replace(/^.*:/, '') }));

describe.skipIf(Object.keys(reported).length === 0)('trace.dat has the events that trace-cmd reports', () => {
  test.each(Object.entries(reported))('%s', async (name, { total, first, last, events }) => {
    const lines = own(await canonical(join(boards, name)));
    expect(lines).toHaveLength(total);
    expect(counts(lines)).toEqual(events);
    const times = timesOf(lines);
    expect([nanos(times[0]), nanos(times[times.length - 1])]).toEqual([first, last]);
  });

  test.each(['tracecmd-v6', 'tracecmd-v7'])('%s', async (name) => {
    const folder = join(shared, 'tracers', name);
    const report = readFileSync(join(folder, 'report.txt'), 'utf8').match(/\[\d+\]\s+[\d.]+: \w+:/g) ?? [];
    const rows = report.map((row) => /(\d+\.\d+): (\w+):/.exec(row) ?? []);
    const lines = own(await canonical(join(folder, 'trace.dat')));
    expect(counts(lines)).toEqual(counts(rows.map(([, , event]) => ({ time: 0n, name: event, text: '' }))));
    // The report has µs, rounded.
    const rounded = timesOf(lines).map((time) => micros(time + 500n));
    expect(rounded).toEqual(rows.map(([, time]) => time).sort((a, b) => Number(a) - Number(b)));
  });
});

/** Texts of `inspect states`, and the times in them apart. */
function timesAndTexts(states: string) {
  const lines = states.split('\n').map((line) => line.split(/(?<=^ +)(\d+) (\d+)/));
  return {
    texts: lines.map((parts) => (parts.length > 1 ? parts[3] : parts[0])),
    times: lines.flatMap((parts) => (parts.length > 1 ? [Number(parts[1]), Number(parts[2])] : [])),
  };
}

describe.skipIf(!existsSync(join(shared, 'tracers')))('text of ftrace', () => {
  test.each(['tracecmd-v6', 'tracecmd-v7'])(
    'of %s has the states of the recording, to the µs',
    async (name) => {
      const folder = join(shared, 'tracers', name);
      const own = timesAndTexts((await inspect('states', join(folder, 'trace.dat'))).stdout);
      const report = timesAndTexts((await inspect('states', join(folder, 'report.txt'))).stdout);
      expect(own.times.length).toBeGreaterThan(500);
      expect(report.texts).toEqual(own.texts);
      // The first event is 0 ns in both, and each time is rounded.
      expect(Math.max(...own.times.map((time, i) => Math.abs(time - report.times[i])))).toBeLessThan(1000);
    },
  );

  test('as the kernel writes it has all lines, and says who waited for whom', async () => {
    const path = join(shared, 'tracers/ftrace-text/ftrace.txt');
    const lines = own(await canonical(path));
    const written = readFileSync(path, 'utf8').match(/^[^#].*\n/gm) ?? [];
    expect(lines).toHaveLength(written.length);
    expect((await inspect('summary', path)).stdout).toContain('wk-sink waited for wk-mid');
  });
});

test.each([
  [true, 'outside of system calls', 'outside of system calls', ' outside system calls'],
  [false, 'system calls not recorded', 'not recorded', ''],
])(
  'a wait is outside of system calls only where these are recorded: %s',
  async (isCalled, place, asked, where) => {
    const calls = ['sys_enter: NR 39 (0, 0, 0, 0, 0, 0)', 'sys_exit: NR 39 = 7'];
    const events = [
      ['<idle>-0', 0, 'sched_switch: swapper/0:0 [120] R ==> app:7 [120]'],
      ...(isCalled ? calls.map((call, i) => ['app-7', 1 + i, call]) : []),
      ['app-7', 10, 'contention_begin: 0xffff888000001000 (flags=WRITE)'],
      ['app-7', 20, 'sched_switch: app:7 [120] D ==> swapper/0:0 [120]'],
      ['<idle>-0', 500, 'sched_waking: comm=app pid=7 prio=120 target_cpu=000'],
      ['<idle>-0', 510, 'sched_switch: swapper/0:0 [120] R ==> app:7 [120]'],
      ['app-7', 520, 'contention_end: 0xffff888000001000 (ret=0)'],
      ['app-7', 600, 'sched_switch: app:7 [120] S ==> swapper/0:0 [120]'],
    ];
    const lines = events.map(
      ([thread, us, text]) => `${thread} [000] 1.${String(us).padStart(6, '0')}: ${text}`,
    );
    const folder = mkdtempSync(join(tmpdir(), 'lock-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'lock.txt');
    writeFileSync(path, ['cpus=1', ...lines, ''].join('\n'));
    const { kernelLocks, places } = await inspectJson<{
      readonly kernelLocks: readonly { readonly place: string }[];
      readonly places: readonly { readonly name: string; readonly place: string }[];
    }>('locks', path, '--places');
    expect(kernelLocks.map((lock) => lock.place)).toEqual([place]);
    expect(places[0]).toMatchObject({ name: `rwsem 0x…1000 of the kernel (${place})`, place: asked });
    expect((await inspect('summary', path)).stdout).toContain(
      `1 thread waited 0.510 ms for rwsem 0x…1000 of the kernel${where}, 85.0 % of its time.`,
    );
  },
);

const graphFixture = join(projectDir(), 'test/fixtures/recorders/function-graph.txt');

/** A thread of which the kernel's functions are recorded, switches and functions alone. */
function graphTrace(): Uint8Array {
  const common = [
    ['unsigned short common_type', 0, 2, 0],
    ['int common_pid', 4, 4, 1],
  ] as const;
  const graph = [...common, ['unsigned long func', 8, 8, 0], ['int depth', 16, 4, 1]] as const;
  const [sched, entry, exit] = [
    formatText('sched_switch', 5, [
      ...common,
      ['char prev_comm[8]', 8, 8, 0],
      ['pid_t prev_pid', 16, 4, 1],
      ['long prev_state', 24, 8, 1],
      ['char next_comm[8]', 32, 8, 0],
      ['pid_t next_pid', 40, 4, 1],
    ]),
    formatText('funcgraph_entry', 11, graph),
    formatText('funcgraph_exit', 10, graph),
  ];
  /** A record of the ring buffer `us` behind the one before. */
  const record = (us: number, words: readonly number[]) => [((1000 * us) << 5) | words.length, ...words];
  const switched = (us: number, from: number, to: number) =>
    record(us, [5, from, 0x61, 0, from, 0, 1, 0, 0x62, 0, to]);
  const step = (us: number, type: number, offset: number) =>
    record(us, [type, 7, 0x81000000 + offset, -1, 0]);
  const records = [
    switched(0, 0, 7),
    ...[step(100, 11, 0), step(100, 11, 0x100), step(300, 10, 0x100), step(400, 10, 0)],
    switched(100, 7, 0),
  ];
  return traceDat(false, records, 0, undefined, {
    formats: [sched],
    own: [entry, exit],
    kallsyms: 'ffffffff81000000 T vfs_write\nffffffff81000100 t pipe_write\nffffffff81000200 T after\n',
  });
}

describe('functions of the kernel and marks of programs', () => {
  const namesOf = ({ functions }: Profile) =>
    Object.fromEntries(functions.map(({ name, self, total }) => [name, [self, total]]));

  test('in text are stacks by name, spans and counters', async () => {
    const profile = await inspectJson<Profile>('profile', graphFixture, '--thread', '7');
    expect(namesOf(profile)).toMatchObject({
      vfs_write: [400_000, 900_000],
      pipe_write: [400_000, 400_000],
      rw_verify_area: [100_000, 100_000],
    });
    const { stdout } = await inspect('overlays', graphFixture);
    expect(stdout).toMatch(/^50000 +1050000 +1000000 +7 +0 +mark +frame$/m);
    // It ends in another thread.
    expect(stdout).toMatch(/^70000 +600000 +530000 +7 +0 +mark:async +load$/m);
    const lines = await canonical(graphFixture);
    expect(lines.filter(({ name }) => name === 'mark:counter').map(({ text }) => text)).toEqual([
      '"mark:counter" - - {"perf_tid":7,"perf_pid":7,"value":3,"name":"queue"}',
      '"mark:counter" - - {"perf_tid":7,"perf_pid":7,"value":5,"name":"queue"}',
    ]);
    expect(lines.map(({ name }) => name)).toContain('ftrace:print');
  });

  test('in trace.dat have names by the symbols in the file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'graph-'));
    writeFileSync(join(folder, 'trace.dat'), graphTrace());
    const profile = await inspectJson<Profile>('profile', join(folder, 'trace.dat'), '--thread', '7');
    rmSync(folder, { recursive: true });
    expect(namesOf(profile)).toMatchObject({
      vfs_write: [500_000, 800_000],
      pipe_write: [300_000, 300_000],
    });
  });
});

/** As perf prints times. */
const micros = (time: bigint) =>
  `${time / 1_000_000_000n}.${String((time % 1_000_000_000n) / 1000n).padStart(6, '0')}`;
/** Without the modes that perf adds to names in pipes. */
const bare = (samples: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(samples).map(([name, count]) => [name.replace(/:[a-zA-Z]+$/, ''), count]),
  );
/** Old and new, packed, in pipes, damaged. */
const OF_FAST_TIER = /armv7|i686|compressed|corrupted|intel_pt|branch-4/;
const OTHERS = ['MMAP', 'MMAP2', 'COMM', 'FORK', 'EXIT'];

describe.skipIf(Object.keys(says).length === 0)('files of perf from Linux 3.2 to 6.12', () => {
  test.each(Object.entries(says).filter(([name]) => DEEP || OF_FAST_TIER.test(name)))(
    '%s',
    async (name, { error, first, last, records = {}, samples = {} }) => {
      const path = join(foreign, name);
      const lines = await canonical(path);
      const sampled = lines.filter((line) => !line.name.startsWith('perf_'));
      if (error !== undefined) {
        const [count, place] = UNREADABLE[name];
        expect(sampled).toHaveLength(count);
        if (place !== undefined) expect((await inspect('canonical', path)).stderr).toMatch(place);
        return;
      }
      expect(bare(counts(sampled))).toEqual(bare(samples));
      const all = counts(lines);
      for (const kind of OTHERS)
        expect([kind, all[`perf_${kind.toLowerCase()}`] ?? 0]).toEqual([kind, records[kind] ?? 0]);
      const times = timesOf(sampled);
      expect([micros(times[0]), micros(times[times.length - 1])]).toEqual([first, last]);
    },
  );
});

describe('records of perf that say who was switched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switched-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const OUT = 1 << 13;
  const READY = 1 << 14;

  /** States of thread 7, which leaves CPU 0 for 8, comes again, and is put off for 8. */
  async function statesOf(release: string) {
    const pipe = new PipeWriter(false);
    pipe.feature(4, release);
    pipe.attribute(1, 0n, 11n);
    pipe.switched(0, 7, 0, 1000n, 0, 11n);
    pipe.switched(OUT, 7, 8, 2000n, 0, 11n);
    pipe.switched(0, 8, 7, 2010n, 0, 11n);
    pipe.switched(OUT, 8, 7, 3000n, 0, 11n);
    pipe.switched(0, 7, 8, 3010n, 0, 11n);
    pipe.switched(OUT | READY, 7, 8, 4000n, 0, 11n);
    pipe.switched(0, 8, 7, 4010n, 0, 11n);
    pipe.sample(11n, 8, 5000n, 0);
    const path = join(folder, `${release}.data`);
    writeFileSync(path, pipe.bytes);
    const { stdout } = await inspect('states', path, '--thread', '7');
    return stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim());
  }

  test('have threads run, wait, and wait for a CPU', async () => {
    expect(await statesOf('6.1.0')).toEqual([
      '0 1000 running in user mode',
      '1000 2000 blocked, interruptible',
      '2000 3000 running in user mode',
      '3000 4000 runnable, preempted',
    ]);
  });

  test('of one program leave unknown what else its CPUs did, and who ended its waits', async () => {
    const pipe = new PipeWriter(false);
    pipe.feature(4, '6.1.0');
    pipe.attribute(1, 0n, 11n, { isOfProgram: true });
    for (const [time, misc] of [
      [1000n, 0],
      [2000n, OUT],
      [4000n, 0],
      [7000n, OUT | READY],
      [9000n, 0],
      [9500n, OUT],
    ] as const)
      pipe.other(14, [], time, 0, 11n, misc);
    const path = join(folder, 'program.data');
    writeFileSync(path, pipe.bytes);
    const { cpus } = await inspectJson<{ cpus: readonly unknown[] }>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, idle: 0, user: 4500, unknown: 4000 }]);
    const { violations } = await inspectJson<{ violations: unknown[] }>('states', '--check', path);
    expect(violations).toEqual([]);
    const { segments } = await inspectJson<{ segments: readonly { readonly text: string }[] }>(
      'critical-path',
      path,
      '--thread',
      '7',
    );
    expect(JSON.stringify(segments)).toContain('thread not recorded');
  });

  test('before Linux 4.17 do not say whether a thread waits, and tell nothing', async () => {
    expect(await statesOf('4.14.0')).toEqual([]);
  });

  test('name workers of the kernel without what they work on, which /proc adds', async () => {
    const pipe = new PipeWriter(false);
    pipe.feature(4, '6.1.0');
    pipe.attribute(1, 0n, 11n);
    const names = ['kworker/0:1-eve', 'kworker/u8:2+ex', 'kworker/1:0H-kb', 'kworker/R-rcu_g', 'a-b'];
    for (const [i, name] of names.entries()) {
      const text = new Uint32Array(new Uint8Array(Buffer.from(name.padEnd(16, '\0'))).buffer);
      pipe.other(3, [20 + i, 20 + i, ...text], 0n, 0, 11n);
    }
    pipe.switched(0, 7, 0, 1000n, 0, 11n);
    pipe.switched(OUT, 7, 0, 5000n, 0, 11n);
    const path = join(folder, 'workers.data');
    writeFileSync(path, pipe.bytes);
    const { threads } = await inspectJson<{ threads: readonly { name: string }[] }>('states', path);
    expect(threads.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['kworker/0:1', 'kworker/u8:2', 'kworker/1:0H', 'kworker/R-rcu_g', 'a-b']),
    );
  });
});

describe.each([false, true])('build ids of perf, big-endian: %s', (isBig) => {
  const folder = mkdtempSync(join(tmpdir(), 'build-ids-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const idOf = (byte: number, size: number) => new Uint8Array(size).fill(byte);
  const text = (byte: number, size: number) => Buffer.from(idOf(byte, size)).toString('hex');
  const [USER, GUEST_USER, HAS_SIZE, HAS_ID] = [2, 5, 1 << 15, 1 << 14];

  /** Records BUILD_ID: modes, size as told, id, path. */
  function tellIds(writer: PipeWriter): void {
    for (const [misc, size, id, path] of [
      [USER | HAS_SIZE, 20, idOf(1, 20), '/lib/a.so'],
      [USER | HAS_SIZE, 255, idOf(2, 20), '/lib/long.so'],
      [USER, 0, idOf(3, 16), '/lib/old.so'],
      [USER | HAS_SIZE, 20, idOf(4, 20), '/lib/two.so'],
      [USER | HAS_SIZE, 20, idOf(5, 20), '/lib/two.so'],
      [GUEST_USER | HAS_SIZE, 20, idOf(6, 20), '/lib/guest.so'],
      [USER | HAS_SIZE, 20, idOf(7, 20), '/lib/own.so'],
    ] as const) {
      const field = new Uint8Array(24);
      field.set(id);
      field[20] = size;
      const name = writer.words(Buffer.from(`${path}\0`));
      writer.record(67, [0xffffffff, ...writer.words(field), ...name], misc);
    }
  }

  /** Libraries that are mapped one behind the other, the last one with its id, and a sample with an address in each. */
  function mapAll(pipe: PipeWriter): void {
    const paths = ['a', 'long', 'old', 'two', 'guest', 'none', 'own'].map((name) => `/lib/${name}.so`);
    const begin = (i: number) => BigInt(0x10000 * (i + 1));
    for (const [i, path] of paths.entries()) {
      const hasOwn = path.endsWith('own.so');
      const inode = new Uint8Array(24);
      if (hasOwn) inode.set([8, 0, 0, 0, ...idOf(8, 8)]);
      const words = [7, 7, begin(i), 0x1000n, 0n, ...pipe.words(inode), 5, 2];
      const name = pipe.words(Buffer.from(`${path}\0`));
      pipe.other(10, [...words, ...name], 100n + BigInt(i), 0, 11n, hasOwn ? USER | HAS_ID : USER);
    }
    const chain = [0xffff_ffff_ffff_fe00n, ...paths.map((_, i) => begin(i) + 0x10n)];
    pipe.record(9, [11n, 0x10010n, 7, 7, 200n, 0, 0, 1000n, BigInt(chain.length), ...chain]);
  }

  const expected = {
    '/lib/a.so': text(1, 20),
    '/lib/long.so': text(2, 20),
    // Zeros fill it where its size is not told.
    '/lib/old.so': text(3, 16),
    '/lib/two.so': null,
    '/lib/guest.so': null,
    '/lib/none.so': null,
    '/lib/own.so': text(8, 8),
  };
  const idsIn = async (...paths: readonly string[]) => {
    const { modules } = await inspectJson<Symbols>('symbols', ...paths);
    return Object.fromEntries(modules.map(([, , , path, id]) => [path, id]));
  };

  test('stand in the header of a file, and in records of mappings', async () => {
    const [records, ids] = [new PipeWriter(isBig), new PipeWriter(isBig)];
    records.attribute(1, 0n, 11n, { hasChain: true });
    mapAll(records);
    tellIds(ids);
    const path = join(folder, 'perf.data');
    writeFileSync(path, records.file(2, ids.bytes.subarray(16)));
    expect(await idsIn(path)).toEqual(expected);
    // A record without a size ends the list, one that is longer than the list is as long as that.
    for (const size of [0, 7, 0xffff]) {
      const list = ids.bytes.slice(16);
      const second = new DataView(list.buffer).getUint16(6, !isBig);
      new DataView(list.buffer).setUint16(second + 6, size, !isBig);
      writeFileSync(path, records.file(2, list));
      expect(await idsIn(path)).toMatchObject({ '/lib/a.so': text(1, 20), '/lib/two.so': null });
    }
  });

  test('are records of a pipe', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n, { hasChain: true });
    tellIds(pipe);
    mapAll(pipe);
    const path = join(folder, 'pipe.data');
    writeFileSync(path, pipe.bytes);
    expect(await idsIn(path)).toEqual(expected);
  });

  test('tell a file of another build', async () => {
    const pipe = new PipeWriter(isBig);
    pipe.attribute(1, 0n, 11n, { hasChain: true });
    tellIds(pipe);
    mapAll(pipe);
    const form = { is64: true, isLittle: !isBig };
    const [path, other, own] = ['other.data', 'a.so', 'own.so'].map((name) => join(folder, name));
    writeFileSync(path, pipe.bytes);
    writeFileSync(other, writeElf(form, 0n, [buildIdSection(form, text(9, 20))]));
    writeFileSync(own, writeElf(form, 0n, [buildIdSection(form, text(8, 8))]));
    const { stdout, stderr } = await inspect('symbols', path, other, own);
    expect(stdout).toMatch(/found +0808080808080808 +\/lib\/own\.so/);
    expect(stdout).toMatch(/missing +0101010101010101\w+ +\/lib\/a\.so/);
    expect(stderr).toContain('[symbols-other-build]');
    expect(stderr).toContain(`build id ${text(1, 20)}`);
  });
});

describe('a switch that perf left out', () => {
  const folder = mkdtempSync(join(tmpdir(), 'missing-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const common = ['unsigned short common_type', 0, 2, 0] as const;
  const formats = [
    formatText('sched_switch', 5, [
      common,
      ['pid_t prev_pid', 4, 4, 1],
      ['long prev_state', 8, 8, 1],
      ['pid_t next_pid', 16, 4, 1],
    ]),
    formatText('sched_waking', 6, [common, ['pid_t pid', 4, 4, 1], ['int target_cpu', 8, 4, 1]]),
  ];
  const path = join(folder, 'perf.data');

  /**
   * Thread 9 comes behind 8, leaves its CPU to the idle thread, and is woken there by thread 8, of which no switch tells.
   * @param tidOf number of a thread in samples
   */
  async function recorded(tidOf = (tid: number) => tid, isOfProgram = false) {
    const pipe = new PipeWriter(false);
    pipe.tracingData(traceDat(false, [], 0, undefined, { formats }));
    for (const id of [5n, 6n])
      pipe.attribute(2, id, 10n + id, { isRaw: true, period: 1n, isOfProgram: isOfProgram && id === 5n });
    const switched = (time: bigint, prev: number, state: bigint, next: number) =>
      pipe.sample(15n, tidOf(prev), time, 0, [5, prev, state, next, 0]);
    switched(1000n, 8, 1n, 9);
    switched(2000n, 9, 1n, 0);
    pipe.sample(16n, tidOf(8), 4000n, 0, [6, 9, 0, 0]);
    switched(4100n, 8, 1n, 9);
    switched(5000n, 9, 1n, 7);
    pipe.sample(16n, tidOf(7), 6000n, 0, [6, 8, 0, 0]);
    writeFileSync(path, pipe.bytes);
    return (await inspect('info', path)).stderr;
  }

  test('is said, and its CPU is unknown up to the event that shows it', async () => {
    expect(await recorded()).toContain(
      'found at least 1, the first on CPU 0 before 0.000004000 s of its clock',
    );
    const { cpus } = await inspectJson<{ cpus: readonly unknown[] }>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, idle: 0, unknown: 1999 }]);
    const { violations } = await inspectJson<{ violations: unknown[] }>('states', '--check', path);
    expect(violations).toEqual([]);
  });

  test('makes no other thread the waker', async () => {
    await recorded();
    type Path = { segments: readonly { worker: string; from: number; label: string; cause: string }[] };
    const { segments } = await inspectJson<Path>('critical-path', path, '--thread', '9');
    expect(segments.map(({ worker, from, label, cause }) => [worker, from, label, cause])).toEqual([
      ['9', 0, 'running', ''],
      ['9', 1000, 'unknown', 'lost events'],
      ['8', 2999, 'running', ''],
      ['9', 3000, 'preempted', ''],
      ['9', 3100, 'running', ''],
      ['9', 4000, 'blocked', 'not ended in the trace'],
    ]);
  });

  test('is not looked for where samples number threads otherwise, or another thread was not to be recorded', async () => {
    expect(await recorded((tid) => (tid === 0 ? 0 : tid + 50))).not.toContain('switches-missing');
    expect(await recorded(undefined, true)).not.toContain('switches-missing');
    // A thread that has ended has no number.
    expect(await recorded((tid) => (tid === 8 ? 0xffffffff : tid))).not.toContain('switches-missing');
  });
});
