/** Which events a trace has, by what was counted: so it is known of stored traces as well. */
import type { AggregateLeaves } from '../analysis/aggregate-leaves.ts';
import type { AnyAggregate } from '../analysis/analysis-set.ts';
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
  const names = new Set(
    hosts.flatMap(({ index }) => {
      const leaf = leaves.whole(counts as unknown as AnyAggregate, index) as CountsLeaf;
      return counts.finish(leaf).events.map(({ name }) => name);
    }),
  );
  const isThere = (meaning: MeaningName): boolean => {
    const meaningOf = createMeaningFinder({ meanings: [{ names: MEANINGS[meaning].events, fields: [] }] });
    return [...names].some((name) => meaningOf(name) === 0);
  };
  return groups.filter((group) => !group.some(isThere)).map(([first]) => MEANINGS[first].events[0]);
}
