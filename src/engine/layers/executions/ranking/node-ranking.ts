/**
 * Ranking of the calling contexts that explain that group B takes longer than group A. Each ns of the difference is
 * explained once: a context that was chosen is taken out of those around it before the next one is looked for.
 */
import { append } from '../../../base/append.ts';
import { compareCodePoints } from '../../../base/compare-text.ts';
import type { EcctTable, FrameTree } from '../union-tree.ts';
import { type Contrast, contrastOf, countWith, roundedTimes, roundNs, roundShare } from './contrast.ts';
import type { Groups } from './groups.ts';

export interface RankedNode extends Contrast {
  /** Node of the tree. */
  readonly node: number;
  /** Share of the whole difference. */
  readonly share: number;
  /** Executions of the groups that have time there. */
  readonly inA: number;
  readonly inB: number;
  /** Executions of B that this node explains and no node before it. */
  readonly explains: readonly number[];
}

export interface NodeRanking {
  readonly nodes: readonly RankedNode[];
  /** Executions of B that no node explains. */
  readonly unexplained: readonly number[];
}

/** The rest of the difference that is not looked into any more. */
const SMALL_REST = 0.05;
const MOST_NODES = 20;

/**
 * `difference` of a node is what of the whole difference it explains; means and effect are of all time below it.
 * @param durations ns, by number of the execution
 */
export function rankNodes(
  tree: FrameTree,
  eccts: EcctTable,
  durations: Float64Array,
  groups: Groups,
): NodeRanking {
  const total = contrastOf(durations, groups);
  if (total === undefined) return { nodes: [], unexplained: [] };
  const inTime = new Float64Array(durations.length);
  const excess = durations.map((duration) => duration - total.meanA);
  const open = new Set(groups.b);
  const nodes = explainingNodes(tree, eccts, groups, total.difference).map(({ node, left }): RankedNode => {
    timesWithin(tree, eccts, node, inTime);
    const contrast = contrastOf(inTime, groups) ?? total;
    const explains = [...open].filter((number) => 2 * (inTime[number] - contrast.meanA) >= excess[number]);
    for (const number of explains) open.delete(number);
    return {
      node,
      ...roundedTimes(contrast),
      difference: roundNs(left),
      share: roundShare(left / total.difference),
      inA: countWith(inTime, groups.a),
      inB: countWith(inTime, groups.b),
      explains,
    };
  });
  return { nodes, unexplained: [...open] };
}

/** @param difference ns of the mean durations */
function explainingNodes(
  tree: FrameTree,
  eccts: EcctTable,
  groups: Groups,
  difference: number,
): { readonly node: number; readonly left: number }[] {
  const left = inclusiveDifferences(tree, eccts, groups);
  const children = childrenOf(tree);
  const found: { node: number; left: number }[] = [];
  if (!(difference > 0)) return found;
  left[0] = difference;
  while (left[0] >= SMALL_REST * difference && found.length < MOST_NODES) {
    const node = deepestMajority(tree, children, left);
    if (node === 0) break;
    const own = left[node];
    found.push({ node, left: own });
    for (let at = node; at >= 0; at = tree.parent[at]) left[at] -= own;
    takeOut(children, left, node);
  }
  return found;
}

/** Difference of the mean times with everything below by node, ns. */
function inclusiveDifferences(tree: FrameTree, eccts: EcctTable, { a, b }: Groups): Float64Array {
  const ofA = inclusiveMeans(tree, eccts, a);
  return inclusiveMeans(tree, eccts, b).map((mean, node) => mean - ofA[node]);
}

function inclusiveMeans({ parent }: FrameTree, eccts: EcctTable, group: Int32Array): Float64Array {
  const sums = new Float64Array(parent.length);
  const { start, nodes, ns } = eccts;
  for (const number of group) {
    for (let i = start[number]; i < start[number + 1]; i++) sums[nodes[i]] += ns[i];
  }
  // Children come after their parents.
  for (let node = sums.length - 1; node > 0; node--) sums[parent[node]] += sums[node];
  return sums.map((sum) => sum / group.length);
}

function childrenOf({ parent }: FrameTree): number[][] {
  const children = Array.from(parent, (): number[] => []);
  for (let node = 1; node < parent.length; node++) children[parent[node]].push(node);
  return children;
}

/** Node reached from the root by the child with most of what is left, while that is more than half of its parent's. */
function deepestMajority(tree: FrameTree, children: readonly number[][], left: Float64Array): number {
  for (let node = 0; ;) {
    const [first, ...others] = children[node];
    if (first === undefined) return node;
    const most = others.reduce((best, child) => (isBefore(tree, left, child, best) ? child : best), first);
    if (!(2 * left[most] > left[node])) return node;
    node = most;
  }
}

function isBefore({ frames, frame }: FrameTree, left: Float64Array, a: number, b: number): boolean {
  if (left[a] !== left[b]) return left[a] > left[b];
  return compareCodePoints(frames[frame[a]], frames[frame[b]]) < 0;
}

/** Takes out what is left at a node and below it. */
function takeOut(children: readonly number[][], left: Float64Array, node: number): void {
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    left[at] = 0;
    append(open, children[at]);
  }
}

/** Fills `times` with the ns that each execution spent at a node and below it. */
function timesWithin(tree: FrameTree, eccts: EcctTable, node: number, times: Float64Array): void {
  const isWithin = new Uint8Array(tree.parent.length);
  isWithin[node] = 1;
  for (let at = node + 1; at < isWithin.length; at++) isWithin[at] = isWithin[tree.parent[at]];
  const { start, nodes, ns } = eccts;
  for (let number = 0; number < times.length; number++) {
    let sum = 0;
    for (let i = start[number]; i < start[number + 1]; i++) if (isWithin[nodes[i]] === 1) sum += ns[i];
    times[number] = sum;
  }
}
