/**
 * Time per state over a range, as meant: with what became known of a thread only later (it is a kernel thread, so it
 * was never in user mode) applied to the sums of the history.
 */
import type { HistoryQuery, Totals } from '../history/query-types.ts';
import { deadTime } from './reduce/dead-time.ts';
import type { CpuRow, StateTables } from './reduce/kernel-tables.ts';
import { isKernelThread } from './reduce/kernel-tables.ts';
import {
  CPU_KERNEL,
  CPU_STATES,
  CPU_USER,
  CPU_USER_UNSURE,
  STATE_DEAD,
  STATE_KERNEL,
  STATE_USER,
  stateOf,
} from './values.ts';

/** ns per state number of each thread of the tables within [from, to) (TimeNs). */
export async function threadTotals(
  query: HistoryQuery,
  { threads }: StateTables,
  from: number,
  to: number,
): Promise<Totals> {
  const totals = await query.totals(threads.stateAttribute, from, to);
  const { ns, states } = totals;
  for (let thread = 0; thread < threads.length; thread++) {
    const at = thread * states;
    ns[at + STATE_DEAD] = deadTime(threads, thread, from, to);
    if (!isKernelThread(threads, thread)) continue;
    ns[at + STATE_KERNEL] += ns[at + STATE_USER];
    ns[at + STATE_USER] = 0;
  }
  return totals;
}

/**
 * ns per state number of each CPU of the tables within [from, to) and between the CPU's first and last event; the sum
 * is the length of both. `user?` is resolved and always 0.
 */
export async function cpuTotals(
  query: HistoryQuery,
  tables: StateTables,
  from: number,
  to: number,
): Promise<Float64Array[]> {
  const whole = await query.totals(
    tables.cpus.map(({ stateAttribute }) => stateAttribute),
    from,
    to,
  );
  const totals: Float64Array[] = [];
  for (const [i, { stateAttribute, first, last }] of tables.cpus.entries()) {
    const ns = new Float64Array(CPU_STATES.length);
    totals.push(ns);
    if (!(Math.min(to, last) > Math.max(from, first))) continue;
    addStates(ns, whole, i, 1);
    // A whole range is known by summaries: less than what lies between first and last event would be read for that.
    if (first > from) addStates(ns, await query.totals([stateAttribute], from, first), 0, -1);
    if (last < to) addStates(ns, await query.totals([stateAttribute], last, to), 0, -1);
    ns[CPU_USER] += ns[CPU_USER_UNSURE];
    ns[CPU_USER_UNSURE] = 0;
  }
  for (const { cpu, ns } of await misjudged(query, tables, from, to)) {
    totals[cpu][CPU_USER] -= ns;
    totals[cpu][CPU_KERNEL] += ns;
  }
  return totals;
}

/** Adds the time in each state of a row of totals, so many times. */
function addStates(ns: Float64Array, { ns: all, states }: Totals, row: number, times: number): void {
  for (let state = 0; state < ns.length; state++) ns[state] += times * all[row * states + state];
}

interface Misjudged {
  /** Index in `StateTables.cpus`. */
  readonly cpu: number;
  readonly ns: number;
}

/**
 * Time that kernel threads ran before it was known what they are: a few pieces at the begin of a trace. Until then a
 * CPU has them in user mode, since they make no system calls. Works on stored values and on ones resolved already.
 */
async function misjudged(
  query: HistoryQuery,
  tables: StateTables,
  from: number,
  to: number,
): Promise<Misjudged[]> {
  const { threads, cpus } = tables;
  const found: Misjudged[] = [];
  for (let thread = 0; thread < threads.length; thread++) {
    const known = Math.min(to, threads.kernelSince[thread]);
    const begin = Math.max(from, threads.first[thread]);
    if (!(begin < known) || threads.ran[thread] === 0) continue;
    for (const piece of await query.intervals(threads.stateAttribute[thread], begin, known)) {
      if (stateOf(piece.value) !== STATE_USER && stateOf(piece.value) !== STATE_KERNEL) continue;
      const on = await query.at(threads.cpuAttribute[thread], piece.from);
      const cpu = cpus.findIndex((row) => row.cpu === on?.value);
      if (cpu >= 0) found.push({ cpu, ns: overlap(piece, cpus[cpu], begin, known) });
    }
  }
  return found;
}

function overlap(
  piece: { from: number; to: number },
  { first, last }: CpuRow,
  from: number,
  to: number,
): number {
  return Math.max(0, Math.min(piece.to, last, to) - Math.max(piece.from, first, from));
}
