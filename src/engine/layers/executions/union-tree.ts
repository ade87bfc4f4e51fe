/**
 * Calling contexts of a definition's executions as one tree (Doray & Dagenais, 2016); each execution is a list of
 * nodes and times.
 */
import { TextList } from '../../base/text-list.ts';

export const ROOT = 0;

/** Tree with each distinct frame text stored once. Node `ROOT` has none. */
export class UnionTree {
  readonly #texts = new TextList();
  readonly frames: readonly string[] = this.#texts.list;
  /** Parent by node, and row of `frames`; -1 for the root. */
  readonly parent: number[] = [-1];
  readonly frame: number[] = [-1];
  readonly #nodes = new Map<number, number>();

  /** Child of a node with this frame, added if missing. */
  child(node: number, text: string): number {
    const frame = this.#texts.indexOf(text);
    const key = node * MOST_FRAMES + frame;
    let child = this.#nodes.get(key);
    if (child === undefined) {
      child = this.parent.push(node) - 1;
      this.frame.push(frame);
      this.#nodes.set(key, child);
    }
    return child;
  }
}

/** Number of frames in keys of node and frame, exact in a double for 2^27 nodes. */
const MOST_FRAMES = 2 ** 26;

/** Times of an execution by node, without its children. */
export interface Ecct {
  /** Nodes of the union tree, ascending. */
  readonly nodes: Int32Array;
  /** ns, which sum to the duration of the execution. */
  readonly ns: Float64Array;
}

/** A tree of frames as plain data. Parents come before their children. */
export interface FrameTree {
  readonly frames: readonly string[];
  readonly parent: ArrayLike<number>;
  readonly frame: ArrayLike<number>;
}

/** Times of several executions: those of execution i are in rows [start[i], start[i + 1]). */
export interface EcctTable {
  readonly start: Uint32Array;
  readonly nodes: Int32Array;
  readonly ns: Float64Array;
}

export function ecctTable(eccts: readonly Ecct[]): EcctTable {
  const start = new Uint32Array(eccts.length + 1);
  eccts.forEach(({ nodes }, i) => (start[i + 1] = start[i] + nodes.length));
  const table = { nodes: new Int32Array(start[eccts.length]), ns: new Float64Array(start[eccts.length]) };
  eccts.forEach(({ nodes, ns }, i) => {
    table.nodes.set(nodes, start[i]);
    table.ns.set(ns, start[i]);
  });
  return { start, ...table };
}

/** The frames of a node, outermost first. */
export function framesOf({ frames, frame, parent }: FrameTree, node: number): string[] {
  const texts: string[] = [];
  for (let at = node; at > 0; at = parent[at]) texts.push(frames[frame[at]]);
  return texts.reverse();
}

/** Frames of a node joined by `;`, the form of other flame graph tools. */
export function foldedStack(tree: FrameTree, node: number): string {
  return framesOf(tree, node).join(';');
}
