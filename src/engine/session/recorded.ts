/** Which events a trace has, by what was counted: so it is known of stored traces as well. */
import type { AggregateLeaves } from '../analysis/aggregate-leaves.ts';
import type { AnyAggregate } from '../analysis/analysis-set.ts';
import { oncePer } from '../base/once-per.ts';
import { createMeaningFinder } from '../ctf/decode/meanings.ts';
import { counts } from '../kernel/counts.ts';
import type { CountsLeaf } from '../kernel/counts.ts';
import { MEANINGS } from '../kernel/meanings.ts';
import type { MeaningName } from '../kernel/meanings.ts';
import type { HostHistory } from './host-history.ts';

/** Of groups of meanings the first events of those of which nothing was recorded: each group needs one of its own. */
export function missingEvents(
  hosts: readonly HostHistory[],
  leaves: AggregateLeaves,
  groups: readonly (readonly MeaningName[])[],
): string[] {
  const recorded = hosts.map(({ index }) =>
    recordedMeanings(leaves.whole(counts as unknown as AnyAggregate, index) as CountsLeaf),
  );
  const isThere = (meaning: MeaningName): boolean => recorded.some((meanings) => meanings.has(meaning));
  return groups.filter((group) => !group.some(isThere)).map(([first]) => MEANINGS[first].events[0]);
}

/** Found once for what was counted: statistics follow a drag. */
const recordedMeanings = oncePer((leaf: CountsLeaf): ReadonlySet<MeaningName> => {
  const names = counts.finish(leaf).events.map(({ name }) => name);
  const meanings = Object.keys(MEANINGS) as MeaningName[];
  return new Set(
    meanings.filter((meaning) => {
      const meaningOf = createMeaningFinder({ meanings: [{ names: MEANINGS[meaning].events, fields: [] }] });
      return names.some((name) => meaningOf(name) === 0);
    }),
  );
});
