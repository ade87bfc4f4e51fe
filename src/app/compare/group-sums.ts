/**
 * Sums over the executions of a group, by node of a tree with everything below it. As a group changes, only executions that
 * came or left are gone through. Pure.
 */
import type { OffCpuTimes } from '../../engine/protocol/profile.ts';
import type { FrameTree } from '../widgets/flame/call-trees.ts';

/** Precision of a difference of squares, as a share of the squares. */
const ROUNDING = 1e-9;

export class GroupSums {
  /** Sums of the executions' times, by node; ns, exact. */
  readonly ns: Float64Array;
  /** Sums of the squares of these times, by node. */
  readonly squares: Float64Array;
  readonly #answer: OffCpuTimes;
  readonly #tree: FrameTree;
  readonly #isMember: Uint8Array;
  #members: Int32Array = new Int32Array();
  /** ns of one execution by node, and the nodes that have any. */
  readonly #times: Float64Array;
  readonly #touched: Int32Array;

  /** @param answer all executions, or only their blocked time */
  constructor(answer: OffCpuTimes, tree: FrameTree) {
    const nodes = tree.parent.length;
    this.#answer = answer;
    this.#tree = tree;
    this.#isMember = new Uint8Array(answer.length);
    this.ns = new Float64Array(nodes);
    this.squares = new Float64Array(nodes);
    this.#times = new Float64Array(nodes);
    this.#touched = new Int32Array(nodes);
  }

  get count(): number {
    return this.#members.length;
  }

  /** ns. */
  mean(node: number): number {
    return this.count === 0 ? 0 : this.ns[node] / this.count;
  }

  /** Sum of the squares of distances to the mean. Where rounding leaves nothing of it, none. */
  deviation(node: number): number {
    const sum = this.squares[node] - this.mean(node) * this.ns[node];
    return sum < ROUNDING * this.squares[node] ? 0 : sum;
  }

  /** @param members numbers of executions, ascending */
  set(members: Int32Array): void {
    if (members === this.#members) return;
    const before = this.#members;
    const isMember = this.#isMember;
    this.#members = members;
    // What is left over at the end has left, what is new among the members has come.
    const STAYS = 2;
    let came = 0;
    for (const i of members) {
      if (isMember[i] === 0) came++;
      else isMember[i] = STAYS;
    }
    const left = before.length - (members.length - came);
    // Anew where that is less work, which also ends errors of rounding that differences of squares leave.
    const isAnew = came + left >= members.length;
    if (isAnew) {
      this.ns.fill(0);
      this.squares.fill(0);
    }
    for (const i of before) {
      if (!isAnew && isMember[i] !== STAYS) this.#add(i, -1);
      if (isMember[i] !== STAYS) isMember[i] = 0;
    }
    for (const i of members) {
      if (isAnew || isMember[i] === 0) this.#add(i, 1);
      isMember[i] = 1;
    }
  }

  #add(execution: number, sign: 1 | -1): void {
    const { start, nodes, ns } = this.#answer;
    const { parent, place } = this.#tree;
    const times = this.#times;
    const touched = this.#touched;
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
      this.ns[node] += sign * time;
      this.squares[node] += sign * time * time;
      times[node] = 0;
    }
  }
}

/** How far the means of a node differ, B from A, in pooled standard deviations; NaN: neither group varies. */
export function effectAt(a: GroupSums, b: GroupSums, node: number): number {
  const variance = (a.deviation(node) + b.deviation(node)) / (a.count + b.count - 2);
  return variance > 0 ? (b.mean(node) - a.mean(node)) / Math.sqrt(variance) : NaN;
}
