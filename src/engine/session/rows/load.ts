/** CPUs in use over time: of a process from its threads' states, of a host from its CPUs. */
import type { HostHistory } from '../host-history.ts';
import { type Grid, resampleMean } from './resample.ts';
import type { ShownHistory } from './tiles.ts';

/** The history's buckets are this much finer than those asked for, so that the grids' difference does not show. */
const FINER = 2;

/** `HistoryQuery.load` in display time. */
export async function loadOf(
  { query, clock }: ShownHistory,
  attributes: readonly number[],
  grid: Grid,
): Promise<Float32Array> {
  const from = clock.toHost(grid.from);
  const to = clock.toHost(grid.from + grid.length * grid.bucketNs);
  const tile = await query.load({ attributes, from, to, bucketNs: Math.max(1, grid.bucketNs / FINER) });
  const { length } = tile.load;
  const begin = clock.toExperiment(tile.from);
  const end = clock.toExperiment(tile.from + length * tile.bucketNs);
  const fine = { from: begin, bucketNs: (end - begin) / Math.max(1, length), length };
  return resampleMean(tile.load, fine, grid);
}

/** Share of the host's CPUs in use, 0-1; NaN unknown. */
export async function hostLoad(host: HostHistory, grid: Grid): Promise<Float32Array> {
  const cpus = (host.tables?.cpus ?? []).filter((cpu) => cpu.stateAttribute >= 0);
  if (cpus.length === 0) return new Float32Array(grid.length).fill(NaN);
  const load = await loadOf(
    host,
    cpus.map((cpu) => cpu.stateAttribute),
    grid,
  );
  return load.map((used) => used / cpus.length);
}
