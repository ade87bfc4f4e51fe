/**
 * Ranking of the calling contexts that explain a difference of groups. Each ns counts once, for a chosen context and
 * not for its ancestors.
 */
import { compareCodePoints } from '../../../base/compare.ts';
import { isUnnamedFrame } from '../frames.ts';
import { type EcctTable, framesOf, type FrameTree } from '../union-tree.ts';
import {
  type Contrast,
  contrastOf,
  countWith,
  roundedTimes,
  roundNs,
  roundShare,
  sumOf,
} from './contrast.ts';
import type { Groups } from './groups.ts';
import type { Compared } from './compared.ts';

/** Kind of a cause: its last frame; CPU time in an unnamed stack; CPU time without a known stack; many small things below. */
export type CauseKind = 'frame' | 'cpu' | 'noStacks' | 'spread';

export interface RankedNode extends Contrast {
  /** Frames, outermost first. */
  readonly frames: readonly string[];
  readonly kind: CauseKind;
  /** Frames below the node with most of the difference, and their difference of means, ns: most first. */
  readonly parts: readonly { readonly frames: readonly string[]; readonly ns: number }[];
  /** Share of the whole difference. */
  readonly share: number;
  /** Number of executions of each group with time there. */
  readonly inA: number;
  readonly inB: number;
  /** Executions of B that take longer (if B is shorter: less) because of this node, perhaps with others. */
  readonly explains: readonly number[];
}

export interface NodeRanking {
  readonly nodes: readonly RankedNode[];
  /** Executions of B that take longer (or less) than A on average, of which no set of nodes explains half. */
  readonly unexplained: readonly number[];
}

/** Least part of the difference that is examined: one in so many. */
const SMALL_PART = 20;
const MOST_NODES = 20;

/**
 * Ranks nodes; mean, difference and effect of a node exclude earlier nodes below it (Decisions on executions: nodes,
 * kinds, sets).
 */
export function rankNodes({ tree, eccts, durations, names }: Compared, groups: Groups): NodeRanking {
  const total = contrastOf(durations, groups);
  if (total === undefined || total.difference === 0) return { nodes: [], unexplained: [] };
  const sign = Math.sign(total.difference);
  const search = new Search(tree, eccts, groups, sign, new Set(names));
  const found = search.run().map((node) => {
    const times = timesWithin(tree, eccts, node.node, node.without, durations.length);
    return { ...node, times, contrast: contrastOf(times, groups) ?? total };
  });
  const causes = causesOf(
    durations,
    found.map(({ times }) => times),
    groups,
    sign,
  );
  const nodes = found.map(({ node, kind, parts, times, contrast }, i): RankedNode => ({
    frames: framesOf(tree, node),
    kind,
    parts: parts.map(({ to, left }) => ({
      frames: framesOf(tree, to).slice(framesOf(tree, node).length),
      ns: roundNs((sign * left) / (groups.a.length * groups.b.length)),
    })),
    ...roundedTimes(contrast),
    share: roundShare(contrast.difference / total.difference),
    inA: countWith(times, groups.a),
    inB: countWith(times, groups.b),
    explains: causes.explains[i],
  }));
  return {
    nodes: nodes.filter(({ explains }) => explains.length > 0),
    unexplained: causes.unexplained,
  };
}

interface FoundNode {
  readonly node: number;
  readonly kind: CauseKind;
  /** Children, with most of their unexplained difference. */
  readonly parts: readonly { readonly to: number; readonly left: number }[];
  /** Earlier found nodes below it. */
  readonly without: readonly number[];
}

/** Search for the nodes. All times are multiplied by the sizes of both groups, so that they are whole numbers. */
class Search {
  readonly #tree: FrameTree;
  readonly #groups: Groups;
  readonly #sign: number;
  /** Names of threads at the root. */
  readonly #names: ReadonlySet<string>;
  readonly #children: readonly number[][];
  /** Unexplained difference by node; the whole difference at the root. */
  readonly #left: Float64Array;
  readonly #taken: Uint8Array;
  readonly #inA: Int32Array;
  readonly #inB: Int32Array;

