/** Tiles of histories in display time, and CPUs in use: of a process from its threads' states, of a host from its CPUs. */
import type { DisplayNs } from '../../base/units.ts';
import type { HistoryQuery, TileRequest, TileSpans, Load } from '../../history/query-types.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { AttributesRequest, BucketsRequest, LoadAnswer } from '../../protocol/rows.ts';
import type { HostHistory } from '../context/host.ts';
import { type Grid, resampleMean } from './resample.ts';

/** A history, with the clock of the host whose time it is in. */
export interface ShownHistory {
  readonly query: HistoryQuery;
  readonly clock: ClockTransform;
}

/** A tile of a history in display time. */
type Shown<Asked extends TileSpans> = Omit<Asked, keyof TileSpans> & TileSpans<DisplayNs>;

/** @param ask asks the history, in host time */
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

/** Rows without spans. */
export function emptySpans({ attributes, from, to, bucketNs }: AttributesRequest): TileSpans<DisplayNs> {
  const none = new Float64Array(0);
  const rowStart = new Uint32Array(attributes.length + 1);
  return { from, to, bucketNs, rowStart, begin: none, end: none, value: none, mix: new Int32Array(0) };
}

/** Grid of the requested buckets; empty for an invalid request. */
export function gridOf({ from, to, bucketNs }: BucketsRequest): Grid {
  return bucketNs > 0 && to > from
    ? { from, bucketNs, length: Math.ceil((to - from) / bucketNs) }
    : { from: 0, bucketNs: 1, length: 0 };
}

/** Factor by which the history's buckets are finer than the requested ones, so that no difference is visible. */
const FINER = 2;

/** Load of a host's threads or CPUs. A thread of unknown state counts as on a CPU only while a CPU is unknown too. */
export async function loadOf(
  host: HostHistory,
  attributes: readonly number[],
  grid: Grid,
): Promise<LoadAnswer> {
  const cpus = cpuAttributes(host);
  if (attributes.every((attribute) => cpus.includes(attribute))) return cpuLoad(host, attributes, grid);
  const { used, unknown } = await meansOf(host, attributes, grid);
  if (!unknown.some((threads) => threads > 0)) return { used, unknown };
  const most = (await cpuLoad(host, cpus, grid)).unknown;
  return {
    used,
    unknown: unknown.map((threads, i) => (Number.isNaN(most[i]) ? threads : Math.min(threads, most[i]))),
  };
}

/** Number of rows with a value over display time, of any history. */
export async function rowsWithValue(
  history: ShownHistory,
  attributes: readonly number[],
  grid: Grid,
): Promise<LoadAnswer> {
  const { used, unknown } = await meansOf(history, attributes, grid);
  return { used, unknown };
}

/** Shares of the host's CPUs that are in use and unknown, 0-1; NaN: not read. */
export async function hostLoad(host: HostHistory, grid: Grid): Promise<LoadAnswer> {
  const cpus = cpuAttributes(host);
  if (cpus.length === 0) return unreadLoad(grid);
  const { used, unknown } = await cpuLoad(host, cpus, grid);
  const share = (busy: number) => busy / cpus.length;
  return { used: used.map(share), unknown: unknown.map(share) };
}

export function unreadLoad({ length }: Grid): LoadAnswer {
  return { used: new Float32Array(length).fill(NaN), unknown: new Float32Array(length).fill(NaN) };
}

function cpuAttributes({ tables }: HostHistory): number[] {
  return (tables?.cpus ?? []).map((cpu) => cpu.stateAttribute).filter((attribute) => attribute >= 0);
}

/** Load of CPUs; a CPU is unknown before its first event, while others have some. */
async function cpuLoad(host: HostHistory, cpus: readonly number[], grid: Grid): Promise<LoadAnswer> {
  const { used, unknown, absent } = await meansOf(host, cpus, grid);
  return { used, unknown: unknown.map((share, i) => share + absent[i]) };
}

/** Means over display time, from the history's own buckets. */
async function meansOf(
  { query, clock }: ShownHistory,
  attributes: readonly number[],
  grid: Grid,
): Promise<Pick<Load, 'used' | 'unknown' | 'absent'>> {
  const from = clock.toHost(grid.from);
  const to = clock.toHost(grid.from + grid.length * grid.bucketNs);
  const tile = await query.load({ attributes, from, to, bucketNs: Math.max(1, grid.bucketNs / FINER) });
  const { length } = tile.used;
  const begin = clock.toExperiment(tile.from);
  const end = clock.toExperiment(tile.from + length * tile.bucketNs);
  const fine = { from: begin, bucketNs: (end - begin) / Math.max(1, length), length };
  const mean = (values: Float32Array) => resampleMean(values, fine, grid);
  return { used: mean(tile.used), unknown: mean(tile.unknown), absent: mean(tile.absent) };
}
