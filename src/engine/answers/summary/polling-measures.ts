/** Threads that wait by asking again and again, and keep a CPU meanwhile. */
import { type CallCount, frequentCalls } from '../statistics/call-stats.ts';
import { threadUsage } from '../statistics/cpu-usage.ts';
import type { Facts } from './facts.ts';
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
}

/** Threads that poll, by the share of their life, as far as it is known, that they were on a CPU. */
export async function polling(facts: Pick<Facts, 'context' | 'cpu' | 'leastNs'>): Promise<Measures<Polling>> {
  const asking = (await frequentCalls(facts.context, LEAST_CALLS)).filter((pair) => {
    const times = timesInVain(pair);
    return times >= LEAST_CALLS && times >= MOSTLY * pair.ofThread;
  });
  if (asking.length === 0) return { found: [] };
  const usage = new Map(threadUsage(await facts.cpu()).map((thread) => [thread.row, thread]));
  const found = asking.flatMap((pair): Polling[] => {
    const { onCpu = 0, known = 0 } = usage.get(pair.row ?? '') ?? {};
    if (onCpu < facts.leastNs || known === 0) return [];
    const { name, call } = pair;
    return [{ share: onCpu / known, ns: onCpu, name, call, times: timesInVain(pair) }];
  });
  return { found };
}

function timesInVain({ call, count, failures }: CallCount): number {
  if (call === YIELD) return count;
  return failures.reduce((sum, failure) => sum + (failure.errno === EAGAIN ? failure.count : 0), 0);
}
