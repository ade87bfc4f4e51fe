/** Blocked time by call stacks of recorded traces: sums as those of states and paths to the ns, and the truths of ABOUT.md. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STATE_BLOCKED_D, STATE_BLOCKED_S } from '../../src/engine/linux/events/values.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir, sharedDir, sharedPath } from '../support/shared.ts';
import { sum } from '../support/sum.ts';

const example = join(projectDir(), 'public/examples/executions-lock');

interface Profile {
  readonly from: number;
  readonly to: number;
  readonly time: number;
  readonly stacks: readonly (readonly [string, number])[];
}

interface Cpu {
  readonly threads: readonly { readonly name: string; readonly pid: number; readonly states: number[] }[];
}

interface CriticalPath {
  readonly from: number;
  readonly to: number;
  readonly segments: readonly {
    readonly from: number;
    readonly to: number;
    readonly label: string;
    readonly depth: number;
  }[];
}

/** Names come from the files beside the trace alone, whatever this machine has. */
const WITHOUT_DEBUG = ['--debug-dir', ''];

const offCpu = (trace: string, ...options: readonly string[]): Promise<Profile> =>
  inspectJson('profile', trace, '--off-cpu', ...WITHOUT_DEBUG, ...options);

const blockedIn = ({ states }: Cpu['threads'][number]) => states[STATE_BLOCKED_S] + states[STATE_BLOCKED_D];

const nsOf = ({ stacks }: Profile, isWanted: (stack: string) => boolean) =>
  sum(stacks.map(([stack, ns]) => (isWanted(stack) ? ns : 0)));

/** Compares all threads of a trace that have a name of their own, then two of them in ranges and with their paths. */
async function expectSums(trace: string, threads: readonly string[]): Promise<void> {
  const cpu = await inspectJson<Cpu>('stats', 'cpu', trace);
  const all = await offCpu(trace, '--of', 'all');
  const names = cpu.threads.map(({ name }) => name);
  // The tracer's own threads, and those that it has in programs, are left out.
  const tracer = new Set(cpu.threads.filter(({ name }) => /^lttng/.test(name)).map(({ pid }) => pid));
  let compared = 0;
  for (const thread of cpu.threads) {
    const isAlone = names.filter((name) => name === thread.name).length === 1;
    if (!isAlone || thread.name === '' || tracer.has(thread.pid) || thread.name.endsWith('-ust')) continue;
    const ns = nsOf(all, (stack) => stack.startsWith(`thread ${thread.name};`));
    expect([thread.name, ns]).toEqual([thread.name, blockedIn(thread)]);
    compared += ns;
  }
  expect(compared).toBeGreaterThan(all.time / 2);
  for (const thread of threads) {
    const path = await inspectJson<CriticalPath>('critical-path', trace, '--thread', thread);
    const own = path.segments.map(({ from, to, label, depth }) =>
      depth === 0 && label !== 'blocked' && label !== 'network' ? to - from : 0,
    );
    const profile = await offCpu(trace, '--thread', thread);
    expect(profile.time).toBe(path.to - path.from - sum(own));
    const middle = path.from + Math.floor((path.to - path.from) / 3);
    const halves = await Promise.all(
      [`..${middle}`, `${middle}..`].map((range) => offCpu(trace, '--thread', thread, '--range', range)),
    );
    expect(sum(halves.map(({ time }) => time))).toBe(profile.time);
  }
}

