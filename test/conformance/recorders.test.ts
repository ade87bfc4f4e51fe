/**
 * Files of perf as they are: the same events as in perf's own conversion to CTF (`tracers/NAME/ctf-by-perf`), and the
 * records and times that perf itself finds in files of others (`foreign/perf-data/perf-says.json`).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { canonical, counts, type Line, timesOf, micros } from '../support/canonical-lines.ts';
import { projectDir, sharedDir } from '../support/shared.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { DEEP } from '../support/tier.ts';
import {
  expectSound,
  type ProfileAnswer,
  type SymbolsAnswer,
  type KernelLocks,
} from '../support/inspect-answers.ts';
import { sum } from '../support/sum.ts';

const shared = sharedDir() ?? '';
const fixture = join(projectDir(), 'test/fixtures/recorders/perf-zstd.data');

/** A system call as it was recorded: by its number, with six arguments. */
function withoutNames(text: string): string {
  if (!text.startsWith('"raw_syscalls:sys_enter')) return text;
  return text
    .replace(/sys_enter_\w+/, 'sys_enter')
    .replace(/(?<="id":\d+,).*/, (fields) => `"args":[${fields.match(/(?<=[:[,])\d+/g)?.join()}]}`);
}

const CONVERTED = ['perf-sched', 'perf-lock', 'perf-zstd', 'perf-callgraph', 'twin-disk'];

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

/** Without the modes that perf adds to names in pipes. */
const bare = (samples: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(samples).map(([name, count]) => [name.replace(/:[a-zA-Z]+$/, ''), count]),
  );

/** Old and new, packed, in pipes, damaged. */
const OF_FAST_TIER = /armv7|i686|compressed|corrupted|intel_pt|branch-4/;
const OTHERS = ['MMAP', 'MMAP2', 'COMM', 'FORK', 'EXIT'];

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
    await expectSound(fixture);
    // The stage in the middle does 15 units of work, the first one 4: it waits for room in the pipe.
    const { stdout } = await inspect('summary', fixture);
    expect(stdout).toContain('wk-gen and wk-sink waited for wk-mid');
  });
});

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
    const { samples, functions } = await inspectJson<ProfileAnswer>('profile', ...files, '--thread', '215');
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
      if (names.length > 0) addNumber(self, names[0], 1);
      for (const name of new Set(names)) addNumber(total, name, 1);
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
    const { frames } = await inspectJson<SymbolsAnswer>('symbols', ...files);
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
    const { modules } = await inspectJson<SymbolsAnswer>('symbols', join(folder, 'perf.data'));
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
    expect(sum(kernelLocks.map(({ waits }) => waits))).toBe(sum(perf.map(({ waits }) => waits)));
    // Each of perf's lines is rounded to 10 us.
    const total = sum(kernelLocks.map(({ wait }) => wait.totalNs)) / 1000;
    expect(Math.abs(total - sum(perf.map((row) => row.us)))).toBeLessThan(5 * perf.length);
    const most = Math.max(...kernelLocks.map(({ wait }) => wait.maxNs)) / 1000;
    expect(Math.abs(most - Math.max(...perf.map((row) => row.most)))).toBeLessThan(5);
  });
});

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
