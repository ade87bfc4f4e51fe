/** Intervals whose stored state number is not the true state of threads and CPUs (`states/reduce/late-log`). */
import { groupBy } from '../../../base/group-by.ts';
import type { QueryOptions, HistorySource, Resolve } from '../../../history/query.ts';
import type { AttributeId } from '../../../history/types.ts';
import type { Overrules } from '../../../history/interval-cursor.ts';
import { STATE_KERNEL } from '../../events/values.ts';
import { modeOfLate, type StateTables, meantCpuValue, meantThreadValue } from '../reduce/kernel-tables.ts';
import { LATE_USER } from '../reduce/late-log.ts';

/**
 * Intervals of an attribute of these tables, and the values that replace stored ones. A thread decided to be in the
 * kernel may have been so on any CPU: all CPUs have its range.
 */
export function lateIntervals(tables: StateTables): Required<Pick<QueryOptions, 'apart' | 'overrules'>> {
  const { threads, late, overruled, cpus } = tables;
  const decided: Row[] = [];
  const ofCpus: Row[] = [];
  for (let row = 0; row < late.length; row++) {
    const own = { thread: late.thread[row], from: late.from[row], until: late.until[row] };
    if (late.mode[row] !== LATE_USER) decided.push(own);
    if (modeOfLate(tables, row) === STATE_KERNEL) ofCpus.push(own);
  }
  const other = Array.from(overruled.thread, (thread, row): Row & { readonly value: number } => {
    return { thread, from: overruled.from[row], until: overruled.until[row], value: overruled.value[row] };
  });
  const ranges = new Map<AttributeId, Float64Array>();
  for (const [thread, rows] of groupBy([...decided, ...other], (row) => row.thread))
    ranges.set(threads.stateAttribute[thread], joined(rows));
  if (ofCpus.length > 0) for (const { stateAttribute } of cpus) ranges.set(stateAttribute, joined(ofCpus));
  const overrules = new Map<AttributeId, Overrules>();
  for (const [thread, rows] of groupBy(other, (row) => row.thread)) {
    const column = (of: 'from' | 'until' | 'value') => Float64Array.from(rows, (row) => row[of]);
    const columns = { from: column('from'), until: column('until'), value: column('value') };
    overrules.set(threads.stateAttribute[thread], columns);
  }
  return { apart: (attribute) => ranges.get(attribute), overrules: (attribute) => overrules.get(attribute) };
}

interface Row {
  readonly thread: number;
  /** HostNs. */
  readonly from: number;
  readonly until: number;
}

/** Ranges in order of time, with adjacent ones merged. */
function joined(rows: readonly Row[]): Float64Array {
  const ranges: number[] = [];
  for (const { from, until } of rows.slice().sort((a, b) => a.from - b.from)) {
    const last = ranges.length - 1;
    if (last >= 0 && from <= ranges[last]) ranges[last] = Math.max(ranges[last], until);
    else ranges.push(from, until);
  }
  return Float64Array.from(ranges);
}

/**
 * Resolves values by later knowledge: kernel threads are never in user mode, even before the trace shows their kind,
 * nor are CPUs that run them; and the states in `LateRows`. Sums by state lack the rest of a value; `cpu-totals`
 * corrects them.
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
