/**
 * Virtual machines that a host runs. KVM makes a process of each and a thread of each of its CPUs, and says which CPU a
 * thread is whenever that enters the guest.
 */
import type { StateTables } from './kernel-tables.ts';

export interface VirtualMachine {
  readonly pid: number;
  /** Name of its process; '' where that is not known. */
  readonly name: string;
  /** Row of the thread that is each CPU, by the CPU's number. Of several that were the same one, the last. */
  readonly threads: ReadonlyMap<number, number>;
}

/** Virtual machines in order of their pids. A thread whose process was not known belongs to none. */
export function virtualMachines({ threads }: StateTables): VirtualMachine[] {
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
