/**
 * Traces of a few events from public reports of wrong answers (`fixtures/cases`), each with what is right, through the
 * command line. `states.test.ts` compares all of their states and paths. Times are ns since the first event.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  segmentRows,
  type CpuStats,
  type PathAnswer,
  type StatesAnswer,
  type ThreadStats,
  expectSound,
} from '../support/inspect-answers.ts';
import { saidOf } from '../support/findings.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { CASE, caseNames, casePath, readStates } from '../support/states-goldens.ts';

interface IrqAnswer {
  readonly interrupts: readonly { readonly kind: string; readonly run: object }[];
}

interface IoAnswer {
  readonly disks: readonly (Readonly<Record<string, number>> & { readonly device: string })[];
}

interface EachIo {
  readonly requests: { readonly each: readonly object[] };
}

/** Key `disk_requests` of a golden. */
interface DiskGolden {
  readonly disks: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

const USER = 1;
const KERNEL = 2;
const RUNNING = 15;
const WOKEN = 5;
const BLOCKED = 6;

const CASES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  // A user-space event carries the numbers of its pid namespace: vtid 7 of the container is thread 4711 of the host.
  'container-vtid': async (path) => {
    const { spans } = await inspectJson<{ spans: unknown[] }>('overlays', path);
    expect(spans).toMatchObject([
      { name: 'app:work', tid: 4711, level: 0, from: 2e6, to: 8e6, hasEnd: true, text: 'id 1' },
    ]);
  },

