/** Events per bucket of the rows whose events were counted by lane (`density/lanes`). */
import type { AggregateLeaves } from '../../analysis/chunk-results.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { Lanes } from '../../density/lanes.ts';
import { findKey, KEY } from '../../density/lane-keys.ts';
import {
  type HostEvents,
  MOST_THREADS,
  threadEvents,
  type ThreadEventsLeaf,
} from '../../density/thread-events.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import { addEvenly, type Grid } from './resample.ts';

/** undefined: no event of the host names its thread. */
export function eventsOfHost(leaves: AggregateLeaves, host: number): HostEvents | undefined {
  return (leaves.whole(threadEvents as AnyAggregate, host) as ThreadEventsLeaf)[0];
}

/** Lanes of one table. */
export interface RowLanes {
  readonly lanes: Lanes;
  readonly of: readonly number[];
}

/** The lanes that a row shows; undefined: it shows none of them. */
export function lanesOfRow({ threads, streams }: HostEvents, row: string): RowLanes | undefined {
  const [kind, , key = ''] = row.split(':');
  const [high, low = 0, ns = 0] = key.split('.').map(Number);
  const one = (lanes: Lanes, lane: number) => (lane < 0 ? undefined : { lanes, of: [lane] });
  switch (kind) {
    case 'thread':
      return one(threads, findKey(threads.keys, low, high, ns));
    case 'process':
      return {
        lanes: threads,
        of: lanesWhere(threads, (_, pid, space) => pid === high && space >>> 0 === low),
      };
    case 'namespace':
      return { lanes: threads, of: lanesWhere(threads, (_, __, space) => space >>> 0 === high) };
    case 'more-threads':
      return one(threads, threads.events.length > MOST_THREADS ? MOST_THREADS : -1);
    case 'stream':
      return one(streams, findKey(streams.keys, low, high, 0));
    default:
      return undefined;
  }
}

function lanesWhere(
  { keys, events }: Lanes,
  is: (tid: number, pid: number, space: number) => boolean,
): number[] {
  const found: number[] = [];
  for (let lane = 0; lane < Math.min(events.length, MOST_THREADS); lane++)
    if (is(keys[KEY * lane], keys[KEY * lane + 1], keys[KEY * lane + 2])) found.push(lane);
  return found;
}

/** Events in each bucket of `grid`, which is in display time, to which `clock` leads; within a cell they are even. */
export function lanesDensity(
  { scale }: HostEvents,
  { lanes, of }: RowLanes,
  clock: ClockTransform,
  grid: Grid,
): Float32Array {
  const { cellStart, bucket, count, from, to } = lanes;
  const width = 2 ** scale.level;
  const sums = new Float32Array(grid.length);
  for (const lane of of) {
    for (let cell = cellStart[lane]; cell < cellStart[lane + 1]; cell++) {
      const begin = (scale.first + bucket[cell]) * width;
      // None lie before the lane's first event, none after its last.
      const first = clock.toExperiment(Math.max(begin, from[lane]));
      const end = clock.toExperiment(Math.min(begin + width, to[lane] + 1));
      addEvenly(sums, grid, first, end, count[cell]);
    }
  }
  return sums;
}
