/** Recordings of ftrace, as trace.dat and as text: events as `trace-cmd report` has them, states, functions and marks. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonical, counts, type Line, timesOf, micros } from '../support/canonical-lines.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { formatText, traceDat } from '../support/trace-dat-writer.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { type ProfileAnswer } from '../support/inspect-answers.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const shared = sharedDir() ?? '';
const folder = temporaryFolder();

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

/** Texts of `inspect states`, and the times in them apart. */
function timesAndTexts(states: string) {
  const lines = states.split('\n').map((line) => line.split(/(?<=^ +)(\d+) (\d+)/));
  return {
    texts: lines.map((parts) => (parts.length > 1 ? parts[3] : parts[0])),
    times: lines.flatMap((parts) => (parts.length > 1 ? [Number(parts[1]), Number(parts[2])] : [])),
  };
}

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

describe.skipIf(!existsSync(join(shared, 'tracers')))('text of ftrace', () => {
  test.each(['tracecmd-v6', 'tracecmd-v7'])('of %s has the recorded states, to the µs', async (name) => {
    const folder = join(shared, 'tracers', name);
    const own = timesAndTexts((await inspect('states', join(folder, 'trace.dat'))).stdout);
    const report = timesAndTexts((await inspect('states', join(folder, 'report.txt'))).stdout);
    expect(own.times.length).toBeGreaterThan(500);
    expect(report.texts).toEqual(own.texts);
    // The first event is 0 ns in both, and each time is rounded.
    expect(Math.max(...own.times.map((time, i) => Math.abs(time - report.times[i])))).toBeLessThan(1000);
  });

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

describe('functions of the kernel and marks of programs', () => {
  const namesOf = ({ functions }: ProfileAnswer) =>
    Object.fromEntries(functions.map(({ name, self, total }) => [name, [self, total]]));

  test('in text are stacks by name, spans and counters', async () => {
    const profile = await inspectJson<ProfileAnswer>('profile', graphFixture, '--thread', '7');
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
    writeFileSync(join(folder, 'trace.dat'), graphTrace());
    const profile = await inspectJson<ProfileAnswer>('profile', join(folder, 'trace.dat'), '--thread', '7');
    expect(namesOf(profile)).toMatchObject({ vfs_write: [500_000, 800_000], pipe_write: [300_000, 300_000] });
  });
});
