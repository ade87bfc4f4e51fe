/** Threads and virtual machines by their names in output. */
import { isKernelHost } from '../engine/answers/context/host.ts';
import { programHosts } from '../engine/answers/rows/program-threads.ts';
import { threadKey } from '../engine/linux/states/reduce/thread-table.ts';
import { UsageError, type Options } from './options.ts';
import type { TraceSession } from './trace-session.ts';
import { machinesFor, type GuestChoice } from '../engine/graph/guests.ts';

export interface NamedThread {
  /** Id of the row, as a session has it. */
  readonly row: string;
  /** Name of the thread in output: `1234#2`, with several hosts `HOST:1234#2`. */
  readonly worker: string;
  /** Name that the program gave it. */
  readonly name: string;
}

/**
 * Finds a thread by its name in output, or, where only one host has it, by its key there.
 * @throws UsageError where there is none, or several, or it is the idle thread of a CPU, which does and waits for nothing
 */
export function threadNamed({ hosts }: TraceSession, wanted: string): NamedThread {
  const { isIdle, ...found } = onlyOne(kernelThreads(hosts, wanted), wanted);
  if (isIdle)
    throw new UsageError(`thread ${wanted}: an idle thread has no profile, and no waits that have a cause`);
  return found;
}

/** The same, where no kernel was recorded among the threads that events tell of. */
export async function threadNamedAnywhere(session: TraceSession, wanted: string): Promise<NamedThread> {
  if (session.hosts.some(isKernelHost)) return threadNamed(session, wanted);
  const programs = await programHosts(session.trace);
  const found = programs.flatMap(({ index, threads, rowId }) =>
    Array.from(threads.tid, (tid, row): NamedThread => {
      const { prefix } = session.hosts[index];
      return { row: rowId(row), worker: prefix + String(tid), name: threads.name[row] };
    }),
  );
  return onlyOne(
    found.filter(({ worker }) => worker === wanted || worker.endsWith(`:${wanted}`)),
    wanted,
  );
}

function kernelThreads(hosts: TraceSession['hosts'], wanted: string) {
  const found: (NamedThread & { readonly isIdle: boolean })[] = [];
  for (const host of hosts) {
    if (!isKernelHost(host)) continue;
    const { threads } = host.tables;
    for (let row = 0; row < threads.length; row++) {
      const key = threadKey(threads, row);
      const worker = host.prefix + key;
      if (worker === wanted || worker.endsWith(`:${wanted}`))
        found.push({
          ...{ row: `thread:${host.index}:${key}`, worker, name: threads.name[row] },
          isIdle: threads.idleCpu[row] >= 0,
        });
    }
  }
  return found;
}

function onlyOne<Found extends NamedThread>(found: readonly Found[], wanted: string): Found {
  if (found.length === 1) return found[0];
  throw new UsageError(
    found.length === 0
      ? `there is no thread ${wanted}`
      : `thread ${wanted}: one of ${found.map(({ worker }) => worker).join(', ')} is expected`,
  );
}

/** Virtual machine that each host of `--guest` is. @throws UsageError for what is no host, or no machine of it */
export function guestChoices({ experiment, trace }: TraceSession, { guests }: Options): GuestChoice[] {
  const hostNamed = (wanted: string): number => {
    const found = experiment.hosts.find(({ name }) => name === wanted);
    if (found === undefined) throw new UsageError(`--guest: no host is called "${wanted}"`);
    return found.index;
  };
  return Array.from(guests, ([name, machine]): GuestChoice => {
    const guest = hostNamed(name);
    if (machine === undefined) return { guest, machine };
    const host = hostNamed(machine.host);
    const known = machinesFor(guest, trace.hosts.filter(isKernelHost));
    if (known.some((each) => each.host === host && each.pid === machine.pid))
      return { guest, machine: { host, pid: machine.pid } };
    throw new UsageError(
      `--guest: process ${machine.pid} of host ${machine.host} is not known to be a virtual machine`,
    );
  });
}