  constructor(tree: FrameTree, eccts: EcctTable, groups: Groups, sign: number, names: ReadonlySet<string>) {
    this.#tree = tree;
    this.#groups = groups;
    this.#sign = sign;
    this.#names = names;
    this.#children = childrenOf(tree);
    const { a, b } = groups;
    const [ofA, ofB] = [inclusiveSums(tree, eccts, a), inclusiveSums(tree, eccts, b)];
    this.#left = ofB.map((sum, node) => sign * (a.length * sum - b.length * ofA[node]));
    this.#taken = new Uint8Array(this.#left.length);
    this.#inA = executionsBelow(tree, eccts, a);
    this.#inB = executionsBelow(tree, eccts, b);
  }

  run(): FoundNode[] {
    const [size] = this.#left;
    const found: FoundNode[] = [];
    while (SMALL_PART * this.#left[0] >= size && found.length < MOST_NODES) {
      const node = this.#walk(size);
      if (node === 0) break;
      const before = found.map((each) => each.node);
      found.push({
        node,
        kind: this.#kind(node),
        parts: this.#parts(node, size),
        without: before.filter((other) => this.#isBelow(other, node)),
      });
      this.#taken[node] = 1;
      const taken = this.#left[node];
      for (let at = node; at >= 0; at = this.#tree.parent[at]) this.#left[at] -= taken;
    }
    return found;
  }

  /** Walks from the root to the cause; the root: there is none. */
  #walk(size: number): number {
    const left = this.#left;
    for (let at = 0; ;) {
      const child = this.#most(at);
      if (child < 0 || SMALL_PART * left[child] < size) return at;
      if (at > 0 && !this.#goesOn(at, child, size)) return at;
      at = child;
    }
  }

  /** Whether the cause is the child rather than its parent. */
  #goesOn(at: number, child: number, size: number): boolean {
    const left = this.#left;
    const isCandidate = this.#isCandidate(at);
    const inSlow = this.#sign > 0 ? this.#inB : this.#inA;
    if (
      2 * left[child] > left[at] &&
      (!isCandidate || 4 * left[child] >= 3 * left[at] || 10 * inSlow[child] >= 9 * inSlow[at])
    )
      return true;
    if (isCandidate) return false;
    const large = this.#open(at).filter((each) => SMALL_PART * left[each] >= size);
    return 2 * large.reduce((sum, each) => sum + left[each], 0) > left[at];
  }

  /** Whether a node can be a cause: it has a name, and most executions do not do it anyway before something else. */
  #isCandidate(node: number): boolean {
    const { frames, frame } = this.#tree;
    if (frames[frame[node]] === 'disk') return true;
    if (!this.#isNamed(node)) return false;
    const { a, b } = this.#groups;
    const isUsual = 2 * this.#inA[node] > a.length && 2 * this.#inB[node] > b.length;
    return !isUsual || this.#isOwn(node);
  }

  /** Whether more than half of a node's unexplained difference is its own. */
  #isOwn(node: number): boolean {
    const below = this.#open(node).reduce((sum, child) => sum + this.#left[child], 0);
    return 2 * (this.#left[node] - below) > this.#left[node];
  }

  #isNamed(node: number): boolean {
    const { frames, frame } = this.#tree;
    return !isUnnamedFrame(frames[frame[node]]) && !this.#isThread(node);
  }

  /** Whether the whole stack is the thread's name. */
  #isThread(node: number): boolean {
    const { frames, frame, parent } = this.#tree;
    return parent[node] === 0 && this.#names.has(frames[frame[node]]);
  }

  #kind(node: number): CauseKind {
    if (!this.#isOwn(node)) return this.#isCandidate(node) ? 'frame' : 'spread';
    if (this.#isNamed(node)) return 'frame';
    return this.#isThread(node) ? 'noStacks' : 'cpu';
  }

  #parts(node: number, size: number): FoundNode['parts'] {
    const left = this.#left;
    return this.#open(node)
      .filter((child) => SMALL_PART * left[child] >= size)
      .sort((a, b) => this.#compare(a, b))
      .map((child) => {
        let to = child;
        for (let next = this.#most(to); next >= 0 && 2 * left[next] > left[to]; next = this.#most(to))
          to = next;
        return { to, left: left[child] };
      });
  }

  /** Children that are not excluded. */
  #open(node: number): number[] {
    return this.#children[node].filter((child) => this.#taken[child] === 0);
  }

  /** The child with most unexplained difference; -1: there is none. */
  #most(node: number): number {
    let most = -1;
    for (const child of this.#children[node])
      if (this.#taken[child] === 0 && (most < 0 || this.#compare(child, most) < 0)) most = child;
    return most;
  }

  /** Compares nodes: more unexplained difference comes first. */
  #compare(a: number, b: number): number {
    const { frames, frame } = this.#tree;
    return this.#left[b] - this.#left[a] || compareCodePoints(frames[frame[a]], frames[frame[b]]);
  }

  #isBelow(node: number, above: number): boolean {
    const { parent } = this.#tree;
    let at = node;
    while (at > above) at = parent[at];
    return at === above;
  }
}

