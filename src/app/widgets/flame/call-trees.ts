/** Trees of call stacks for flame graphs: from callers to callees, reversed, or around one function. Pure. */

/** A call tree: each node adds a frame to the stack of its parent; node 0, the root, has none. */
export interface CallTree {
  readonly frames: readonly string[];
  /** Parent by node, parents before their children; -1 for node 0. */
  readonly parent: Int32Array;
  /** Index in `frames` by node; -1 for node 0. */
  readonly frame: Int32Array;
}

export interface FrameTree {
  /** Parent by node, parents before their children; -1: the root, which is node 0. */
  readonly parent: Int32Array;
  /** Index in the frames of the call tree by node; -1: the root. */
  readonly frame: Int32Array;
  /** Node here that has the own time of a node of the call tree, by the latter; -1: it is left out. */
  readonly place: Int32Array;
}

export function topDown({ parent, frame }: CallTree): FrameTree {
  return { parent, frame, place: Int32Array.from(parent, (_, node) => node) };
}

/** The reversed tree: roots are the frames in which time was spent, with their callers below. */
export function inverted(tree: CallTree): FrameTree {
  const made = new FrameTreeMaker(tree);
  return made.tree(Int32Array.from(tree.parent, (_, node) => made.withCallers(node)));
}

/** The tree of a frame's callees. In a stack that has the frame twice, the outermost one counts. */
export function calleesOf(tree: CallTree, wanted: number): FrameTree {
  const { parent, frame } = tree;
  const made = new FrameTreeMaker(tree);
  const outermost = outermostOf(tree, wanted);
  const place = new Int32Array(parent.length).fill(-1);
  for (let node = 1; node < parent.length; node++) {
    if (outermost[node] < 0) continue;
    place[node] = made.child(outermost[node] === node ? 0 : place[parent[node]], frame[node]);
  }
  return made.tree(place);
}

/** The tree of a frame's callers. In a stack that has the frame twice, the outermost one counts. */
export function callersOf(tree: CallTree, wanted: number): FrameTree {
  const made = new FrameTreeMaker(tree);
  const outermost = outermostOf(tree, wanted);
  const place = new Int32Array(outermost.length).fill(-1);
  for (let node = 1; node < outermost.length; node++) {
    const from = outermost[node];
    if (from >= 0) place[node] = from === node ? made.withCallers(node) : place[from];
  }
  return made.tree(place);
}

/** Outermost node with a frame in the stack of each node, by node; -1: none has it. */
function outermostOf({ parent, frame }: CallTree, wanted: number): Int32Array {
  const outermost = new Int32Array(parent.length).fill(-1);
  for (let node = 1; node < parent.length; node++) {
    const above = outermost[parent[node]];
    if (above >= 0) outermost[node] = above;
    else if (frame[node] === wanted) outermost[node] = node;
  }
  return outermost;
}

class FrameTreeMaker {
  readonly #parent = [-1];
  readonly #frame = [-1];
  readonly #known = new Map<number, number>();

  constructor(private readonly of: CallTree) {}

  child(node: number, frame: number): number {
    const key = node * this.of.frames.length + frame;
    let child = this.#known.get(key);
    if (child === undefined) {
      child = this.#parent.push(node) - 1;
      this.#frame.push(frame);
      this.#known.set(key, child);
    }
    return child;
  }

  /** The node for the stack of a node of the call tree, the innermost frame first. */
  withCallers(node: number): number {
    const { parent, frame } = this.of;
    let at = 0;
    for (let caller = node; caller > 0; caller = parent[caller]) at = this.child(at, frame[caller]);
    return at;
  }

  tree(place: Int32Array): FrameTree {
    return { parent: Int32Array.from(this.#parent), frame: Int32Array.from(this.#frame), place };
  }
}
