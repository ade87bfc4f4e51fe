/**
 * Softirqs that were switched out (PREEMPT_RT): how long they took. What the states of CPUs say: all of the time from
 * entry to exit in which the thread that ran them was on the CPU.
 */
import type { HistoryQuery } from '../../../history/query-types.ts';
import type { StateTables } from '../../states/reduce/kernel-tables.ts';
import { InterruptSums } from './interrupt-chunk.ts';
import type { CpuInterrupts } from './interrupts.ts';

/** The sums with those of a CPU's interrupts that are not in them yet. */
export async function withCutRuns(
  query: Pick<HistoryQuery, 'intervals'>,
  { cpus }: StateTables,
  { cpu, keys, sums, cutRuns }: CpuInterrupts,
): Promise<Pick<CpuInterrupts, 'keys' | 'sums'>> {
  const attribute = cpus.find((row) => row.cpu === cpu)?.threadAttribute;
  if (cutRuns.length === 0 || attribute === undefined) return { keys, sums };
  const all = new InterruptSums();
  all.addTable(keys, sums);
  for (const { key, begin, end } of cutRuns)
    all.add(key, begin, await cutLength(query, attribute, begin, end), cpu);
  return all.finish();
}

/**
 * How long one took that was switched out, ns.
 * @param attribute that says which thread is on its CPU
 */
export async function cutLength(
  query: Pick<HistoryQuery, 'intervals'>,
  attribute: number,
  begin: number,
  end: number,
): Promise<number> {
  const stays = await query.intervals(attribute, begin, end);
  const [{ value: thread } = { value: 0 }] = stays;
  return stays
    .filter(({ value }) => value === thread)
    .reduce((sum, { from, to }) => sum + Math.min(end, to) - Math.max(begin, from), 0);
}
