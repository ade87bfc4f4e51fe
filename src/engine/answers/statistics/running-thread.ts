/**
 * Threads that ran where counts of events by thread cannot name them. Those see the range alone: before the first switch of a CPU,
 * the history knows who ran when the range began. In streams without switches it knows that for each event.
 */
import type { HostNs } from '../../base/units.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_OPEN } from '../../linux/events/unknown-thread.ts';
import type { KernelHost } from '../context/host.ts';
import { type RunningThreads, runningThreads } from './running-threads.ts';

/** Count of a thread. */
export interface OfThread {
  /** The tid, or THREAD_OPEN: who ran on `cpu` in the beginning, or THREAD_ELSEWHERE: who ran at `time`. */
  readonly tid: number;
  readonly cpu: number;
  readonly time?: HostNs;
}

/**
 * Row of the thread of each that is open or elsewhere, by place in `counted`; negative: not known.
 * @param from undefined: the trace begins there, and nobody is known
 */
export async function runningThread(
  host: KernelHost,
  counted: readonly OfThread[],
  from: HostNs | undefined,
): Promise<Int32Array> {
  const rows = new Int32Array(counted.length).fill(THREAD_LOST);
  const running = await runningAt(
    host,
    counted.filter(({ tid }) => tid === THREAD_ELSEWHERE),
  );
  const inBeginning = new Map<number, number>();
  for (const [place, { tid, cpu, time = NaN }] of counted.entries()) {
    if (tid === THREAD_ELSEWHERE) rows[place] = running.at(cpu, time);
    if (tid !== THREAD_OPEN || from === undefined) continue;
    const thread = inBeginning.get(cpu) ?? (await threadAt(host, cpu, from));
    inBeginning.set(cpu, thread);
    rows[place] = thread;
  }
  return rows;
}

/** Row of the thread that runs on a CPU, negative: not known. */
async function threadAt({ query, tables }: KernelHost, cpu: number, time: HostNs): Promise<number> {
  const row = tables.cpus.find((one) => one.cpu === cpu);
  const current = row && (await query.at(row.threadAttribute, time));
  // Numbered from 1; 0 is nobody known.
  return (current?.value ?? 0) - 1;
}

/** Threads that ran at these times. */
function runningAt(host: KernelHost, counted: readonly OfThread[]): Promise<RunningThreads> {
  let [from, to] = [Infinity, -Infinity];
  for (const { time = NaN } of counted) {
    from = Math.min(from, time);
    to = Math.max(to, time + 1);
  }
  return runningThreads(host, new Set(counted.map(({ cpu }) => cpu)), from, to);
}
