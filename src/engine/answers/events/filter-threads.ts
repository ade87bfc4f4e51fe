/** Where the threads ran that a filter means, by the kernel's traces. */
import type { HostThreads } from '../../events/filter/resolved.ts';
import type { WantedThreads } from '../../events/filter/resolve.ts';
import type { HostNs } from '../../base/units.ts';
import { processesOf } from '../rows/process-threads.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';

/**
 * Threads that a filter means, by host; null: it has no kernel trace.
 * @param isNested whether a host has threads in pid namespaces
 */
export async function filterThreads(
  hosts: readonly HostHistory[],
  wanted: WantedThreads,
  isNested: (host: number) => boolean,
): Promise<(HostThreads | null)[]> {
  const found: (HostThreads | null)[] = [];
  for (const host of hosts)
    found[host.index] = isKernelHost(host) ? await threadsOfHost(host, wanted, isNested(host.index)) : null;
  return found;
}

async function threadsOfHost(
  { tables, query }: KernelHost,
  { by, isWanted }: WantedThreads,
  isNested: boolean,
): Promise<HostThreads> {
  const { threads, cpus, end } = tables;
  const processes = processesOf(threads);
  const valueOf = {
    tid: (row: number) => threads.tid[row],
    pid: (row: number) => threads.pid[row],
    thread: (row: number) => threads.name[row],
    process: (row: number) => threads.name[processes[row]],
  }[by];
  const rows = new Uint8Array(threads.length);
  const lives: [number, HostNs, HostNs][] = [];
  for (let row = 0; row < threads.length; row++) {
    if (!isWanted(valueOf(row))) continue;
    rows[row] = 1;
    lives.push([threads.tid[row], threads.first[row], threads.last[row]]);
  }
  const times = cpus.map((): HostNs[] => []);
  const attributes = cpus.map(({ threadAttribute }) => threadAttribute);
  // Values are rows of threads from 1 on; 0 is nobody known.
  await query.scan(attributes, -Infinity, end + 1, (cpu, { begin, end: until, value }) => {
    if (value === 0 || rows[value - 1] === 0) return;
    const of = times[cpu];
    if (of.length > 0 && of[of.length - 1] === begin) of[of.length - 1] = until;
    else of.push(begin, until);
  });
  return { lives, isNested, cpus: cpus.map(({ cpu }, at) => ({ cpu, times: times[at] })) };
}
