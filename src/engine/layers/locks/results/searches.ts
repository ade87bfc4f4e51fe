/** Deadlocks, and orders of locks that could become one: searched for once per host. */
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { type InversionCycle, inversionsOf } from './lock-order.ts';
import type { LockResults } from './lock-results.ts';
import { type DeadlockCycle, WaitsFor } from './waits-for.ts';

export interface FoundCycles {
  readonly deadlocks: readonly DeadlockCycle[];
  readonly inversions: readonly InversionCycle[];
  /** Problems of the model, and how many searches ended before all was found. */
  readonly problems: Readonly<Record<string, number>>;
}

export const lockCycles = cachedByKey((results: LockResults): FoundCycles => {
  const cut: Record<string, number> = {};
  const count = (problem: string) => () => (cut[problem] = (cut[problem] ?? 0) + 1);
  const deadlocks = new WaitsFor(results).deadlocks(count('search for deadlocks cut short'));
  const inversions = inversionsOf(results, count('search for lock orders cut short'));
  return { deadlocks, inversions, problems: { ...results.model.problems, ...cut } };
});