  // No packet says its CPU, but every event has a field cpu_id.
  'cpu-in-payload': async (path) => {
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus.map(({ cpu, user, unknown }) => ({ cpu, user, unknown }))).toEqual([
      { cpu: 0, user: 9e6, unknown: 0 },
      { cpu: 1, user: 7e6, unknown: 0 },
    ]);
    expect(threads.map(({ states }) => states[0])).toEqual(threads.map(() => 0));
    expect(await intervalsOf(path, '10')).toEqual([
      [USER, 0, 4e6],
      [BLOCKED, 4e6, 5e6],
      [WOKEN, 5e6, 6e6],
      [USER, 6e6, 9e6],
    ]);
    expect((await inspect('info', path)).stderr).not.toContain('lost');
  },

  // A flush has no sectors, and is a request.
  'disk-flush-statistics': async (path) => {
    expect(await disksOf(path)).toMatchObject([
      { device: '259:0', requests: 1, flushes: 1, writes: 0, sectors: 0, maxLatencyNs: 8_001_000 },
    ]);
    const { requests } = await inspectJson<EachIo>('stats', 'io', '--each', path);
    expect(requests.each).toMatchObject([{ worker: '60', ns: 8_001_000, request: { disk: '259:0' } }]);
    await expectDisks('disk-flush-statistics');
  },

  // It is completed in parts and queued again in between.
  'disk-partial-requeue': async (path) => {
    expect(await disksOf(path)).toMatchObject([
      {
        ...{ requests: 1, sectors: 64, maxLatencyNs: 7e6, meanAgainNs: 999_000, meanQueuedNs: 1e6 },
        ...{ flushes: 0, writes: 0, notCompleted: 0, maxDepth: 1 },
      },
    ]);
    const { requests } = await inspectJson<EachIo>('stats', 'io', '--each', path);
    expect(requests.each).toMatchObject([
      { worker: '60', ns: 8e6, bytes: 32_768, request: { queuedNs: 1e6, sector: 1000 } },
    ]);
    await expectDisks('disk-partial-requeue');
  },

  // The driver of the interrupt is no disk by its name, but the request completed in it.
  'disk-irq-ufs': expectDiskWait,
  'disk-irq-usb': expectDiskWait,

  // Thread 11 goes on as 10, whose first life ended at 3,000,000.
  'exec-by-non-leader': async (path) => {
    const onCpu = await timeByTid(path, ({ states }) => states[USER] + states[KERNEL]);
    expect([onCpu('10'), onCpu('11')]).toEqual([5e6, 2e6]);
    const lives = [...(await intervalsOf(path, '10')), ...(await intervalsOf(path, '10#2'))];
    expect(lives.filter(([state, from]) => state === BLOCKED && from >= 4e6)).toEqual([[BLOCKED, 6e6, 7e6]]);
    expect(lives).toContainEqual([USER, 4e6, 6e6]);
    expect(await intervalsOf(path, '11')).toContainEqual([USER, 2e6, 4e6]);
  },

  // A worker of vhost is the kernel's, and belongs to the process in its name.
  'user-worker': async (path) => {
    expect((await intervalsOf(path, '81')).slice(0, 2)).toEqual([
      [WOKEN, 1.6e6, 1_605_000],
      [KERNEL, 1_605_000, 30e6],
    ]);
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus[1]).toMatchObject({ cpu: 1, user: 0, kernel: 28_395_000 });
    expect(threads.find(({ worker }) => worker === '81')?.pid).toBe(80);
  },

  // sys_enter_NAME begins a call and sys_exit_NAME ends it, with and without the subsystem in front.
  'ftrace-syscall-names': expectOneRead,
  'perf-syscall-names': expectOneRead,

  // The first switch of CPU 0 says who ran there from its first event on.
  'hog-before-first-switch': async (path) => {
    const { cpus } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus[0]).toMatchObject({ cpu: 0, unknown: 0 });
    const onCpu = await timeByTid(path, ({ states }) => states[USER]);
    expect(onCpu('10')).toBe(1_000_999_000);
    expect(await takenFrom(path, '20')).toEqual([{ name: 'hog 10', time: 999e6 }]);
  },

  // The interrupt woke its thread, not the thread that it had interrupted.
  'irq-thread-woken-busy': async (path) => {
    const range = ['--range', '10000000..13050000'];
    const answer = await pathOf(path, '10', ...range);
    expect(segmentRows(answer)).toEqual([
      ['200', 10e6, 13_002_500, 'blocked', 'disk'],
      ['200', 13_002_500, 13_004_000, 'preempted', ''],
      ['200', 13_004_000, 13_050_000, 'running', ''],
    ]);
    const whole = await pathOf(path, '10');
    expect(whole.totals.filter(({ worker }) => worker === '20')).toEqual([]);
  },

  // The times that step back stand still at the greatest one before.
  'kernel-step-back': async (path) => {
    const { traces } = await inspectJson<{ traces: unknown[] }>('info', path);
    expect(traces).toMatchObject([{ events: 10, firstNs: 0, lastNs: 21e6 }]);
    await expectSound(path);
    const { code, stderr } = await inspect('info', path);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('found 5 events in 1 packet. [time-backwards]'),
    ]);
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, user: 21e6, switches: 6 }]);
    expect(threads.flatMap(({ states }) => states).every((ns) => ns >= 0)).toBe(true);
    const onCpu = await timeByTid(path, ({ states }) => states[USER]);
    expect([onCpu('10'), onCpu('20')]).toEqual([10e6, 11e6]);
  },

  // The answer had come when its interrupt raised the softirq, which waited for the CPU behind hog.
  'ksoftirqd-late': async (path) => {
    const clocks = ['--offset', 'client=0', '--offset', 'server=0'];
    const range = ['--range', '11478701..20550888'];
    const answer = await pathOf(path, 'client:20', ...clocks, ...range);
    expect(segmentRows(answer).slice(-5)).toEqual([
      ['server:30', 11_478_701, 12_471_701, 'running', ''],
      ['client:irq/cpu0', 12_471_701, 12_537_388, 'network', 'network'],
      ['client:irq/cpu0', 12_537_388, 20_540_888, 'preempted', 'softirq NET_RX'],
      ['client:irq/cpu0', 20_540_888, 20_547_888, 'running', 'interrupt'],
      ['client:20', 20_547_888, 20_550_888, 'preempted', ''],
    ]);
    const waits = answer.parts.filter(({ state }) => state === 'Softirq NET_RX waits');
    expect(waits.flatMap(({ by }) => by)).toEqual([
      { name: 'hog client:40', time: 8_002_500 },
      { name: 'ksoftirqd/0 client:15', time: 1000 },
    ]);
    const { interrupts } = await inspectJson<IrqAnswer>('stats', 'irq', path);
    expect(interrupts.find(({ kind }) => kind === 'softirq')).toMatchObject({ raised: { maxNs: 8_003_500 } });
    const { stdout } = await inspect('summary', path, ...clocks);
    expect(stdout).toContain('; softirqs of client waited 8.0');
  },

  // What lies between kvm_entry and kvm_exit is the guest's.
  'kvm-guest-time': async (path) => {
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    const [user, kernel, guest] = [981_000, 119_000, 8_900_000];
    expect(threads.find(({ worker }) => worker === '70')?.states).toMatchObject({
      1: user,
      2: kernel,
      14: guest,
    });
    expect(cpus[0]).toMatchObject({ user, kernel, guest });
    const { parts } = await pathOf(path, '70');
    expect(parts.filter(({ state }) => state === 'Running, guest')).toMatchObject([{ time: guest }]);
    await expectSound(path);
  },

  // CPU 0 begins late, and its first switch says that thread 10 ran there, so it was awake.
  // What was lost were system calls: who runs is known throughout, and keeps its mode.
  'loss-in-another-channel': async (path) => {
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus[0]).toMatchObject({ unknown: 0, user: 40e6, kernel: 3e6, running: 6e6 });
    const app = threads.find(({ worker }) => worker === '20')?.states ?? [];
    expect([app[USER], app[KERNEL]]).toEqual([40e6, 3e6]);
    expect(threads.find(({ worker }) => worker === '30')?.states[RUNNING]).toBe(6e6);
    await expectSound(path);
    const said = new Map(await saidOf(path));
    expect(said.get('lost-events')).toContain('taken to stay in user or kernel mode meanwhile');
  },

  'late-cpu': async (path) => {
    expect(await intervalsOf(path, '10')).toEqual([
      [USER, 0, 10e6],
      [BLOCKED, 10e6, 105e6],
      [KERNEL, 105e6, 110e6],
      [BLOCKED, 110e6, 120e6],
      [WOKEN, 120e6, 120_009_000],
      [USER, 120_009_000, 150e6],
    ]);
  },

  // Packets are received by a thread, without any softirq.
  'napi-thread-two-hosts': async (path) => {
    const { totals } = await pathOf(
      path,
      'client:20',
      '--offset',
      'client=0',
      '--offset',
      'server=-5000000000',
    );
    const timeOf = (worker: string, label: string) =>
      totals.filter((each) => each.worker === worker && each.label === label).map(({ time }) => time);
    expect(timeOf('server:30', 'running')).toEqual([8 * 1_995_000]);
    expect(totals.filter(({ label }) => label === 'network').map(({ worker }) => worker)).toEqual(
      expect.arrayContaining(['server:9', 'client:9']),
    );
    expect(totals.filter(({ cause }) => cause === 'direct')).toEqual([]);
  },

  // Wake-ups of a thread that was preempted end no wait, but were recorded.
  // Two sessions recorded the same kernel; from 40 to 80 ms each switch is in both. Each event counts once, and it is said.
  'overlapping-recordings': async (path) => {
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus).toMatchObject([{ cpu: 0, switches: 200, user: 99_300_400, unknown: 0 }]);
    expect(threads).toMatchObject([
      { worker: '20', name: 'app', runs: 100 },
      { worker: '30', name: 'hog', runs: 100 },
    ]);
    expect(threads.map(({ states }) => states[USER])).toEqual([69_300_400, 30_000_000]);
    const { stderr } = await inspect('info', path);
    expect(stderr).toContain(
      '2 recordings of one kernel, 39.3 ms in both: counted once. [recordings-overlap]',
    );
    for (const filter of [[], ['--filter', 'sched_switch'], ['--filter', 'next_tid >= 0']]) {
      const { stdout } = await inspect('events', path, '--limit', '1000', ...filter);
      const lines = stdout.match(/sched_switch/g);
      expect(lines).toHaveLength(200);
    }
  },

  'preempted-then-woken': async (path) => {
    expect(await takenFrom(path, '10')).toEqual([{ name: 'other 30', time: 5_020_000 }]);
    const { stderr } = await inspect('critical-path', path, '--thread', '10');
    expect(stderr).not.toContain('wake-ups');
  },

  // With PREEMPT_RT a softirq is the work of the thread that runs it, which is not interrupted.
  'rt-ktimers': async (path) => {
    const { cpus, threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(threads.find(({ worker }) => worker === '16')?.states.slice(1, 4)).toEqual([0, 15_000, 0]);
    expect(cpus[0].softirq).toBe(8000);
    expect(segmentRows(await pathOf(path, '20'))).toContainEqual(['20', 1e6, 5_010_000, 'blocked', 'timer']);
    await expectSound(path);
  },

  // A softirq that sleeps on a lock is a softirq again when its thread goes on.
  'rt-softirq-preempted': async (path) => {
    const { cpus } = await inspectJson<CpuStats>('stats', 'cpu', path);
    expect(cpus[0].softirq).toBe(9000);
    const { interrupts } = await inspectJson<IrqAnswer>('stats', 'irq', path);
    expect(interrupts.find(({ kind }) => kind === 'softirq')?.run).toMatchObject({ count: 1, totalNs: 9000 });
    expect(segmentRows(await pathOf(path, '10', '--range', '1000000..5004000'))).toEqual([
      ['10', 1e6, 4_001_000, 'blocked', 'disk'],
      ['irq/cpu0', 4_001_000, 4_005_000, 'preempted', 'softirq BLOCK'],
      ['irq/cpu0', 4_005_000, 4_010_000, 'running', 'interrupt'],
      ['irq/cpu0', 4_010_000, 5_002_000, 'preempted', 'softirq BLOCK'],
      ['irq/cpu0', 5_002_000, 5_004_000, 'running', 'interrupt'],
    ]);
  },

  // target_cpu of sched_waking is where the thread ran last: it waited for the CPU where it ran next.
  'waking-only-target': async (path) => {
    expect(await takenFrom(path, '20')).toEqual([{ name: 'hog-b 40', time: 5e6 }]);
  },
};

