import type { HostInfo } from '../protocol/session.ts';
import type { StatisticName } from '../protocol/statistics.ts';

/** A virtual machine in words, the same on the page and on the command line: "process 1234 (qemu-system-x86)". */
export function machineText({ pid, name }: { readonly pid: number; readonly name: string }): string {
  return name === '' ? `process ${pid}` : `process ${pid} (${name})`;
}

/** Sentences on whose events a statistic, or states, count, of hosts that several recorders saw. */
export function countedSentences(
  hosts: readonly Pick<HostInfo, 'name' | 'counted'>[],
  what: StatisticName | 'states',
): string[] {
  return hosts.flatMap(({ name, counted }) => {
    const [first, ...others] = counted?.[what] ?? [];
    if (first === undefined) return [];
    const more = `; of ${others.join(' and ')} those of kinds and times that ${first} did not record`;
    const of = hosts.length > 1 ? ` for ${name}` : '';
    return [`The events of ${first} count${of}${others.length > 0 ? more : ''}.`];
  });
}
