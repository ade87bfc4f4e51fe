/** The order in which threads are listed: by tid, then by life; idle threads by CPU. */
import type { ThreadRows } from '../../engine/kernel/kernel-tables.ts';

export function inWorkerOrder({ length, tid, incarnation, idleCpu }: ThreadRows): number[] {
  return Array.from({ length }, (_, i) => i).sort(
    (a, b) => tid[a] - tid[b] || incarnation[a] - incarnation[b] || idleCpu[a] - idleCpu[b],
  );
}
