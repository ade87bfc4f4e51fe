import type { HostInfo } from '../protocol/session.ts';
import type { EventKind } from '../trace/event-kinds.ts';

/** A virtual machine in words, on the page and on the command line: "process 1234 (qemu-system-x86)". */
export function machineText({ pid, name }: { readonly pid: number; readonly name: string }): string {
  return name === '' ? `process ${pid}` : `process ${pid} (${name})`;
}

/** Events that states of threads follow from. */
export const STATE_KINDS: readonly EventKind[] = ['switch'];

/** Sentences on which recorder's events of some kinds count (of all kinds if none is given), on hosts with several. */
export function countedSentences(
  hosts: readonly Pick<HostInfo, 'name' | 'counted'>[],
  kinds: readonly EventKind[],
): string[] {
  return hosts.flatMap(({ name, counted = [] }) => {
    const counting = counted.filter(
      (recorder) => kinds.length === 0 || kinds.some((kind) => recorder.kinds.includes(kind)),
    );
    const [first, ...others] = new Set(counting.map((recorder) => recorder.name));
    if (first === undefined) return [];
    const more = `; of ${others.join(' and ')} those of kinds and times that ${first} did not record`;
    const of = hosts.length > 1 ? ` for ${name}` : '';
    return [`The events of ${first} count${of}${others.length > 0 ? more : ''}.`];
  });
}
