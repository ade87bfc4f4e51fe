/** Moves stored facts, rows and overview, which are in display time, to other clocks. */
import type { DisplayNs, Times } from '../base/units.ts';
import type { ExperimentClock } from '../sync/host-clocks.ts';
import type { Move } from '../answers/context/display-time.ts';
import type { ExperimentInfo, Overview } from '../protocol/session.ts';
import { type Grid, resampleMean, resampleSum } from '../answers/rows/resample.ts';
import type { RowColumns } from '../protocol/rows.ts';

export interface Shown {
  readonly info: ExperimentInfo;
  readonly rows: RowColumns;
  readonly overview: Overview | undefined;
}

/** Moves what was shown; `after` are the clocks moved to. */
export function shiftedView(shown: Shown, after: ExperimentClock, move: Move): Shown {
  const info = movedInfo(shown.info, after, move);
  return {
    info,
    rows: movedRows(shown.rows, move),
    overview: shown.overview && movedOverview(shown.overview, info.lengthNs, move),
  };
}

function movedInfo(info: ExperimentInfo, after: ExperimentClock, move: Move): ExperimentInfo {
  const moved = (host: number, { from, to }: { readonly from: DisplayNs; readonly to: DisplayNs }) => {
    return { from: move(host, from), to: move(host, to) };
  };
  const hosts = info.hosts.map((host) => ({
    ...host,
    firstNs: move(host.index, host.firstNs),
    lastNs: move(host.index, host.lastNs),
    lost: host.lost.map((span) => ({ ...span, ...moved(host.index, span) })),
    notRecorded: host.notRecorded.map((span) => moved(host.index, span)),
  }));
  return {
    ...info,
    hosts,
    originNs: info.originNs === '' ? '' : String(after.originNs),
    lengthNs: Math.max(1, ...hosts.map(({ lastNs }) => lastNs)),
  };
}

function movedRows(rows: RowColumns, move: Move): RowColumns {
  const moved = (times: Times<DisplayNs>) => times.map((time, i) => move(rows.host[i], time));
  return { ...rows, firstNs: moved(rows.firstNs), lastNs: moved(rows.lastNs) };
}

function movedOverview({ bucketNs, hosts }: Overview, lengthNs: number, move: Move): Overview {
  const buckets = hosts[0]?.density.length ?? 0;
  const to: Grid = {
    from: 0,
    bucketNs: Math.max(1, Math.ceil(lengthNs / Math.max(1, buckets))),
    length: buckets,
  };
  return {
    bucketNs: to.bucketNs,
    hosts: hosts.map((entry) => {
      // Drift within a bucket is negligible, so moving the begin is enough.
      const from: Grid = { from: move(entry.host, 0), bucketNs, length: entry.density.length };
      return {
        ...entry,
        load: {
          used: resampleMean(entry.load.used, from, to),
          unknown: resampleMean(entry.load.unknown, from, to),
        },
        density: resampleSum(entry.density, from, to),
      };
    }),
  };
}
