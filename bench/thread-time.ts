/** CPU time of threads (Linux): what other programs do beside a bench is not in it, as it is in wall time. */
import { openSync, readSync } from 'node:fs';

const bytes = new Uint8Array(128);
/** Of the calling thread; kept open, since opening it takes longer than what is measured by it. */
let file: number | undefined;

/** ms of CPU that the calling thread has used so far. */
export function threadMs(): number {
  file ??= openSync('/proc/thread-self/schedstat', 'r');
  const length = readSync(file, bytes, 0, bytes.length, 0);
  const [ns] = new TextDecoder().decode(bytes.subarray(0, length)).split(' ');
  return Number(ns) / 1e6;
}

/** ms of CPU that all threads of this process have used so far. */
export function processMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
