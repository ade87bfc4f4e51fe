/** Threads that ask again and again, by made-up statistics of calls. */
import { expect, it, vi } from 'vitest';
import { packTexts } from '../../base/text-writer.ts';
import { STATE_BLOCKED_S, STATE_USER, THREAD_STATES } from '../../linux/events/values.ts';
import * as calls from '../statistics/call-stats.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import type { Facts } from './facts.ts';
import { polling } from './cpu-measures.ts';

function pair(row: string, call: string, count: number, tryAgain = 0) {
  const failures = tryAgain === 0 ? [] : [{ errno: 11, count: tryAgain }];
  return { row, call, name: row, count, failures };
}

/** All threads live for 1000 ns and run for 900. */
function factsOf(pairs: readonly ReturnType<typeof pair>[]): Facts {
  const rows = [...new Set(pairs.map(({ row }) => row))];
  const countOf = (row: string) => pairs.reduce((sum, one) => sum + (one.row === row ? one.count : 0), 0);
  const counts = pairs.map((one) => ({ ...one, ofThread: countOf(one.row) }));
  vi.spyOn(calls, 'frequentCalls').mockResolvedValue(counts as unknown as calls.CallCount[]);
  const states = new Float64Array(rows.length * THREAD_STATES.length);
  for (let i = 0; i < rows.length; i++) states[i * THREAD_STATES.length + STATE_USER] = 900;
  for (let i = 0; i < rows.length; i++) states[i * THREAD_STATES.length + STATE_BLOCKED_S] = 100;
  const host = new Int32Array(rows.length);
  const threads = { length: rows.length, row: packTexts(rows), states, host };
  const cpu = { threads, cpus: [] } as unknown as CpuStats;
  return { context: {}, leastNs: 100, cpu: () => Promise.resolve(cpu) } as unknown as Facts;
}

it('yields and calls that are told to try again are polling, where a thread does nothing else', async () => {
  const facts = factsOf([
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
