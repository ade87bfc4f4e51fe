/** CPU time of single threads (Linux): what other programs do beside a bench is not in it, as it is in wall time. */
import { readFileSync } from 'node:fs';

/** ms of CPU that the calling thread has used so far. */
export function threadMs(): number {
  const [ns] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(ns) / 1e6;
}
