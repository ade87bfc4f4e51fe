/** Virtual machines among the hosts, as the page gets them. */
import { findGuests, type GuestChoice, type HostedMachine, machinesFor } from '../../graph/guests.ts';
import { areSynchronised, type ExperimentClock } from '../../sync/host-clocks.ts';
import type { KernelHost } from '../context/host.ts';
import type { GuestInfo, MachineInfo } from '../../protocol/sync.ts';

/** Guests, hosts beside which another one runs a machine, in their order. */
export function guestInfos(
  hosts: readonly KernelHost[],
  clock: ExperimentClock,
  choices?: readonly GuestChoice[],
): GuestInfo[] {
  const found = findGuests(hosts, choices);
  return hosts.flatMap(({ index }): GuestInfo[] => {
    const machines = machinesFor(index, hosts).map(machineInfo);
    if (machines.length === 0) return [];
    const { machine, isGiven = false } = found.find(({ guest }) => guest === index) ?? {};
    return [
      {
        guest: index,
        machine: machine && machineInfo(machine),
        isGiven,
        machines,
        isSynchronised: machine !== undefined && areSynchronised(clock, index, machine.host),
      },
    ];
  });
}

function machineInfo({ host, pid, name, threads }: HostedMachine): MachineInfo {
  return { host, pid, name, cpus: threads.size };
}
