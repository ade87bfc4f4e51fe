/**
 * Call stacks of an open trace. `executions-lock`: workers handle requests, and the thread `maintenance` holds up some of
 * them with a mutex that they take in `cache_lookup`.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import type { IntervalInfo, RowInfo } from '../../protocol/rows.ts';
import { unpackRows } from '../rows/row-columns.ts';
import type { ModuleLine, ProfileAnswer, ProfileRequest } from '../../protocol/profile.ts';

const WORKER = 'thread:0:256';
const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/executions-lock')));

describe('call stacks of an example', () => {
  const { api, open, updates } = localSession();
  let threads: readonly RowInfo[];
  beforeAll(async () => {
    ({ rows: threads } = await open(files));
    // Answered when stacks have been read.
    await api.ask('profile', { of: 'all', row: '' });
    // Its stacks are contexts of events, no samples.
    expect(await api.ask('sampledThread', {})).toBeUndefined();
  });

  async function profileOf(request: Partial<ProfileRequest>): Promise<ProfileAnswer> {
    const answer = await api.ask('profile', { of: 'thread', row: WORKER, ...request });
    if (answer === undefined) throw new Error('no profile');
    return answer;
  }

  /** The first interval of the worker from a time on that is as wanted. */
  async function intervalWhere(isWanted: (info: IntervalInfo) => boolean): Promise<IntervalInfo> {
    const { firstNs = 0 } = threads.find(({ id }) => id === WORKER) ?? {};
    let at = await api.ask('interval', { row: WORKER, timeNs: firstNs });
    while (at !== undefined && !isWanted(at))
      at = await api.ask('interval', { row: WORKER, timeNs: at.from, step: 1 });
    if (at === undefined) throw new Error('no such interval');
    return at;
  }

  it('add up over the threads of a process, and over all', async () => {
    const range = { from: 1_700_000_000, to: 1_800_000_000 };
    const [process, all] = await Promise.all([
      profileOf({ of: 'process', range }),
      profileOf({ of: 'all', range }),
    ]);
    const own = threads.filter(({ kind, pid }) => kind === 'thread' && pid === 253);
    const each = await Promise.all(own.map(({ id }) => profileOf({ row: id, range })));
    expect(own.length).toBeGreaterThan(3);
    expect(process.time).toBe(each.reduce((sum, { time }) => sum + time, 0));
    expect(all.time).toBeGreaterThan(process.time);
    const worker = each[own.findIndex(({ id }) => id === WORKER)];
    expect(process.functions.find(({ name }) => name === 'thread worker-0')?.total).toBe(worker.time);
    expect(process.functions.find(({ name }) => name === 'handle_request')?.total).toBe(
      each.reduce((sum, { functions }) => {
        return sum + (functions.find(({ name }) => name === 'handle_request')?.total ?? 0);
      }, 0),
    );
  });

  it('follow one another in time: each has the thread as long as it ran from its begin to its end', async () => {
    const profile = await profileOf({ range: { from: 1_500_000_000, to: 2_500_000_000 }, inTime: true });
    const { tree, chart, time } = profile;
    if (chart === undefined) throw new Error('no chart');
    expect(chart.length).toBeGreaterThan(50);
    const ofRoots = Array.from(chart.ns).filter((_, i) => chart.parent[i] < 0);
    // Only frames of less than a pixel are left out.
    expect(ofRoots.reduce((sum, ns) => sum + ns, 0)).toBeGreaterThan(0.99 * time);
    let waited = 0;
    for (let i = 0; i < chart.length; i++) {
      const range = { from: chart.begin[i], to: chart.end[i] };
      const within = await profileOf({ range });
      expect(within.time).toBe(chart.ns[i]);
      if (chart.node[i] >= 0) {
        const name = tree.frames[tree.frame[chart.node[i]]];
        const total = within.functions.find((each) => each.name === name)?.total ?? 0;
        expect(chart.count[i] === 1 ? total : Math.min(total, chart.inside[i])).toBe(chart.inside[i]);
      }
      if (range.to - range.from > within.time) waited++;
    }
    expect(waited).toBeGreaterThan(0);
    expect((await profileOf({ of: 'process', inTime: true })).chart).toBeUndefined();
  });

  it('are those of the path that was answered last', async () => {
    const path = await api.ask('path', { row: WORKER, criterion: 'main-task' });
    const [ofPath, again] = await Promise.all([
      profileOf({ of: 'path', path: path?.id }),
      profileOf({ of: 'path' }),
    ]);
    expect(ofPath.time).toBe((path?.to ?? 0) - (path?.from ?? 0));
    expect(ofPath.functions).toEqual(again.functions);
    expect(await api.ask('profile', { of: 'path', row: WORKER, path: -1 })).toBeUndefined();
  });

  function isWaitForMaintenance({ syscall, wakerName, from, to }: IntervalInfo): boolean {
    return syscall === 'futex' && wakerName?.startsWith('maintenance') === true && to - from > 5e6;
  }

  it('are known at both ends of a wait', async () => {
    const wait = await intervalWhere(isWaitForMaintenance);
    const { sleeper, waker } = (await api.ask('waitStacks', { row: WORKER, timeNs: wait.from })) ?? {};
    const texts = sleeper?.lines.map(({ text }) => text) ?? [];
    expect(texts[0]).toMatch(/^libc\.so\.6\+0x/);
    expect(texts.slice(1, 4)).toEqual(['cache_lookup', 'handle_request', 'worker']);
    expect(sleeper?.call).toBe('futex');
    expect(sleeper?.lines[1].source).toMatchObject({ file: expect.stringContaining('wk-server.c') });
    expect(waker?.call).toBe('futex');
    // The C library has no frame pointers: who called it is missing.
    expect(waker?.lines.map(({ text }) => text)).toEqual(['libc.so.6+0x86193', 'libc.so.6+0x891f5']);
  });

  it('are none where a thread runs', async () => {
    const running = await intervalWhere(({ stateText }) => stateText === 'Running, user');
    expect(await api.ask('waitStacks', { row: WORKER, timeNs: running.from })).toBeUndefined();
    expect(await api.ask('waitStacks', { row: 'cpu:0:0', timeNs: running.from })).toBeUndefined();
  });

  it('have rows that say functions', async () => {
    const names = new Set<string>();
    const row = rowIds().find((id) => id.startsWith('stack:0:thread:256')) ?? '';
    let at = await api.ask('interval', { row, timeNs: 1_800_000_000 });
    for (let i = 0; i < 200 && at !== undefined; i++) {
      names.add(at.stateText);
      at = await api.ask('interval', { row, timeNs: at.from, step: 1 });
    }
    expect([...names]).toContain('handle_request');
    expect([...names].filter((name) => name.startsWith('wk-server+0x'))).toEqual([]);
    // The innermost frame is in the C library, which has no names here: `cache_lookup` called it.
    const { from, to } = await intervalWhere(isWaitForMaintenance);
    expect(await api.ask('interval', { row, timeNs: (from + to) / 2 })).toMatchObject({
      stateText: 'cache_lookup',
    });
  });

  function rowIds(): readonly string[] {
    const last = updates.findLast(({ rows }) => rows !== undefined)?.rows;
    return last === undefined ? [] : unpackRows(last).map(({ id }) => id);
  }
});

