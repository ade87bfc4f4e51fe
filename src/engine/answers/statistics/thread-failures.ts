/** Failed calls that what counts them (`call-failures.ts`) cannot give a thread, and whose call it may not know either. */
import type { HostNs } from '../../base/units.ts';
import type { CallFailure } from '../../linux/sums/calls/call-failures.ts';
import type { KernelHost } from '../context/host.ts';
import { whoRan } from './running-thread.ts';

/**
 * Failures of known threads.
 * @param from as in `whoRan`
 */
export async function failuresOfThreads(
  host: KernelHost,
  failures: readonly CallFailure[],
  from: HostNs | undefined,
): Promise<readonly CallFailure[]> {
  const told = failures.filter(({ tid }) => tid >= 0);
  const others = failures.filter(({ tid }) => tid < 0);
  const rows = await whoRan(host, others, from);
  for (const [place, failure] of others.entries()) {
    const tid = rows[place] < 0 ? 0 : host.tables.threads.tid[rows[place]];
    if (tid === 0) continue;
    // A call has ended when it returns.
    const time = failure.time === undefined ? (from ?? NaN) : failure.time - 1;
    told.push({ ...failure, tid, call: failure.call || (await callAt(host, rows[place], time)) });
  }
  return told;
}

/** The call that is pending, '' none. */
async function callAt({ query, tables }: KernelHost, thread: number, time: HostNs): Promise<string> {
  const attribute = tables.threads.callAttribute[thread];
  const call = attribute < 0 ? undefined : await query.at(attribute, time);
  return call === undefined ? '' : query.text(call.value);
}
