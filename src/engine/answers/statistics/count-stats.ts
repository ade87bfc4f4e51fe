/** Events of a range by name. */
import { greater, lesser } from '../../base/lesser.ts';
import { counts as eventCounts, type Counts } from '../../linux/sums/counts.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import { aggregateOf } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { CountStat, CountStats } from '../../protocol/statistics.ts';
import { counts as tables } from './tables/counts.ts';

export const counts = statistic<CountStats>({
  tables,
  needs: [],
  none: { approximate: false, events: [] },
  count,
});

/** Counts events, most frequent first; equal names of several hosts are added up. */
async function count(scope: StatisticScope): Promise<Counted<CountStats>> {
  const events = new Map<string, CountStat>();
  let approximate = false;
  for (const host of scope.hosts) {
    const answer = await aggregateOf<Counts>(eventCounts.id, scope, host);
    approximate ||= answer.approximate;
    for (const counted of answer.result.events) addCount(events, counted, host.clock);
  }
  return { approximate, events: [...events.values()].sort((a, b) => b.count - a.count) };
}

function addCount(
  events: Map<string, CountStat>,
  count: Counts['events'][number],
  clock: ClockTransform,
): void {
  const key = `${count.domain} ${count.name}`;
  const known = events.get(key);
  const firstNs = clock.toExperiment(count.first);
  const lastNs = clock.toExperiment(count.last);
  events.set(key, {
    name: count.name,
    domain: count.domain,
    count: count.events + (known?.count ?? 0),
    bytes: count.bytes + (known?.bytes ?? 0),
    firstNs: lesser(firstNs, known?.firstNs ?? firstNs),
    lastNs: greater(lastNs, known?.lastNs ?? lastNs),
  });
}
