/** Where stored states of threads and CPUs mean something else than their number alone (`states/reduce/late-log`). */
import { groupBy } from '../../../base/group-by.ts';
import type { ResolvedApart } from '../../../history/query.ts';
import type { AttributeId } from '../../../history/types.ts';
import { STATE_KERNEL } from '../../events/values.ts';
import { modeOfLate, type StateTables } from '../reduce/kernel-tables.ts';
import { LATE_USER } from '../reduce/late-log.ts';

/**
 * Intervals of an attribute of these tables. A thread that was decided to be in the kernel was so on any CPU: all CPUs
 * have its range.
 */
export function lateIntervals(tables: StateTables): ResolvedApart {
  const { threads, late, cpus } = tables;
  const rows = Array.from({ length: late.length }, (_, row) => row);
  const decided = rows.filter((row) => late.mode[row] !== LATE_USER);
  const byAttribute = new Map<AttributeId, Float64Array>();
  for (const [attribute, own] of groupBy(decided, (row) => threads.stateAttribute[late.thread[row]]))
    byAttribute.set(attribute, intervals(tables, own));
  const ofCpus = intervals(
    tables,
    rows.filter((row) => modeOfLate(tables, row) === STATE_KERNEL),
  );
  if (ofCpus.length > 0) for (const { stateAttribute } of cpus) byAttribute.set(stateAttribute, ofCpus);
  return (attribute) => byAttribute.get(attribute);
}

/** Joined where they overlap, in order of time. */
function intervals({ late }: StateTables, rows: readonly number[]): Float64Array {
  const joined: number[] = [];
  for (const row of rows.slice().sort((a, b) => late.from[a] - late.from[b])) {
    const last = joined.length - 1;
    if (last >= 0 && late.from[row] <= joined[last]) joined[last] = Math.max(joined[last], late.until[row]);
    else joined.push(late.from[row], late.until[row]);
  }
  return Float64Array.from(joined);
}
