/** Flame chart: call stacks in order of a thread's running time, ns; a frame lasts while consecutive stacks have it. */
import { trimmed, widen } from '../../base/columns.ts';
import { f64, i32, type ReadRows, tableOf, u32 } from '../../base/tables.ts';
import type { ProfileTree } from './profile.ts';

/** Stacks in force during a thread's running time, ascending; adjacent ones differ. */
export class StackRuns {
  length = 0;
  /** HostNs; between them the thread may have waited. */
  readonly columns = {
    begin: new Float64Array(0),
    end: new Float64Array(0),
    ns: new Float64Array(0),
    stack: new Int32Array(0),
  };

  add(begin: number, end: number, stack: number): void {
    const { columns } = this;
    const last = this.length - 1;
    if (last >= 0 && columns.stack[last] === stack) {
      columns.ns[last] += end - begin;
      columns.end[last] = end;
      return;
    }
    if (this.length === columns.begin.length) widen(columns);
    const at = this.length++;
    columns.begin[at] = begin;
    columns.end[at] = end;
    columns.ns[at] = end - begin;
    columns.stack[at] = stack;
  }
}

/** Frames; parents come before their children, and children of one frame are in order of time. */
const FLAME_CHART = {
  /** -1: an outermost frame. */
  parent: i32(),
  /** Node of the profile's tree; for several short frames their common one, -1 if they differ. */
  node: i32(),
  /** 1: a frame. More: number of frames too short to be shown, with what runs between them, up to one that is long enough. */
  count: u32(),
  /** Running time before it, and from its begin to its end, ns. */
  at: f64(),
  ns: f64(),
  /** Running time in its frames, ns: less than `ns` if there are gaps between several. */
  inside: f64(),
  /** HostNs, including waits. */
  begin: f64(),
  end: f64(),
};

export type FlameChart = ReadRows<typeof FLAME_CHART>;

/** Number of parts of the running time that are distinguished: more than most windows have pixels. */
const COLUMNS = 1500;
/** Frames of a chart, however deep its stacks are. */
const MOST_FRAMES = 50_000;

/**
 * Chart of frames of at least a part of the running time, and of runs of shorter ones of that length. Frames of one
 * depth exclude each other, and those of depth d are in stacks of at least d - 1 frames; so there are at most
 * `MOST_FRAMES`.
 * @param nodeOf node of the tree by number of the stack
 */
export function flameChart(
  tree: Pick<ProfileTree, 'parent'>,
  { length, columns: { begin, end, ns, stack } }: StackRuns,
  nodeOf: ArrayLike<number>,
): FlameChart {
  const depth = depthsOf(tree);
  let [total, weighted] = [0, 0];
  for (let i = 0; i < length; i++) {
    total += ns[i];
    weighted += ns[i] * (depth[nodeOf[stack[i]]] + 1);
  }
  const maker = new ChartMaker(tree.parent, depth, Math.max(total / COLUMNS, weighted / MOST_FRAMES));
  for (let i = 0; i < length; i++) maker.add(nodeOf[stack[i]], begin[i], end[i], ns[i]);
  return maker.chart();
}

function depthsOf({ parent }: Pick<ProfileTree, 'parent'>): Int32Array {
  const depth = new Int32Array(parent.length);
  for (let node = 1; node < depth.length; node++) depth[node] = depth[parent[node]] + 1;
  return depth;
}

