/** Tiles in display time. */
import type { HistoryQuery, Tile } from '../../history/query-types.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { Grid } from './resample.ts';
import type { AttributesRequest, BucketsRequest } from './rows-api.ts';

/** A tile of a history, whose times are those of the host that the clock belongs to; without them, rows without a span. */
export async function tileOf(
  query: HistoryQuery | undefined,
  clock: ClockTransform | undefined,
  request: AttributesRequest,
): Promise<Tile> {
  if (query === undefined || clock === undefined) return emptyTile(request);
  const { from, to } = request;
  const { attributes, bucketNs } = request;
  const tile = await query.tile({ attributes, bucketNs, from: clock.toHost(from), to: clock.toHost(to) });
  const shown = { from: clock.toExperiment(tile.from), to: clock.toExperiment(tile.to) };
  const stretch = tile.to > tile.from ? (shown.to - shown.from) / (tile.to - tile.from) : 1;
  return {
    ...tile,
    ...shown,
    bucketNs: tile.bucketNs * stretch,
    begin: clock.columnToExperiment(tile.begin),
    end: clock.columnToExperiment(tile.end),
  };
}

export function emptyTile({ attributes, from, to, bucketNs }: AttributesRequest): Tile {
  const none = new Float64Array(0);
  const rowStart = new Uint32Array(attributes.length + 1);
  const columns = { begin: none, end: none, value: none, mix: new Int32Array(0), shares: new Uint8Array(0) };
  return { from, to, bucketNs, rowStart, ...columns };
}

/** The buckets that a range and a width ask for; none where they make no sense. */
export function gridOf({ from, to, bucketNs }: BucketsRequest): Grid {
  return bucketNs > 0 && to > from
    ? { from, bucketNs, length: Math.ceil((to - from) / bucketNs) }
    : { from: 0, bucketNs: 1, length: 0 };
}
