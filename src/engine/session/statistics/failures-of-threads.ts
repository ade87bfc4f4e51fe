/**
 * Failed calls of a range that returned before the first switch of their CPU. What counts them (`call-failures.ts`) sees
 * the range alone; the history knows who ran when it began, and in which call.
 */
import { THREAD_OPEN } from '../../kernel/calls/failure-leaf.ts';
import type { CallFailure } from '../../kernel/calls/call-failures.ts';
import type { KernelHost } from '../host-history.ts';

/**
 * Those of known threads.
 * @param from TimeNs of the host; undefined: the trace begins there, and nobody is known
 */
export async function failuresOfThreads(
  host: KernelHost,
  failures: readonly CallFailure[],
  from: number | undefined,
): Promise<readonly CallFailure[]> {
  const told = failures.filter(({ tid }) => tid !== THREAD_OPEN);
  if (from === undefined) return told;
  for (const failure of failures) {
    const caller = failure.tid === THREAD_OPEN ? await callerAt(host, failure.cpu, from) : undefined;
    if (caller !== undefined) told.push({ ...failure, tid: caller.tid, call: failure.call || caller.call });
  }
  return told;
}

/** Who runs on a CPU, and the call that is pending, '' none; undefined: nobody, or nobody knows. */
async function callerAt({ query, tables }: KernelHost, cpu: number, time: number) {
  const row = tables.cpus.find((one) => one.cpu === cpu);
  const current = row && (await query.at(row.threadAttribute, time));
  // Numbered from 1; 0 is nobody known.
  const thread = (current?.value ?? 0) - 1;
  const { tid, callAttribute } = tables.threads;
  if (thread < 0 || tid[thread] === 0) return undefined;
  const call = callAttribute[thread] < 0 ? undefined : await query.at(callAttribute[thread], time);
  return { tid: tid[thread], call: call === undefined ? '' : query.text(call.value) };
}
