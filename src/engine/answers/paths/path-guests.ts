/** Virtual machines on a path: which thread of which host each of their CPUs is, and why that is not known. */
import { findGuests, type Guest, type GuestChoice } from '../../graph/guests.ts';
import { RUNNING } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import type { VirtualCpus } from '../../graph/virtual-cpus.ts';
import { areSynchronised } from '../../sync/host-clocks.ts';
import type { PathGraph } from './path-finder.ts';

/** The virtual CPUs of the hosts of a graph whose clock is known beside that of their host. */
export function virtualCpusOf(known: PathGraph, choices: readonly GuestChoice[] = []): VirtualCpus {
  const { graph, hosts, clock } = known;
  const placeOf = (host: number): number => hosts.findIndex(({ index }) => index === host);
  const found = new Map<number, Map<number, number>>();
  for (const { guest, machine } of findGuests(hosts, choices)) {
    if (machine === undefined || !areSynchronised(clock, guest, machine.host)) continue;
    const threads = Array.from(machine.threads, ([cpu, row]): [number, number] => {
      return [cpu, graph.workerOfThread(placeOf(machine.host), row)];
    });
    found.set(placeOf(guest), new Map(threads));
  }
  return found;
}

export interface GuestOnPath extends Guest {
  /** Its clock is known beside that of its host: so is what that took from its running time. */
  readonly isSynchronised: boolean;
}

/** Hosts with running time on a path that may be virtual machines. */
export function guestsOnPath(
  { graph, hosts, clock }: PathGraph,
  { segments: s }: Path,
  choices: readonly GuestChoice[] = [],
): GuestOnPath[] {
  const running = new Set<number>();
  for (let i = 0; i < s.length; i++)
    if (s.label[i] === RUNNING) running.add(hosts[graph.place(s.worker[i]).host].index);
  return findGuests(hosts, choices)
    .filter(({ guest }) => running.has(guest))
    .map((guest) => {
      const { machine } = guest;
      const isSynchronised = machine !== undefined && areSynchronised(clock, guest.guest, machine.host);
      return { ...guest, isSynchronised };
    });
}