describe('blocked time of executions-lock', () => {
  it('is that of states and paths', () => expectSums(example, ['256', '259']));

  it('in cache_lookup was ended by maintenance, or by another worker behind it', async () => {
    const profile = await offCpu(example, '--thread', '256');
    const ofLock = profile.stacks.filter(([stack]) =>
      stack.includes(
        ';cache_lookup;libc.so.6+0x8612b;syscall futex;waits for futex cache_lock of wk-server;',
      ),
    );
    const wakers = ofLock.map(([stack]) => stack.slice(stack.lastIndexOf(';') + 1)).sort();
    expect(wakers).toEqual(['← thread maintenance', '← thread worker-1', '← thread worker-2']);
    const ns = sum(ofLock.map(([, time]) => time));
    const byLock = await offCpu(example, '--thread', '256', '--by', 'lock');
    expect(nsOf(byLock, (stack) => stack.startsWith('waits for futex cache_lock of wk-server;'))).toBe(ns);
    const turned = await offCpu(example, '--thread', '256', '--by', 'waker');
    const byMaintenance = nsOf(profile, (stack) => stack.endsWith(';← thread maintenance'));
    expect(nsOf(turned, (stack) => stack.startsWith('← thread maintenance;'))).toBe(byMaintenance);
    expect(byMaintenance).toBeGreaterThan(ns / 2);
  });

  it('of slow requests is that in cache_lookup, until maintenance let them go on', async () => {
    const requests = [
      '--begin',
      'wk_req:begin',
      '--end',
      'wk_req:end',
      '--key',
      'id',
      '--slow',
      'auto',
      ...WITHOUT_DEBUG,
    ];
    const { offCpu: means } = await inspectJson<{ offCpu: readonly (readonly [string, number, number])[] }>(
      ...['executions', example, ...requests, '--off-cpu'],
    );
    const [[stack, meanA, meanB]] = means;
    expect(stack).toMatch(/;cache_lookup;.*;waits for futex cache_lock of wk-server;woken by a thread;/);
    expect(stack).toMatch(/← thread maintenance$/);
    // The shortest slow request waited 5.6 ms for the lock, fast ones take 1.13 ms in all.
    expect(meanB).toBeGreaterThan(2e6);
    expect(meanA).toBeLessThan(1e6);
    const { code, stderr } = await inspect('executions', example, ...requests.slice(0, 6), '--off-cpu');
    expect([code, stderr.trim()]).toEqual([
      2,
      expect.stringContaining('groups of one trace, which --slow makes'),
    ]);
  });

  it('is refused with clear words where it cannot be told', async () => {
    const said = async (...args: readonly string[]) => {
      const { code, stderr } = await inspect('profile', example, ...args);
      return [code, stderr.trim()];
    };
    expect(await said('--thread', '256', '--off-cpu', '--by', 'colour')).toEqual([
      2,
      expect.stringContaining('--by: one of sleeper, waker, cause, lock, file is expected, not "colour"'),
    ]);
    expect(await said('--thread', '256', '--off-cpu', '--path')).toEqual([
      2,
      expect.stringContaining('--off-cpu or --path, not both'),
    ]);
    expect(await said('--thread', '256', '--by', 'lock')).toEqual([
      2,
      expect.stringContaining('--by needs --off-cpu'),
    ]);
    expect(await said('--off-cpu', '--of', 'some')).toEqual([2, expect.stringContaining('--thread TID')]);
  });
});

describe.skipIf(sharedDir() === undefined)('blocked time of recorded traces', () => {
  const traceOf = (name: string) => sharedPath('traces', name);

  it('in locks of the kernel, without call stacks', async () => {
    await expectSums(traceOf('kernel-contention'), ['233', '238']);
    const all = await offCpu(traceOf('kernel-contention'), '--of', 'all', '--by', 'file');
    const ofWrites = nsOf(all, (stack) => stack.startsWith('file /data/kc/file;'));
    const ofLock = nsOf(all, (stack) => /^file \/data\/kc\/file;.*;waits for rwsem 0x…39a8/.test(stack));
    // The phase `write`: all threads wait for the inode's lock.
    expect(ofLock).toBeGreaterThan(0.9 * ofWrites);
  });

  it('of a server and its client', async () => {
    await expectSums(traceOf('sampled-cxx'), ['272', '271']);
    const server = await offCpu(traceOf('sampled-cxx'), '--thread', '272');
    expect(nsOf(server, (stack) => stack.includes('syscall read;file socket'))).toBeGreaterThan(0.5e8);
  });
});
