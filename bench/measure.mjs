/** What all benches measure with, in Node and beside the browser. */
import { spawnSync } from 'node:child_process';

/** The value below which the share `q` of `values` lies; of an even number the lower of two. */
export function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))];
}

export function median(values) {
  return quantile(values, 0.5);
}

/** ms of wall time in which babeltrace2 reads all events of the trace and throws them away. */
export function babeltraceMs(folder) {
  const begin = performance.now();
  const { status, error } = spawnSync('babeltrace2', ['-o', 'dummy', folder], { stdio: 'ignore' });
  if (status !== 0) throw new Error(`babeltrace2 ${folder}: ${error?.message ?? `exit code ${status}`}`);
  return performance.now() - begin;
}
