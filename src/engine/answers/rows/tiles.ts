/** Tiles in display time. */
import type { DisplayNs } from '../../base/units.ts';
import type { HistoryQuery, TileRequest, TileSpans } from '../../history/query-types.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { Grid } from './resample.ts';
import type { AttributesRequest, BucketsRequest } from '../../protocol/rows.ts';

/** A history, whose times are those of the host that the clock belongs to. */
export interface ShownHistory {
  readonly query: HistoryQuery;
  readonly clock: ClockTransform;
}

/** A tile of a history with times of the display. */
type Shown<Asked extends TileSpans> = Omit<Asked, keyof TileSpans> & TileSpans<DisplayNs>;

/** @param ask the history, in its own time */
export async function tileOf<Asked extends TileSpans>(
  { query, clock }: ShownHistory,
  { attributes, from, to, bucketNs }: AttributesRequest,
  ask: (query: HistoryQuery, request: TileRequest) => Promise<Asked>,
): Promise<Shown<Asked>> {
  const tile = await ask(query, { attributes, bucketNs, from: clock.toHost(from), to: clock.toHost(to) });
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

/** Rows without a span. */
export function emptySpans({ attributes, from, to, bucketNs }: AttributesRequest): TileSpans<DisplayNs> {
  const none = new Float64Array(0);
  const rowStart = new Uint32Array(attributes.length + 1);
  return { from, to, bucketNs, rowStart, begin: none, end: none, value: none, mix: new Int32Array(0) };
}

/** The buckets that a range and a width ask for; none where they make no sense. */
export function gridOf({ from, to, bucketNs }: BucketsRequest): Grid {
  return bucketNs > 0 && to > from
    ? { from, bucketNs, length: Math.ceil((to - from) / bucketNs) }
    : { from: 0, bucketNs: 1, length: 0 };
}
