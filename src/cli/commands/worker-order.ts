/** Names of workers, and the order in which threads are listed: by tid, then by life; idle threads by CPU. */
import type { ThreadRows } from '../../engine/kernel/reduce/kernel-tables.ts';
import type { NamedHost } from '../trace-session.ts';

/** Rows of the table in the order in which they are listed. */
export function inWorkerOrder({ length, tid, incarnation, idleCpu }: ThreadRows): number[] {
  return Array.from({ length }, (_, i) => i).sort(
    (a, b) => tid[a] - tid[b] || incarnation[a] - incarnation[b] || idleCpu[a] - idleCpu[b],
  );
}

/**
 * A thread by its name in output.
 * @param row its id as a session tells it: `thread:HOST:KEY`
 * @param several whether there are other hosts, so that its own is told
 */
export function workerOf(row: string, several: boolean, hosts: readonly NamedHost[]): string {
  const [, index, key] = row.split(':');
  const name = hosts.find((host) => host.index === Number(index))?.name ?? '';
  return several ? `${name}:${key}` : key;
}
