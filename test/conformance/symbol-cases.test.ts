/**
 * Traces of a few events from public reports of wrong names (`fixtures/cases`), with the files of their programs, through
 * the command line: stacks of threads with their time in ns, and frames that are nameless or named otherwise.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';

interface ProfileAnswer {
  readonly stacks: readonly (readonly [folded: string, ns: number])[];
  readonly functions: readonly { readonly name: string }[];
}

interface SymbolsAnswer {
  readonly modules: readonly (readonly unknown[])[];
  /** Process, address, whether it is a return address, module, offset, function, file, line. */
  readonly frames: readonly (readonly unknown[])[];
}

/** The trace with the files of its programs beside it. */
const casePath = (name: string) => join(projectDir(), 'test/fixtures/cases', name);

type Stacks = Readonly<Record<string, number>>;

const stacksOf = async (name: string, thread: string): Promise<Stacks> => {
  const { stacks } = await inspectJson<ProfileAnswer>('profile', casePath(name), '--thread', thread);
  return Object.fromEntries(stacks.map(([folded, ns]) => [folded, ns]));
};

/** Stacks by case and thread. */
const PROFILES: readonly (readonly [name: string, thread: string, stacks: Stacks])[] = [
  // Bit 0 of a function's value says how it is written, and so does that of an address in a pointer.
  ['arm-thumb-functions', '100', { app: 10_000, arm_fn: 600, read_config: 600, write_journal: 900 }],
  // Each entry's call site says which of the frames it was called from are still there.
  [
    'cyg-exceptions-in-loop',
    '100',
    {
      app: 2500,
      main_loop: 1000,
      'main_loop;handle': 51_500,
      'main_loop;handle;parse': 463_500,
      reply: 5000,
    },
  ],
  ['debuglink-crc', '100', { app: 6900, handle: 200, main_loop: 100, parse: 300, reply: 400 }],
  ['dl-reload', '100', { '[unknown]': 1000, a_work: 2000, app: 15_500, b_work: 1000 }],
  ['forked-worker-symbols', '200', { main_loop: 9000, 'main_loop;reply;syscall write': 3000, worker: 1000 }],
  ['kallsyms-percpu-first', '10', { app: 5000, 'syscall read;ksys_read;vfs_read;ext4_file_read_iter': 4000 }],
  [
    'mmap-offset-not-vaddr',
    '10',
    {
      '[stack not recorded];syscall close': 100,
      '[stack not recorded];syscall mmap': 400,
      '[stack not recorded];syscall openat': 100,
      app: 9400,
      handle: 9900,
      'handle;write_journal;syscall write': 100,
    },
  ],
  ['perf-map-of-container', '4711', { 'LazyCompile:~handle /srv/app.js:10': 5000, node: 14_500 }],
  ['perf-map-overlap', '100', { 'big-old': 4000, new: 1000, node: 4500, second: 2000, 'small-new': 3000 }],
  ['rust-semicolon', '100', { app: 1500, 's::main': 2000, 's::main;<[u8: 32] as s::Tr>::go': 3000 }],
];

test.each(PROFILES)('%s, thread %s', async (name, thread, stacks) => {
  expect(await stacksOf(name, thread)).toEqual(stacks);
});

describe('what is said of symbols', () => {
  test('a debug file of another build is not used', async () => {
    const { code, stderr } = await inspect('profile', casePath('debuglink-crc'), '--thread', '100');
    expect([code, stderr]).toEqual([0, expect.stringContaining('app.so.debug')]);
    expect(stderr).toContain('0x71ced457');
    expect(stderr).toContain('0xe804c943');
  });

  test('a function keeps its semicolon where no stack is folded', async () => {
    const { frames } = await inspectJson<SymbolsAnswer>('symbols', casePath('rust-semicolon'));
    expect(frames.map((frame) => frame[5])).toEqual(['<[u8; 32] as s::Tr>::go', 's::main']);
  });

  test('an address of two modules, one after the other, is a frame of each', async () => {
    const { modules, frames } = await inspectJson<SymbolsAnswer>('symbols', casePath('dl-reload'));
    expect(modules.map(([, base, , path]) => [base, path])).toEqual([
      ['0x555500000000', '/opt/app/app'],
      ['0x7f0000000000', '/opt/app/liba.so'],
      ['0x7f0000000000', '/opt/app/liba.so'],
      ['0x7f0000000000', '/opt/app/libb.so'],
    ]);
    expect(frames.map(([, address, , module, , name]) => [address, module, name])).toEqual([
      ['0x7f0000000228', 'liba.so', 'a_work'],
      ['0x7f0000000228', 'libb.so', 'b_work'],
      ['0x7f0000006000', null, null],
    ]);
  });
});

test('modules are listed where the trace tells them, also without call stacks', async () => {
  const example = join(projectDir(), 'public/examples/lockfight-mutex');
  const { modules, frames } = await inspectJson<SymbolsAnswer>('symbols', example);
  expect(modules).toHaveLength(9);
  expect(modules.map(([, , , path]) => String(path))).toContainEqual(
    expect.stringMatching(/\/wk-lockfight$/),
  );
  expect(frames).toEqual([]);
});
