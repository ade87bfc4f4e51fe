/** How CPUs were used, and threads that ask again and again, by made-up statistics. */
import { expect, it, vi } from 'vitest';
import { cpuStat, threadCpuStats } from '../../../../test/support/cpu-stats.ts';
import { STATE_BLOCKED_S, STATE_USER } from '../../linux/events/values.ts';
import type { CpuStat, CpuStats, ThreadCpuStats } from '../../protocol/statistics.ts';
import * as calls from '../statistics/call-stats.ts';
import type { Facts } from './facts.ts';
import { polling, saturated } from './cpu-measures.ts';

function factsOf(cpus: readonly CpuStat[], threads: ThreadCpuStats): Facts {
  const stats: CpuStats = { from: 0, to: 100, cpus, threads, missing: [] };
  const trace = { time: { hosts: [{ name: 'web' }, { name: 'disk' }] } };
  return { cpu: () => Promise.resolve(stats), trace } as unknown as Facts;
}

it('CPUs of a host are busy in what is known and not idle', async () => {
  const facts = factsOf(
    [
      cpuStat(0, 0, { idle: 5, user: 80, kernel: 10, softirq: 5 }),
      cpuStat(0, 1, { idle: 1, user: 49, unknown: 50 }),
      cpuStat(1, 0, { unknown: 100 }),
    ],
    threadCpuStats([
      { name: 'php', host: 0, states: { [STATE_USER]: 70 } },
      { name: 'sh', host: 0, states: { [STATE_USER]: 20 } },
      { name: 'dd', host: 1, states: { [STATE_USER]: 90 } },
    ]),
  );
  // Of the other host nothing is known.
  expect((await saturated(facts)).found).toEqual([
    { share: 0.96, ns: 144, host: 'web', cpus: [0, 1], isWhole: false, most: 'php', mostNs: 70 },
  ]);
});

function pair(row: string, call: string, count: number, tryAgain = 0) {
  const failures = tryAgain === 0 ? [] : [{ errno: 11, count: tryAgain }];
  return { row, call, name: row, count, failures };
}

/** All threads live for 1000 ns and run for 900. */
function askingFacts(pairs: readonly ReturnType<typeof pair>[]): Facts {
  const rows = [...new Set(pairs.map(({ row }) => row))];
  const countOf = (row: string) => pairs.reduce((sum, one) => sum + (one.row === row ? one.count : 0), 0);
  const counts = pairs.map((one) => ({ ...one, ofThread: countOf(one.row) }));
  vi.spyOn(calls, 'frequentCalls').mockResolvedValue(counts as unknown as calls.CallCount[]);
  const states = { [STATE_USER]: 900, [STATE_BLOCKED_S]: 100 };
  const threads = threadCpuStats(rows.map((row) => ({ row, states })));
  const cpu = { threads, cpus: [] } as unknown as CpuStats;
  return { context: {}, leastNs: 100, cpu: () => Promise.resolve(cpu) } as unknown as Facts;
}

it('yields and calls that are told to try again are polling, where a thread does nothing else', async () => {
  const facts = askingFacts([
    pair('yields', 'sched_yield', 5000),
    pair('asks', 'recvfrom', 2000, 1990),
    // A server is told to try again once for each request that it has answered.
    pair('serves', 'read', 4000, 2000),
    pair('serves', 'write', 2000),
    pair('seldom', 'sched_yield', 999),
  ]);
  expect((await polling(facts)).found).toEqual([
    { name: 'yields', call: 'sched_yield', times: 5000, share: 0.9, ns: 900 },
    { name: 'asks', call: 'recvfrom', times: 1990, share: 0.9, ns: 900 },
  ]);
  vi.restoreAllMocks();
});
