/** Threads that wait by asking again and again, and keep a CPU meanwhile. */
import { STATE_UNKNOWN, THREAD_STATES } from '../../linux/events/values.ts';
import { textAt } from '../../base/text-column.ts';
import { calls } from '../statistics/call-stats.ts';
import type { CallStat, ThreadCpuStats } from '../../protocol/statistics.ts';
import type { Facts } from './facts.ts';
import { ranNs } from './load-measures.ts';
import type { Measured, Measures } from './rule.ts';

/** "Try again": the call would have had to wait. */
const EAGAIN = 11;
/** Gives the CPU to others, if any wants it. */
const YIELD = 'sched_yield';
/** Calls that a thread has to make, and how many of them have to ask in vain: a server makes others between them. */
const LEAST_CALLS = 1000;
const MOSTLY = 0.9;

export interface Polling extends Measured {
  readonly name: string;
  readonly call: string;
  readonly times: number;
  /** Time in user and kernel mode. */
  readonly ranNs: number;
}

/** Threads that poll, by the share of their life that they ran. */
export async function polling(facts: Pick<Facts, 'context' | 'cpu' | 'leastNs'>): Promise<Measures<Polling>> {
  const { threads, pairs } = await calls.answer(facts.context, {});
  const all = new Map(threads.map(({ row, durations }) => [row, durations.count]));
  const asking = pairs.filter((pair) => {
    const times = timesInVain(pair);
    return times >= LEAST_CALLS && times >= MOSTLY * (all.get(pair.row) ?? Infinity);
  });
  if (asking.length === 0) return { found: [] };
  const cpu = (await facts.cpu()).threads;
  const found = asking.flatMap((pair): Polling[] => {
    const { ranNs: ran, lifeNs } = timesOf(cpu, pair.row);
    if (ran < facts.leastNs || lifeNs === 0) return [];
    const { name, call } = pair;
    return [{ share: Math.min(1, ran / lifeNs), ns: ran, name, call, times: timesInVain(pair), ranNs: ran }];
  });
  return { found };
}

function timesInVain({ call, durations, errors }: CallStat): number {
  if (call === YIELD) return durations.count;
  return errors.find(({ errno }) => errno === EAGAIN)?.count ?? 0;
}

function timesOf(threads: ThreadCpuStats, row: string | undefined): { ranNs: number; lifeNs: number } {
  for (let i = 0; i < threads.length; i++) {
    if (textAt(threads.row, i) !== row || threads.lives === undefined) continue;
    const { firstNs, lastNs } = threads.lives;
    const unknownNs = threads.states[i * THREAD_STATES.length + STATE_UNKNOWN];
    return { ranNs: ranNs(threads, i), lifeNs: lastNs[i] - firstNs[i] - unknownNs };
  }
  return { ranNs: 0, lifeNs: 0 };
}
