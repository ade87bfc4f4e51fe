/** Hosts that are virtual machines of others: those with the same CPUs as a machine, or those the user names. */
import type { StateTables } from '../linux/states/reduce/kernel-tables.ts';

/** A virtual machine: its host and its process there. */
export interface MachineId {
  readonly host: number;
  readonly pid: number;
}

/** The user's choice for a host: the machine that it is; undefined: none. */
export interface GuestChoice {
  readonly guest: number;
  readonly machine: MachineId | undefined;
}

export interface HostedMachine extends VirtualMachine, MachineId {}

/** A host that may be a virtual machine. */
export interface Guest {
  readonly guest: number;
  /** The machine that it is; undefined: none, or not known which. */
  readonly machine: HostedMachine | undefined;
  readonly isGiven: boolean;
  /** Machines of other hosts with the same CPUs that no other guest was said to be. */
  readonly alike: readonly HostedMachine[];
}

/** Hosts by their index in the experiment. */
type TracedHost = { readonly index: number; readonly tables: StateTables };

/** Machines that other hosts than `guest` run. */
export function machinesFor(guest: number, hosts: readonly TracedHost[]): HostedMachine[] {
  return hosts
    .filter(({ index }) => index !== guest)
    .flatMap(({ index, tables }) => virtualMachines(tables).map((machine) => ({ ...machine, host: index })));
}

/**
 * Matches hosts and machines with the same CPUs, if neither matches another one; hosts that run machines themselves
 * only match by the user's choice.
 */
export function findGuests(hosts: readonly TracedHost[], choices: readonly GuestChoice[] = []): Guest[] {
  const choiceOf = (host: number) => choices.find(({ guest }) => guest === host);
  const isGiven = (machine: MachineId): boolean =>
    choices.some(({ machine: given }) => given !== undefined && isSame(given, machine));
  const alike = hosts.map(({ index, tables }) =>
    choiceOf(index) !== undefined || virtualMachines(tables).length > 0
      ? []
      : machinesFor(index, hosts).filter((machine) => hasCpus(machine, tables) && !isGiven(machine)),
  );
  return hosts.flatMap(({ index }, i): Guest[] => {
    const choice = choiceOf(index);
    if (choice !== undefined) {
      const machine = machinesFor(index, hosts).find(
        (each) => choice.machine && isSame(each, choice.machine),
      );
      return [{ guest: index, machine, isGiven: true, alike: [] }];
    }
    if (alike[i].length === 0) return [];
    const [machine] = alike[i];
    const isOnly = alike.flat().filter((each) => isSame(each, machine)).length === 1;
    const isCertain = alike[i].length === 1 && isOnly;
    return [{ guest: index, machine: isCertain ? machine : undefined, isGiven: false, alike: alike[i] }];
  });
}

function isSame(a: MachineId, b: MachineId): boolean {
  return a.host === b.host && a.pid === b.pid;
}

/** Whether the machine's CPUs are those of which a host has events. */
function hasCpus({ threads }: VirtualMachine, { cpus }: StateTables): boolean {
  return cpus.length === threads.size && cpus.every(({ cpu }) => threads.has(cpu));
}

/** A virtual machine of a host. KVM has a thread for each of its CPUs, and tells which whenever the thread enters the guest. */
interface VirtualMachine {
  readonly pid: number;
  /** Name of its process; '' if not known. */
  readonly name: string;
  /** Row of the thread that is each CPU, by the CPU's number; the last one, if several were. */
  readonly threads: ReadonlyMap<number, number>;
}

/** Virtual machines in order of their pids. Threads without a known process belong to none. */
function virtualMachines({ threads }: StateTables): VirtualMachine[] {
  const byPid = new Map<number, Map<number, number>>();
  for (let row = 0; row < threads.length; row++) {
    const pid = threads.pid[row];
    if (threads.vcpu[row] < 0 || pid < 0) continue;
    const known = byPid.get(pid) ?? new Map<number, number>();
    byPid.set(pid, known.set(threads.vcpu[row], row));
  }
  return Array.from(byPid, ([pid, cpus]) => {
    return { pid, name: threads.name[threads.tid.lastIndexOf(pid)] ?? '', threads: cpus };
  }).sort((a, b) => a.pid - b.pid);
}
