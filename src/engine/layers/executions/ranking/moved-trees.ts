/** Trees of frames, and times in them, as parts of another tree in which frames have other names. */
import { type EcctTable, type FrameTree, ROOT, type UnionTree } from '../union-tree.ts';

/**
 * Node of another tree with the same frames by node of a tree; it is made where it is not there.
 * @param nameOf a frame's name in the other tree, by its name and the node above it
 * @param used by node: 0 where it is not wanted; default: all are
 */
export function nodesIn(
  to: UnionTree,
  { frames, frame, parent }: FrameTree,
  nameOf: (text: string, parent: number) => string,
  used?: Uint8Array,
): Int32Array {
  const nodes = new Int32Array(parent.length).fill(ROOT);
  for (let node = 1; node < parent.length; node++)
    if (used?.[node] !== 0)
      nodes[node] = to.child(nodes[parent[node]], nameOf(frames[frame[node]], parent[node]));
  return nodes;
}

/** The times of executions in another tree, with the nodes of each ascending. */
export function movedTimes(
  { start, nodes, ns }: EcctTable,
  placesOf: (execution: number) => Int32Array,
): EcctTable {
  const table = { start: new Uint32Array(start.length), nodes: nodes.slice(), ns: ns.slice() };
  let length = 0;
  for (let number = 0; number + 1 < start.length; number++) {
    const places = placesOf(number);
    const times = new Map<number, number>();
    for (let i = start[number]; i < start[number + 1]; i++)
      times.set(places[nodes[i]], (times.get(places[nodes[i]]) ?? 0) + ns[i]);
    for (const [node, time] of [...times].sort(([x], [y]) => x - y)) {
      table.nodes[length] = node;
      table.ns[length++] = time;
    }
    table.start[number + 1] = length;
  }
  return { start: table.start, nodes: table.nodes.slice(0, length), ns: table.ns.slice(0, length) };
}
