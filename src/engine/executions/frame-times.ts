/** Time by frame, wherever it stands: the table beside a flame graph. */
import { compareText } from '../base/compare-text.ts';
import type { Ecct, UnionTree } from './union-tree.ts';

export interface FrameTime {
  readonly name: string;
  /** ns in which it was the innermost frame. */
  self: number;
  /** ns in which it was on the stack, once for each stack. */
  total: number;
}

/** @returns by total, then by self, most first, then by name */
export function frameTimes({ frames, frame, parent }: UnionTree, { nodes, ns }: Ecct): FrameTime[] {
  const times = new Map<number, FrameTime>();
  nodes.forEach((node, i) => {
    const onStack = new Set<number>();
    for (let at = node; at > 0; at = parent[at]) onStack.add(frame[at]);
    for (const each of onStack) {
      const time = times.get(each) ?? { name: frames[each], self: 0, total: 0 };
      times.set(each, time);
      time.total += ns[i];
      if (each === frame[node]) time.self += ns[i];
    }
  });
  return [...times.values()].sort(
    (a, b) => b.total - a.total || b.self - a.self || compareText(a.name, b.name),
  );
}
