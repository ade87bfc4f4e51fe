/** What locks are called by symbols, and when they are not: a name is right or there is none. */
import { describe, expect, it } from 'vitest';
import {
  buildIdSection,
  codeSection,
  symbolSections,
  writeElf,
  type WrittenSection,
} from '../../../../test/support/elf-writer.ts';
import { openSource } from '../../io/open-source.ts';
import { type ModuleChange, ModuleLog } from '../stacks/module-log.ts';
import type { LoadedModule } from '../stacks/stack-tables.ts';
import { SymbolFiles } from '../../symbols/symbol-files.ts';
import { COND_BEGIN, type LockLog, type LockName, LogWriter, REQUEST } from './lock-log.ts';
import { lockPlaces } from './lock-places.ts';
import { lockSymbols } from './lock-names.ts';

const FORM = { is64: true, isLittle: true };
const PROCESS = 7;
const BASE = 0x55c3_b66a_f000n;
const ID = 'aa'.repeat(20);
const OTHER_ID = 'bb'.repeat(20);
/** Where the program has its data. */
const DATA = 0x4000n;

function program(
  path: string,
  id: string,
  objects: readonly (readonly [string, bigint, bigint])[],
  page = 0n,
) {
  const data: WrittenSection = {
    ...{ name: '.data', type: 1, flags: 3 },
    address: page + DATA,
    bytes: new Uint8Array(0x1000),
  };
  const symbols = objects.map(([name, at, size]) => ({ name, value: page + at, size, type: 1, section: 2 }));
  const bytes = writeElf(FORM, page, [
    codeSection(page + 0x1000n, 16),
    data,
    ...symbolSections(FORM, symbols),
    buildIdSection(FORM, id),
  ]);
  return { kind: 'memory', path, size: bytes.length, bytes } as const;
}

const FILES = [
  program('t/elf/prog', ID, [
    ['g_rw', DATA, 56n],
    ['cache', DATA + 0x100n, 0x80n],
    ['_ZN3app5queueE', DATA + 0x200n, 40n],
    ['x'.repeat(5000), DATA + 0x300n, 40n],
  ]),
  program('t/elf/plugin', OTHER_ID, [['g_plugin', DATA, 40n]]),
];

const MODULE: LoadedModule = {
  ...{ process: PROCESS, base: BASE, size: 0x6000, path: '/opt/prog', buildId: ID },
  ...{ isPic: true, since: -Infinity, memory: 0 },
};
const MEMORIES = [PROCESS, 8].map((process) => ({ process, since: -Infinity, parent: -1 }));

interface Use {
  readonly at: bigint;
  /** HostNs; default: once. */
  readonly times?: readonly number[];
  readonly kind?: LockName['kind'];
  readonly process?: number;
}

function logOf(uses: readonly Use[], modules: readonly LoadedModule[]): LockLog {
  const writer = new LogWriter();
  const rows = uses.flatMap(({ times = [10] }, lock) => times.map((time) => ({ time, lock })));
  rows.sort((a, b) => a.time - b.time);
  for (const { time, lock } of rows) writer.add(time, REQUEST, 0, lock, -1, 0, 0);
  const locks = uses.map(({ at, kind = 'mutex', process = PROCESS }) => {
    return { kind, process, address: `0x${at.toString(16)}` };
  });
  return {
    ...{ ...writer.toTable(), threads: [], locks, futexes: [], kernelLocks: [] },
    ...{ modules, memories: MEMORIES, end: 100, problems: {} },
  };
}

function namesOf(uses: readonly Use[], modules: readonly LoadedModule[] = [MODULE], files = FILES) {
  const log = logOf(uses, modules);
  return lockSymbols(log.locks, lockPlaces(log), new SymbolFiles(files, openSource));
}