describe('cases', () => {
  testEach('cases', Object.keys(CASES), (name) => CASES[name](casePath(name)));

  test('every case has its values in a test of cases', () => {
    const folder = import.meta.dirname;
    const tests = readdirSync(folder).filter((name) => name.endsWith('cases.test.ts'));
    const text = tests.map((name) => readFileSync(join(folder, name), 'utf8')).join('');
    expect(caseNames().filter((name) => !text.includes(`'${name}'`))).toEqual([]);
  });
});

async function expectOneRead(path: string): Promise<void> {
  const intervals = await intervalsOf(path, '20');
  expect(intervals.filter(([, from]) => from < 9e6)).toEqual([
    [USER, 1e6, 2e6],
    [KERNEL, 2e6, 2.1e6],
    [BLOCKED, 2.1e6, 6e6],
    [WOKEN, 6e6, 6_005_000],
    [KERNEL, 6_005_000, 6.2e6],
    [USER, 6.2e6, 9e6],
  ]);
  const { calls } = await inspectJson<{ calls: unknown[] }>('stats', 'syscalls', path);
  expect(calls).toMatchObject([{ call: 'read', count: 1, totalNs: 4.2e6, blocked: { thread: 3.9e6 } }]);
}

function disksOf(path: string) {
  return inspectJson<IoAnswer>('stats', 'io', path).then(({ disks }) => disks);
}

