/**
 * Sums of the executions of a group, by node of a tree with everything below it. When the group changes, only executions
 * that were added or removed are visited. Pure.
 */
import type { OffCpuTimes } from '../../engine/protocol/profile.ts';
import type { FrameTree } from '../widgets/flame/call-trees.ts';

/** Precision of a difference of squares, as a share of the squares. */
const ROUNDING = 1e-9;

export type GroupSums = ReturnType<typeof createGroupSums>;

/** @param answer all executions, or only their blocked time */
export function createGroupSums({ length, start, nodes, ns }: OffCpuTimes, { parent, place }: FrameTree) {
  /** Sums of the executions' times, by node; ns, exact. */
  const sums = new Float64Array(parent.length);
  /** Sums of the squares of these times, by node. */
  const squares = new Float64Array(parent.length);
  const isMember = new Uint8Array(length);
  let members: Int32Array = new Int32Array();
  /** ns of one execution by node, and the nodes that have any. */
  const times = new Float64Array(parent.length);
  const touched = new Int32Array(parent.length);

  const add = (execution: number, sign: 1 | -1): void => {
    let count = 0;
    for (let i = start[execution]; i < start[execution + 1]; i++) {
      if (ns[i] === 0) continue;
      for (let node = place[nodes[i]]; node >= 0; node = parent[node]) {
        if (times[node] === 0) touched[count++] = node;
        times[node] += ns[i];
      }
    }
    for (let i = 0; i < count; i++) {
      const node = touched[i];
      const time = times[node];
      sums[node] += sign * time;
      squares[node] += sign * time * time;
      times[node] = 0;
    }
  };
  const count = (): number => members.length;
  /** ns. */
  const mean = (node: number): number => (members.length === 0 ? 0 : sums[node] / members.length);
  return {
    count,
    mean,
    /** Sum of the squares of distances to the mean; 0 if it is no more than rounding. */
    deviation: (node: number): number => {
      const sum = squares[node] - mean(node) * sums[node];
      return sum < ROUNDING * squares[node] ? 0 : sum;
    },
    /** @param now numbers of executions, ascending */
    set: (now: Int32Array): void => {
      if (now === members) return;
      const before = members;
      members = now;
      // Old members whose mark is not set in this pass have been removed.
      const STAYS = 2;
      let added = 0;
      for (const i of now) {
        if (isMember[i] === 0) added++;
        else isMember[i] = STAYS;
      }
      const removed = before.length - (now.length - added);
      // Computed from scratch where that is less work, which also removes rounding errors of the differences of squares.
      const fromScratch = added + removed >= now.length;
      if (fromScratch) {
        sums.fill(0);
        squares.fill(0);
      }
      for (const i of before) {
        if (!fromScratch && isMember[i] !== STAYS) add(i, -1);
        if (isMember[i] !== STAYS) isMember[i] = 0;
      }
      for (const i of now) {
        if (fromScratch || isMember[i] === 0) add(i, 1);
        isMember[i] = 1;
      }
    },
  };
}

/** How far the means of a node differ, B from A, in pooled standard deviations; NaN: neither group varies. */
export function effectAt(a: GroupSums, b: GroupSums, node: number): number {
  const variance = (a.deviation(node) + b.deviation(node)) / (a.count() + b.count() - 2);
  return variance > 0 ? (b.mean(node) - a.mean(node)) / Math.sqrt(variance) : NaN;
}