describe('locks in data of programs', () => {
  it('are called as their objects, or by their place in them', async () => {
    const places = [0n, 0x37n, 0x100n, 0x128n, 0x200n].map((at) => ({ at: BASE + DATA + at }));
    expect(await namesOf(places)).toEqual(['g_rw', 'g_rw+0x37', 'cache', 'cache+0x28', 'app::queue']);
  });

  it('are called so where a program has a fixed place', async () => {
    const fixed = program('t/elf/fixed', ID, [['g_fixed', DATA, 40n]], 0x40_0000n);
    const module = { ...MODULE, base: 0x40_0000n, isPic: false };
    expect(await namesOf([{ at: 0x40_4000n }], [module], [fixed])).toEqual(['g_fixed']);
  });

  it('have no name between objects, on the heap, or in another process', async () => {
    const uses = [0x38n, 0x180n, 0x2000n].map((at) => ({ at: BASE + DATA + at }));
    expect(await namesOf([...uses, { at: 0x7f00_0000_0000n }])).toEqual(Array(4).fill(undefined));
    const at = BASE + DATA;
    expect(await namesOf([{ at, process: 8 }, { at, kind: 'file' }, { at }])).toEqual([
      ...[undefined, undefined, 'g_rw'],
    ]);
  });

  it('have no name by a file of another build, or of whatever build', async () => {
    const uses = [{ at: BASE + DATA }];
    expect(await namesOf(uses, [{ ...MODULE, buildId: 'cc'.repeat(20) }])).toEqual([undefined]);
    expect(await namesOf(uses, [{ ...MODULE, buildId: undefined }])).toEqual([undefined]);
    expect(await namesOf(uses, [{ ...MODULE, buildId: '' }])).toEqual([undefined]);
    expect(await namesOf(uses, [MODULE], [])).toEqual([undefined]);
  });

  it('have names of a length that can be shown', async () => {
    const [name = ''] = await namesOf([{ at: BASE + DATA + 0x308n }]);
    expect(name).toMatch(/^x{200}…\+0x8$/);
  });

  it('that only waits for conditions name are there as long as these waits', () => {
    const writer = new LogWriter();
    writer.add(5, COND_BEGIN, 0, 0, 1, 0, 0);
    const locks = [0n, 0x100n].map((at) => {
      return { kind: 'mutex', process: PROCESS, address: `0x${(BASE + DATA + at).toString(16)}` } as const;
    });
    const log = { ...logOf([], [{ ...MODULE, since: 6 }]), locks, ...writer.toTable() };
    expect([...lockPlaces(log).module]).toEqual([-1, -1]);
    expect([...lockPlaces({ ...log, modules: [MODULE] }).module]).toEqual([0, 0]);
  });
});

describe('locks where modules come and go', () => {
  const at = BASE + DATA;
  const plugin = { ...MODULE, path: '/opt/plugin', buildId: OTHER_ID };
  const nameAt = async (modules: readonly LoadedModule[], ...times: number[]) =>
    (await namesOf([{ at, times }], modules))[0];

  it('are those of the module that was there as long as they are used', async () => {
    const modules = [
      { ...MODULE, since: 10, until: 20 },
      { ...plugin, since: 30 },
    ];
    expect(await nameAt(modules, 10, 19)).toBe('g_rw');
    expect(await nameAt(modules, 30, 99)).toBe('g_plugin');
    // Before it was loaded, behind its end, and in both: one address, two locks.
    expect(await nameAt(modules, 9, 15)).toBeUndefined();
    expect(await nameAt(modules, 15, 20)).toBeUndefined();
    expect(await nameAt(modules, 22, 25)).toBeUndefined();
    expect(await nameAt(modules, 15, 40)).toBeUndefined();
  });

  it('have no name where the memory of two programs overlaps: the process became another one', async () => {
    const later = { ...plugin, base: BASE + 0x5000n };
    expect(await nameAt([MODULE, plugin], 10)).toBeUndefined();
    expect(await nameAt([MODULE, later], 10)).toBeUndefined();
    expect(await nameAt([MODULE, { ...later, base: BASE + 0x6000n }], 10)).toBe('g_rw');
    expect(await nameAt([MODULE, { ...later, process: 8, memory: 1 }], 10)).toBe('g_rw');
  });

  it('are there again when a module is loaded again', async () => {
    const log = new ModuleLog();
    const tell = (time: number, change: ModuleChange, text = MODULE.path) =>
      log.tell(PROCESS, { change, time, base: BASE, size: MODULE.size, text, isPic: true });
    tell(10, 'opened');
    tell(12, 'opened');
    tell(12, 'build id', ID);
    tell(15, 'closed');
    tell(20, 'closed');
    tell(21, 'closed');
    tell(30, 'opened');
    tell(30, 'build id', ID);
    const modules = log.modules();
    expect(modules.map(({ since, until }) => [since, until])).toEqual([
      [10, 20],
      [30, undefined],
    ]);
    expect(await nameAt(modules, 10, 19)).toBe('g_rw');
    expect(await nameAt(modules, 20, 29)).toBeUndefined();
    expect(await nameAt(modules, 30)).toBe('g_rw');
  });
});