/** Time of a group's executions including everything below, ns by node. */
function inclusiveSums({ parent }: FrameTree, { start, nodes, ns }: EcctTable, group: Int32Array) {
  const sums = new Float64Array(parent.length);
  for (const number of group) {
    for (let i = start[number]; i < start[number + 1]; i++) sums[nodes[i]] += ns[i];
  }
  // Children come after their parents.
  for (let node = sums.length - 1; node > 0; node--) sums[parent[node]] += sums[node];
  return sums;
}

/** Number of a group's executions with time at a node or below, by node. */
function executionsBelow({ parent }: FrameTree, { start, nodes, ns }: EcctTable, group: Int32Array) {
  const counts = new Int32Array(parent.length);
  const last = new Int32Array(parent.length).fill(-1);
  for (const number of group) {
    for (let i = start[number]; i < start[number + 1]; i++) {
      if (ns[i] === 0) continue;
      for (let at = nodes[i]; at >= 0 && last[at] !== number; at = parent[at]) {
        last[at] = number;
        counts[at]++;
      }
    }
  }
  return counts;
}

function childrenOf({ parent }: FrameTree): number[][] {
  const children = Array.from(parent, (): number[] => []);
  for (let node = 1; node < parent.length; node++) children[parent[node]].push(node);
  return children;
}

/** Time of each execution at a node and below it, without some nodes below it, ns. */
function timesWithin(
  tree: FrameTree,
  { start, nodes, ns }: EcctTable,
  node: number,
  without: readonly number[],
  executions: number,
): Float64Array {
  const isWithin = new Uint8Array(tree.parent.length);
  isWithin[node] = 1;
  const out = new Set(without);
  for (let at = node + 1; at < isWithin.length; at++)
    isWithin[at] = out.has(at) ? 0 : isWithin[tree.parent[at]];
  const times = new Float64Array(executions);
  for (let number = 0; number < executions; number++) {
    let sum = 0;
    for (let i = start[number]; i < start[number + 1]; i++) if (isWithin[nodes[i]] === 1) sum += ns[i];
    times[number] = sum;
  }
  return times;
}

/**
 * Sets of causes: the nodes with the largest parts of the excess of an execution of B over the mean of A, until they
 * hold half of it, and every further one with a third of the largest part.
 * @param times ns in each node, by execution
 * @param sign -1 if B takes less than A
 */
function causesOf(
  durations: Float64Array,
  times: readonly Float64Array[],
  { a, b }: Groups,
  sign: number,
): { readonly explains: readonly number[][]; readonly unexplained: readonly number[] } {
  const excessOf = (values: Float64Array) => {
    const ofA = sumOf(values, a);
    return (number: number) => sign * (a.length * values[number] - ofA);
  };
  const ofNodes = times.map(excessOf);
  const ofAll = excessOf(durations);
  const explains = times.map((): number[] => []);
  const unexplained: number[] = [];
  for (const number of b) {
    const excess = ofAll(number);
    if (!(excess > 0)) continue;
    const parts = ofNodes
      .map((partOf, node) => ({ node, part: partOf(number) }))
      .filter(({ part }) => part > 0)
      .sort((x, y) => y.part - x.part || x.node - y.node);
    let held = 0;
    const causes: number[] = [];
    for (const { node, part } of parts) {
      if (2 * held >= excess && 3 * part < parts[0].part) break;
      held += part;
      causes.push(node);
    }
    if (2 * held < excess) unexplained.push(number);
    else for (const node of causes) explains[node].push(number);
  }
  return { explains, unexplained };
}