class ChartMaker {
  readonly #parent: Int32Array;
  readonly #depth: Int32Array;
  /** Length of the shortest frame that is shown, ns. */
  readonly #least: number;
  readonly #made = tableOf(FLAME_CHART, 0);
  #length = 0;
  /** Present running time, and HostNs at which it was reached. */
  #now = 0;
  #time = 0;
  /** The frames in force, by depth from 1 on. */
  #open = 0;
  readonly #node: Int32Array;
  readonly #at: Float64Array;
  readonly #begin: Float64Array;
  /** Number in the chart; -1: it is not long enough yet. */
  readonly #number: Int32Array;
  /** Short frames before now in the enclosing frame, by depth. */
  readonly #short: {
    /** 0: none. */
    readonly count: Uint32Array;
    readonly node: Int32Array;
    /** Running time before the first one, and at the end of the last one. */
    readonly at: Float64Array;
    readonly to: Float64Array;
    readonly inside: Float64Array;
    readonly begin: Float64Array;
    readonly end: Float64Array;
  };

  constructor(parent: Int32Array, depth: Int32Array, least: number) {
    this.#parent = parent;
    this.#depth = depth;
    this.#least = least;
    const room = depth.reduce((most, each) => Math.max(most, each), 0) + 2;
    const ints = () => new Int32Array(room);
    const doubles = () => new Float64Array(room);
    this.#node = ints();
    this.#at = doubles();
    this.#begin = doubles();
    this.#number = ints().fill(-1);
    this.#short = {
      ...{ count: new Uint32Array(room), node: ints(), at: doubles(), to: doubles() },
      ...{ inside: doubles(), begin: doubles(), end: doubles() },
    };
  }

  /** Adds some running time with the stack of a node in force. */
  add(node: number, begin: number, end: number, ns: number): void {
    const depth = this.#depth[node];
    let [shared, at] = [depth, node];
    while (shared > 0 && (shared > this.#open || this.#node[shared] !== at)) {
      at = this.#parent[at];
      shared--;
    }
    this.#closeTo(shared);
    at = node;
    for (let each = depth; each > shared; each--) {
      this.#node[each] = at;
      this.#at[each] = this.#now;
      this.#begin[each] = begin;
      this.#number[each] = -1;
      this.#short.count[each + 1] = 0;
      at = this.#parent[at];
    }
    this.#open = depth;
    this.#now += ns;
    this.#time = end;
  }

  chart(): FlameChart {
    this.#closeTo(0);
    this.#endShort(1);
    return { length: this.#length, ...trimmed(this.#made, this.#length) };
  }

  /** Ends frames below a depth; within a short frame all are short and are dropped. */
  #closeTo(depth: number): void {
    let long = depth;
    while (long < this.#open && this.#now - this.#at[long + 1] >= this.#least) long++;
    if (long < this.#open) this.#addShort(long + 1);
    for (; long > depth; long--) {
      this.#endShort(long + 1);
      const number = this.#keep(long);
      this.#made.ns[number] = this.#made.inside[number] = this.#now - this.#at[long];
      this.#made.end[number] = this.#time;
    }
    this.#open = depth;
  }

  #addShort(depth: number): void {
    const short = this.#short;
    if (this.#at[depth] - short.to[depth] >= this.#least) this.#endShort(depth);
    if (short.count[depth]++ === 0) {
      short.node[depth] = this.#node[depth];
      short.at[depth] = this.#at[depth];
      short.begin[depth] = this.#begin[depth];
      short.inside[depth] = 0;
    } else if (short.node[depth] !== this.#node[depth]) short.node[depth] = -1;
    short.inside[depth] += this.#now - this.#at[depth];
    short.to[depth] = this.#now;
    short.end[depth] = this.#time;
  }

  /** Ends the run of short frames at a depth. */
  #endShort(depth: number): void {
    const short = this.#short;
    const count = short.count[depth];
    const ns = short.to[depth] - short.at[depth];
    short.count[depth] = 0;
    if (count === 0 || ns < this.#least) return;
    const parent = this.#keep(depth - 1);
    const number = this.#push(parent, short.node[depth], count, short.at[depth], short.begin[depth]);
    this.#made.ns[number] = ns;
    this.#made.inside[number] = short.inside[depth];
    this.#made.end[number] = short.end[depth];
  }

  /** Adds the present frame at a depth to the chart, with the enclosing ones. @returns its number; -1 for depth 0 */
  #keep(depth: number): number {
    let known = depth;
    while (known > 0 && this.#number[known] < 0) known--;
    for (let each = known + 1; each <= depth; each++) {
      this.#endShort(each);
      const parent = this.#number[each - 1];
      this.#number[each] = this.#push(parent, this.#node[each], 1, this.#at[each], this.#begin[each]);
    }
    return this.#number[depth];
  }

  #push(parent: number, node: number, count: number, at: number, begin: number): number {
    const made = this.#made;
    if (this.#length === made.parent.length) widen(made);
    const number = this.#length++;
    made.parent[number] = parent;
    made.node[number] = node;
    made.count[number] = count;
    made.at[number] = at;
    made.begin[number] = begin;
    return number;
  }
}