/** Statistics of the disks of a case are those of its golden. */
async function expectDisks(name: string): Promise<void> {
  const { disk_requests: golden } = readStates<{ readonly disk_requests: DiskGolden }>(CASE + name);
  const disks = await disksOf(casePath(name));
  const mean = (total: number, count: number) => (count === 0 ? 0 : Math.round(total / count));
  expect(disks).toMatchObject(
    Object.entries(golden.disks).map(([device, disk]) => ({
      ...{ device, requests: disk.requests, writes: disk.write, flushes: disk.flush, discards: disk.discard },
      ...{ sectors: disk.sectors, maxLatencyNs: disk.max_ns, maxDepth: disk.deepest },
      ...{ queued: disk.queued, notCompleted: disk.not_completed },
      meanLatencyNs: mean(disk.at_disk_ns, disk.requests),
      meanAgainNs: mean(disk.again_ns, disk.requests),
      meanQueuedNs: mean(disk.queued_ns, disk.queued),
    })),
  );
}

async function expectDiskWait(path: string): Promise<void> {
  const answer = await pathOf(path, '10');
  expect(segmentRows(answer)).toContainEqual(['10', 1e6, 3_002_000, 'blocked', 'disk']);
  const served = answer.parts.flatMap((part) => [...part.by, ...part.served]);
  expect(served.map(({ name }) => name).join()).toContain('app 10');
}

function pathOf(path: string, thread: string, ...more: readonly string[]): Promise<PathAnswer> {
  return inspectJson<PathAnswer>('critical-path', path, '--thread', thread, ...more);
}

/** Who took the time in which a thread was ready. */
async function takenFrom(path: string, thread: string) {
  const { parts } = await pathOf(path, thread);
  const ready = parts.filter(({ worker, state }) => worker === thread && state.startsWith('Runnable'));
  return ready.flatMap(({ by }) => by);
}

async function intervalsOf(path: string, worker: string) {
  const { threads } = await inspectJson<StatesAnswer>('states', path);
  return threads.find((thread) => thread.worker === worker)?.intervals ?? [];
}

/** A time of a tid, summed over its lives. */
async function timeByTid(path: string, time: (thread: ThreadStats) => number) {
  const { threads } = await inspectJson<CpuStats>('stats', 'cpu', path);
  return (tid: string) =>
    threads
      .filter(({ worker }) => worker.split('#')[0] === tid)
      .reduce((sum, thread) => sum + time(thread), 0);
}
