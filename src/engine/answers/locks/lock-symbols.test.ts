/**
 * What locks of recorded traces are called: as the programs' own sources have it, which `ABOUT.md` beside each trace
 * copies.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildIdSection, symbolSections, writeElf } from '../../../../test/support/elf-writer.ts';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs, withFiles } from '../../../../test/support/memory-files.ts';
import { projectDir, sharedDir, WITHOUT_SHARED, sharedPath } from '../../../../test/support/shared.ts';
import { DEEP } from '../../../../test/support/tier.ts';
import type { SessionApi } from '../../protocol/session.ts';
import { until } from '../../../../test/support/until.ts';

/** By address; a symbol or what else the lock is called, without its kind and process. */
async function namesIn(api: SessionApi): Promise<Record<string, string>> {
  const { locks } = await until(() => api.ask('locks', {}));
  return Object.fromEntries(locks.map(({ address, name }) => [address, name]));
}

describe('locks of an example without its program', () => {
  const PROGRAM = 'lockfight-mutex/elf/wk-lockfight';
  const BUILD_ID = '5c04378c7117dc2cbc3c28d74108c24d3e3aabb2';
  const [HOT, WARM, COLD] = ['0x55bf0033f260', '0x55bf0033f220', '0x55bf0033f1e0'];
  const form = { is64: true, isLittle: true };
  const files = filesOfFolder(join(projectDir(), 'public/examples/lockfight-mutex'));
  const FIGHTER = 'thread:0:235';

  /** `hot` at its place in the trace's program, and an object around the others. */
  function programOf(id: string): Uint8Array {
    const data = { name: '.bss', type: 8, flags: 3, address: 0x4000n, bytes: new Uint8Array(0x300) };
    const symbols = [
      { name: 'hot', value: 0x4260n, size: 40n, type: 1 },
      { name: 'others', value: 0x41e0n, size: 0x68n, type: 1 },
    ];
    return writeElf(form, 0n, [data, ...symbolSections(form, symbols), buildIdSection(form, id)]);
  }

  const unnamed = {
    [HOT]: 'mutex 0x…f260 of wk-lockfight',
    [WARM]: 'mutex 0x…f220 of wk-lockfight',
    [COLD]: 'mutex 0x…f1e0 of wk-lockfight',
  };
  const named = {
    [HOT]: 'mutex hot of wk-lockfight',
    [WARM]: 'mutex others+0x40 of wk-lockfight',
    [COLD]: 'mutex others of wk-lockfight',
  };

  it('have them where a finding is opened, unless it has no texts', async () => {
    const { api } = await openLocal(memoryRefs(files));
    await namesIn(api);
    await api.addSymbols(memoryRefs(new Map([[PROGRAM, programOf(BUILD_ID)]])));
    expect(await namesIn(api)).toMatchObject(named);
    const opened = async (withoutTexts: boolean) => {
      const range = { from: 300e6, to: 400e6 };
      const request = { what: 'finding', range, link: '', notes: [], withoutTexts } as const;
      const { file } = await api.ask('exported', request);
      const other = localSession();
      const bytes = new Uint8Array((await file?.arrayBuffer()) ?? []);
      await other.open(memoryRefs(new Map([['a.wakepath.zip', bytes]])));
      return namesIn(other.api);
    };
    expect(await opened(false)).toMatchObject({ [HOT]: named[HOT] });
    expect((await opened(true))[HOT]).not.toContain('hot');
  });

  it('have names when it comes, also on paths, and keep them', async () => {
    const { api, reopen, info } = await openLocal(memoryRefs(files));
    expect(await namesIn(api)).toMatchObject(unnamed);
    const program = memoryRefs(new Map([[PROGRAM, programOf(BUILD_ID)]]));
    expect(await api.addSymbols(program)).toBe(1);
    expect(await namesIn(api)).toMatchObject(named);
    const request = { row: FIGHTER, criterion: 'lock-holder' } as const;
    const locksOnPath = async (lockNames?: ReadonlyMap<string, string>) => {
      const { id = -1 } = (await api.ask('path', { ...request, lockNames })) ?? {};
      return (await api.ask('pathParts', { path: id }))?.waitsFor.texts ?? [];
    };
    expect(await locksOnPath()).toContain('mutex hot of wk-lockfight');
    // What the user calls it comes first.
    const own = await locksOnPath(new Map([[`0:mutex:231:${HOT}`, 'my lock']]));
    expect(own).toContain('my lock');
    expect(own).not.toContain('mutex hot of wk-lockfight');
    await reopen(info.key);
    expect(await namesIn(api)).toMatchObject(named);
  });

  it('have no names by a program of another build', async () => {
    const { api, open } = localSession();
    const other = programOf(BUILD_ID.replace(/^5c/, '5d'));
    await open(memoryRefs(withFiles(files, { [PROGRAM]: other })));
    expect(await namesIn(api)).toMatchObject(unnamed);
  });
});

if (DEEP)
  describe.skipIf(sharedDir() === undefined)(`locks of recorded programs (else: ${WITHOUT_SHARED})`, () => {
    const traces = sharedPath('traces');

    /** Names of variables by address, as far as the program says which of its locks is where. */
    const TRUTH: readonly (readonly [trace: string, variableOf: (name: string) => string])[] = [
      ['locks-many', (name) => (name === 'recursive' ? 'g_rec' : `g_${name.toLowerCase()}`)],
      ['lockfight-mutex', (name) => name],
      ['container-ns', (name) => name],
      ['deadlock-ust', (name) => `m${name.toLowerCase()}`],
    ];

    it.each(TRUTH)('%s', async (trace, variableOf) => {
      const about = readFileSync(join(traces, trace, 'ABOUT.md'), 'utf8');
      const namesInText = about.matchAll(/\b(mutex|rwlock|barrier) (\w+) at (0x[0-9a-f]+)/g);
      const truth = new Map(
        Array.from(namesInText, ([, kind, name, at]) => [at, `${kind} ${variableOf(name)} of `]),
      );
      expect(truth.size).toBeGreaterThan(1);
      const { api } = await openLocal(memoryRefs(filesOfFolder(join(traces, trace))));
      const names = await namesIn(api);
      const found = Array.from(truth, ([at]) => names[at]?.slice(0, names[at].lastIndexOf(' of ') + 4));
      expect(found).toEqual([...truth.values()]);
    });

    it('spinlock-sem', async () => {
      const { api } = await openLocal(memoryRefs(filesOfFolder(join(traces, 'spinlock-sem'))));
      expect(await namesIn(api)).toMatchObject({
        '0x55b915509580': 'spinlock sp of wk-spinsem',
        '0x55b915509560': 'semaphore two of wk-spinsem',
        '0x55b915509540': 'semaphore items of wk-spinsem',
      });
    });

    it('futexes: as the variable, and as the lock that they are in', async () => {
      const futexesOf = async (trace: string) => {
        const { api } = await openLocal(memoryRefs(filesOfFolder(join(traces, trace))));
        await namesIn(api);
        const { futexes = [], locks = [] } = (await api.ask('locks', {})) ?? {};
        return { futexes, locks };
      };
      const server = await futexesOf('executions-lock');
      expect(server.futexes.map(({ name }) => name)).toContain('futex cache_lock of wk-server');
      const fight = await futexesOf('lockfight-mutex');
      const hotAt = '0x55bf0033f260';
      const hot = fight.futexes.find(({ address }) => address === hotAt);
      expect([hot?.name, hot?.lock]).toEqual([
        'mutex m_hot of wk-lockfight',
        fight.locks.find(({ address }) => address === hotAt)?.id,
      ]);
    });
  });
