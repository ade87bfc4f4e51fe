/** Events of a range by name. */
import type { AggregateLeaves } from '../../analysis/aggregate-leaves.ts';
import type { ChunkMapper } from '../../analysis/chunk-mapper.ts';
import { greater, lesser } from '../../base/lesser.ts';
import { counts, type Counts } from '../../kernel/counts.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { HostHistory } from '../host-history.ts';
import type { RangeRequest } from '../range.ts';
import { aggregateOf, windowOfHost } from './range-aggregates.ts';
import type { CountStat, CountStats } from './statistics-api.ts';

/** Most frequent first; those of one name of several hosts together. */
export async function countStats(
  hosts: readonly HostHistory[],
  leaves: AggregateLeaves,
  range: RangeRequest | undefined,
  mapper: ChunkMapper | undefined,
): Promise<CountStats> {
  const events = new Map<string, CountStat>();
  let approximate = false;
  for (const { index, clock } of hosts) {
    const window = windowOfHost(range, clock);
    const answer = await aggregateOf<Counts>(counts.id, leaves, index, window, mapper);
    approximate ||= answer.approximate;
    for (const count of answer.result.events) addCount(events, count, clock);
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
