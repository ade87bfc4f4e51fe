import { expect, it } from 'vitest';
import { cpuStat, threadCpuStats } from '../../../../test/support/cpu-stats.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import { processUsage, programUsage, threadUsage } from './cpu-usage.ts';

const stats: CpuStats = {
  from: 0,
  to: 100,
  missing: [],
  cpus: [cpuStat(0, 0, { idle: 60, user: 40 }), cpuStat(0, 1, { idle: 100 }), cpuStat(1, 0, { user: 1000 })],
  threads: threadCpuStats([
    { tid: 11, pid: 10, process: 1, states: [1, 10, 5, 1, 2, 3, 20, 4, 0, 6, 0, 7, 8, 9] },
    { tid: 10, pid: 10, process: 1, states: { 1: 24, 6: 76 } },
    { tid: 20, pid: -1, process: 2, states: { 1: 1 } },
    { tid: 10, pid: 10, process: 3, states: { 1: 3 } },
  ]),
};

it('gathers states into what is drawn alike', () => {
  const [first] = threadUsage(stats);
  expect(first).toMatchObject({
    user: 10,
    kernel: 5,
    interrupted: 1,
    onCpu: 16,
    runnable: 12,
    blocked: 24,
    idle: 6,
  });
  expect(first.unknown).toBe(1);
  // Zombie and dead are no life: 76 - 8 - 9.
  expect(first.total).toBe(59);
});

it('sums causes of processes as their states', () => {
  // Of four threads: by threads, and by a timer.
  const causes = Float64Array.from(
    [0, 10, 14, 0, 0, 0, 0, 0, 0].concat([0, 70, 6, 0, 0, 0, 0, 0, 0], Array(18).fill(0)),
  );
  const [process] = processUsage({ ...stats, threads: { ...stats.threads, causes } });
  expect([...(process.causes ?? [])]).toEqual([0, 80, 20, 0, 0, 0, 0, 0, 0]);
  expect(process.causes?.reduce((sum, ns) => sum + ns, 0)).toBe(process.blocked);
  expect(threadUsage(stats)[0].causes).toBeUndefined();
});

it('gives the share of the time of the CPUs of its own host', () => {
  expect(threadUsage(stats)[0].share).toBe(16 / 200);
});

it('sums processes, named after their leader', () => {
  const [process, alone, again] = processUsage(stats);
  expect(process).toMatchObject({
    id: 10,
    name: 't10',
    row: 'thread:0:10',
    user: 34,
    blocked: 100,
    migrations: 2,
  });
  expect(alone.row).toBe('thread:0:20');
  // A later life of the pid.
  expect(again).toMatchObject({ id: 10, user: 3 });
});

it('sums programs: processes of one name on a host', () => {
  const programs = programUsage(stats);
  expect(programs.map(({ name, id, user }) => [name, id, user])).toEqual([
    ['t10', 2, 37],
    ['t20', 1, 1],
  ]);
  const sum = (usage: readonly { readonly total: number }[]) =>
    usage.reduce((ns, { total }) => ns + total, 0);
  expect(sum(programs)).toBe(sum(threadUsage(stats)));
  const elsewhere = { ...stats.threads, host: Int32Array.of(0, 0, 0, 1) };
  expect(programUsage({ ...stats, threads: elsewhere }).map(({ name, host }) => [name, host])).toEqual([
    ['t10', 0],
    ['t20', 0],
    ['t10', 1],
  ]);
});