describe('names of functions', () => {
  const all = filesOfFolder(join(projectDir(), 'public/examples/executions-lock'));
  const isProgram = (path: string) => path.endsWith('/elf/wk-server');
  const without = memoryRefs(new Map([...all].filter(([path]) => !isProgram(path))));
  const program = new Map([...all].filter(([path]) => isProgram(path)));
  const request: ProfileRequest = { of: 'process', row: WORKER };

  type Asked = ReturnType<typeof localSession>['api'];

  async function serverOf(api: Asked): Promise<ModuleLine | undefined> {
    return (await api.ask('modules', {}))?.find(({ path }) => path.endsWith('/wk-server'));
  }

  async function functionsOf(api: Asked): Promise<readonly string[]> {
    return (await api.ask('profile', request))?.functions.map(({ name }) => name) ?? [];
  }

  it('come with programs that are dropped later, and are kept without them', async () => {
    const { api, reopen, info } = await openLocal(without);
    expect((await functionsOf(api)).filter((name) => name.startsWith('wk-server+0x'))).not.toEqual([]);
    expect(await serverOf(api)).toMatchObject({ state: 'missing', named: 0 });
    expect(await api.addSymbols(without.slice(0, 3))).toBe(0);

    expect(await api.addSymbols(memoryRefs(program))).toBe(1);
    const names = await functionsOf(api);
    expect(names).toContain('cache_lookup');
    const found = await serverOf(api);
    expect(found).toMatchObject({ state: 'found', named: 3 });

    await reopen(info.key);
    expect(await functionsOf(api)).toEqual(names);
    expect(await serverOf(api)).toEqual({ ...found, state: 'kept' });
  });

  it('are not taken from a program of another build', async () => {
    const { api } = await openLocal(without);
    await functionsOf(api);
    const { buildId = '' } = (await serverOf(api)) ?? {};
    const [[path, bytes]] = program;
    const other = Buffer.from(bytes);
    const at = other.indexOf(Buffer.from(buildId, 'hex'));
    expect(at).toBeGreaterThan(0);
    other[at] ^= 1;
    expect(await api.addSymbols(memoryRefs(new Map([[path, other]])))).toBe(1);
    expect(await serverOf(api)).toMatchObject({ state: 'other build', named: 0 });
    expect(await functionsOf(api)).not.toContain('cache_lookup');
  });
});
