/**
 * Tables of what the ends of a chunk leave open of its interrupts, which compiled code (`interrupts.ts`) writes while
 * it reads rows; and the chunk's part made of them.
 */
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { f64, i32, type Table, tableOf, u8 } from '../../../base/tables.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { type DurationColumns, durationsOf } from '../duration-sums.ts';
import { subjectsOf } from '../../events/kernel-events.ts';
import * as chunkResult from './interrupt-chunk.ts';
import type { CutRun, InterruptKey, InterruptStreamPart, RunEnds } from './interrupt-chunk.ts';

/**
 * Ends by kind of interrupt: the pending one, group -1 none; the exit that came first, time NaN none; whether another
 * thread was switched in since the pending one's entry, or before that exit, or at all while nothing else happened.
 */
export const RUNS = {
  pendingGroup: i32(),
  pendingMark: f64(),
  pendingTime: f64(),
  headMark: f64(),
  headTime: f64(),
  closed: u8(),
  isCut: u8(),
  isHeadCut: u8(),
};

/** Ends by softirq: see `RaiseEnds`; and the group of its wait, -1 none. */
export const RAISES = { first: f64(), entry: f64(), pending: f64(), closed: u8(), group: i32() };

export interface EndTables {
  readonly runs: Table<typeof RUNS>;
  readonly raises: Table<typeof RAISES>;
}

export function endTables(): EndTables {
  return {
    runs: tableOf(RUNS, chunkResult.RUN_KINDS),
    raises: tableOf(RAISES, chunkResult.VECS),
  };
}

/** Resets the tables. */
export function clearEnds({ runs, raises }: EndTables): void {
  runs.pendingGroup.fill(-1);
  runs.headTime.fill(NaN);
  runs.closed.fill(0);
  runs.isCut.fill(0);
  runs.isHeadCut.fill(0);
  raises.first.fill(NaN);
  raises.entry.fill(NaN);
  raises.pending.fill(NaN);
  raises.closed.fill(0);
  raises.group.fill(-1);
}

/** Interrupts of one chunk, with what its ends leave open. */
export type InterruptsOfChunk = Pick<InterruptStreamPart, 'keys' | 'sums' | 'cutRuns' | 'runs' | 'raises'>;

/** @param keys of the groups of `durations`; empty groups may be pending */
export function interruptsOf(
  keys: readonly InterruptKey[],
  durations: DurationColumns,
  { runs, raises }: EndTables,
  cutRuns: readonly CutRun[],
): InterruptsOfChunk {
  return {
    ...endedOf(keys, durations),
    cutRuns,
    runs: Array.from({ length: chunkResult.RUN_KINDS }, (_, kind) => runEnds(runs, kind, keys)),
    raises: Array.from({ length: chunkResult.VECS }, (_, vec) => ({
      raise: raises.first[vec],
      entry: raises.entry[vec],
      closed: raises.closed[vec] === 1,
      pending: raises.pending[vec],
    })),
  };
}

/** Sums of interrupts that ended in the chunk. Names of invalid UTF-8 may read the same: such groups are merged. */
function endedOf(
  keys: readonly InterruptKey[],
  durations: DurationColumns,
): Pick<InterruptStreamPart, 'keys' | 'sums'> {
  const order = [...keys.keys()]
    .filter((group) => durations.count[group] > 0)
    .sort((a, b) => chunkResult.compareKeys(keys[a], keys[b]));
  const sorted = order.map((group) => keys[group]);
  const table = durationsOf(durations, order);
  if (!sorted.some((key, i) => i > 0 && chunkResult.compareKeys(sorted[i - 1], key) === 0))
    return { keys: sorted, sums: table };
  const sums = new chunkResult.InterruptSums();
  sums.addTable(sorted, table);
  return sums.finish();
}

function runEnds(runs: Table<typeof RUNS>, kind: number, keys: readonly InterruptKey[]): RunEnds {
  const time = runs.headTime[kind];
  const group = runs.pendingGroup[kind];
  return {
    head: Number.isNaN(time)
      ? undefined
      : { time, mark: runs.headMark[kind], isCut: runs.isHeadCut[kind] === 1 },
    tail:
      group < 0
        ? undefined
        : {
            time: runs.pendingTime[kind],
            mark: runs.pendingMark[kind],
            key: keys[group],
            isCut: runs.isCut[kind] === 1,
          },
    closed: runs.closed[kind] === 1,
    cuts: runs.closed[kind] === 0 && runs.isCut[kind] === 1,
  };
}

/** First class with the same subject, by event class: shared by entry and exit of a vector. */
export const firstOfSubject = cachedByKey((eventClasses: readonly EventClass[]) => {
  const firsts = new Map<string, number>();
  return Int32Array.from(subjectsOf(eventClasses), (subject, i) => {
    const first = firsts.get(subject) ?? i;
    firsts.set(subject, first);
    return first;
  });
});
