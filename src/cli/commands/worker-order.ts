/** Names of workers, and the order in which threads are listed: by tid, then by life; idle threads by CPU. */
import type { ThreadRows } from '../../engine/kernel/reduce/kernel-tables.ts';
import type { NamedHost } from '../trace-session.ts';

export function inWorkerOrder({ length, tid, incarnation, idleCpu }: ThreadRows): number[] {
  return Array.from({ length }, (_, i) => i).sort(
    (a, b) => tid[a] - tid[b] || incarnation[a] - incarnation[b] || idleCpu[a] - idleCpu[b],
  );
}

/** Row ids of threads are `thread:HOST:KEY`. `several`: workers of several hosts are told apart. */
export function workerOf(row: string, several: boolean, hosts: readonly NamedHost[]): string {
  const [, index, key] = row.split(':');
  const name = hosts.find((host) => host.index === Number(index))?.name ?? '';
  return several ? `${name}:${key}` : key;
}
