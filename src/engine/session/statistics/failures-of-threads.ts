/**
 * Failed calls that what counts them (`call-failures.ts`) cannot give a thread. It sees the range alone: of what returned
 * before the first switch of the CPU, the history knows who ran when the range began, and in which call. Of a stream
 * without switches it knows that for each return.
 */
import type { HostNs } from '../../base/units.ts';
import type { CallFailure } from '../../linux/calls/call-failures.ts';
import type { KernelHost } from '../host-history.ts';
import { type RunningThreads, runningThreads } from './running-threads.ts';
import { THREAD_ELSEWHERE, THREAD_OPEN } from '../../linux/unknown-thread.ts';

/**
 * Those of known threads.
 * @param from undefined: the trace begins there, and nobody is known
 */
export async function failuresOfThreads(
  host: KernelHost,
  failures: readonly CallFailure[],
  from: HostNs | undefined,
): Promise<readonly CallFailure[]> {
  const told = failures.filter(({ tid }) => tid >= 0);
  const tell = async (failure: CallFailure, thread: number, time: HostNs) => {
    const tid = thread < 0 ? 0 : host.tables.threads.tid[thread];
    if (tid !== 0) told.push({ ...failure, tid, call: failure.call || (await callAt(host, thread, time)) });
  };
  if (from !== undefined) {
    for (const failure of failures.filter(({ tid }) => tid === THREAD_OPEN))
      await tell(failure, await threadAt(host, failure.cpu, from), from);
  }
  const elsewhere = failures.filter(({ tid }) => tid === THREAD_ELSEWHERE);
  const running = await runningAt(host, elsewhere);
  // A call has ended when it returns.
  for (const failure of elsewhere) {
    const { cpu, time = NaN } = failure;
    await tell(failure, running.at(cpu, time), time - 1);
  }
  return told;
}

/** Row of the thread that runs on a CPU, negative: not known. */
async function threadAt({ query, tables }: KernelHost, cpu: number, time: HostNs): Promise<number> {
  const row = tables.cpus.find((one) => one.cpu === cpu);
  const current = row && (await query.at(row.threadAttribute, time));
  // Numbered from 1; 0 is nobody known.
  return (current?.value ?? 0) - 1;
}

/** The call that is pending, '' none. */
async function callAt({ query, tables }: KernelHost, thread: number, time: HostNs): Promise<string> {
  const attribute = tables.threads.callAttribute[thread];
  const call = attribute < 0 ? undefined : await query.at(attribute, time);
  return call === undefined ? '' : query.text(call.value);
}

/** Who ran while these returned. */
function runningAt(host: KernelHost, failures: readonly CallFailure[]): Promise<RunningThreads> {
  let [from, to] = [Infinity, -Infinity];
  for (const { time = NaN } of failures) {
    from = Math.min(from, time);
    to = Math.max(to, time + 1);
  }
  return runningThreads(host, new Set(failures.map(({ cpu }) => cpu)), from, to);
}
