/** `--guest GUEST=HOST:PID`: which virtual machine a host is. */
import { machinesFor, type GuestChoice } from '../engine/graph/guests.ts';
import { isKernelHost } from '../engine/answers/context/host.ts';
import { UsageError, type Options } from './options.ts';
import type { TraceSession } from './trace-session.ts';

/** @throws UsageError for what is no host, or no machine of it */
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
