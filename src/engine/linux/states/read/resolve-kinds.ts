/** Stored states of threads and CPUs as what they turned out to be. */
import type { HistorySource, Resolve } from '../../../history/query.ts';
import { meantCpuValue, meantThreadValue, type StateTables } from '../reduce/kernel-tables.ts';

/**
 * Resolves values by what became known later: kernel threads are never in user mode, also before the trace shows what
 * they are, nor are CPUs that run them; and the states in `LateRows`. Sums by state lack the rest of a value;
 * `cpu-totals` corrects them.
 */
export function resolveKinds(source: HistorySource, tables: StateTables): Resolve {
  const { threads } = tables;
  const NOBODY = -1;
  const CPU = -2;
  /** Owner of each attribute of a state: its thread, or that it is a CPU's. */
  const owner = new Int32Array(source.attributes).fill(NOBODY);
  for (let i = 0; i < threads.length; i++)
    if (threads.stateAttribute[i] >= 0) owner[threads.stateAttribute[i]] = i;
  for (const { stateAttribute } of tables.cpus) if (stateAttribute >= 0) owner[stateAttribute] = CPU;
  return (attribute, value) => {
    const thread = owner[attribute];
    if (thread >= 0) return meantThreadValue(tables, thread, value);
    return thread === CPU ? meantCpuValue(tables, value) : value;
  };
}
