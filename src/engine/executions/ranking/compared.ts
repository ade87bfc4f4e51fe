/** The executions of two traces together, so that they can be compared. */
import { append } from '../../base/append.ts';
import type { ExecutionsAnswer } from '../answer.ts';
import type { Metric } from '../metrics.ts';
import { type EcctTable, type FrameTree, ROOT, UnionTree } from '../union-tree.ts';
import type { Compared } from './ranking.ts';

export function comparedOf({ tree, start, nodes, ns, from, to, metrics }: ExecutionsAnswer): Compared {
  return { tree, eccts: { start, nodes, ns }, durations: from.map((begin, i) => to[i] - begin), metrics };
}

/**
 * Those of `a` come first.
 * @param renames frames of `a` and what `b` calls them
 */
export function together(a: Compared, b: Compared, renames: ReadonlyMap<string, string>): Compared {
  const tree = new UnionTree();
  const ofA = movedTo(tree, a.tree, a.eccts, renames);
  const ofB = movedTo(tree, b.tree, b.eccts, new Map());
  return {
    tree,
    eccts: joined(ofA, ofB),
    durations: joinedNumbers(a.durations, b.durations),
    metrics: joinedMetrics(a, b),
  };
}

/** The times of executions in another tree, with the nodes of each ascending. */
function movedTo(
  to: UnionTree,
  { frames, frame, parent }: FrameTree,
  { start, nodes, ns }: EcctTable,
  renames: ReadonlyMap<string, string>,
): EcctTable {
  const names = frames.map((text) => renames.get(text) ?? text);
  const moved = new Int32Array(parent.length).fill(ROOT);
  for (let node = 1; node < parent.length; node++)
    moved[node] = to.child(moved[parent[node]], names[frame[node]]);
  const table = { start: new Uint32Array(start.length), nodes: nodes.slice(), ns: ns.slice() };
  let length = 0;
  for (let number = 0; number + 1 < start.length; number++) {
    const times = new Map<number, number>();
    for (let i = start[number]; i < start[number + 1]; i++)
      times.set(moved[nodes[i]], (times.get(moved[nodes[i]]) ?? 0) + ns[i]);
    for (const [node, time] of [...times].sort(([x], [y]) => x - y)) {
      table.nodes[length] = node;
      table.ns[length++] = time;
    }
    table.start[number + 1] = length;
  }
  return { start: table.start, nodes: table.nodes.slice(0, length), ns: table.ns.slice(0, length) };
}

function joined(a: EcctTable, b: EcctTable): EcctTable {
  const nodes = new Int32Array(a.nodes.length + b.nodes.length);
  nodes.set(a.nodes);
  nodes.set(b.nodes, a.nodes.length);
  const start = new Uint32Array(a.start.length + b.start.length - 1);
  start.set(a.start);
  for (let i = 1; i < b.start.length; i++) start[a.start.length - 1 + i] = a.nodes.length + b.start[i];
  return { start, nodes, ns: joinedNumbers(a.ns, b.ns) };
}

function joinedNumbers(a: Float64Array, b: Float64Array): Float64Array {
  const numbers = new Float64Array(a.length + b.length);
  numbers.set(a);
  numbers.set(b, a.length);
  return numbers;
}

/** Both have the same order of sorts, in which those that only one has find their place. */
function joinedMetrics(a: Compared, b: Compared): Metric[] {
  const names = joinedOrder(
    a.metrics.map(({ name }) => name),
    b.metrics.map(({ name }) => name),
  );
  const valuesOf = ({ metrics, durations }: Compared, name: string) =>
    metrics.find((metric) => metric.name === name)?.values ??
    new Float64Array(durations.length).fill(isTime(name) ? 0 : NaN);
  return names.map((name) => ({ name, values: joinedNumbers(valuesOf(a, name), valuesOf(b, name)) }));
}

/** A cause that no execution has. */
function isTime(name: string): boolean {
  return name.startsWith('blocked ');
}

/** Each name of two lists once, in an order in which both lists are. */
function joinedOrder(a: readonly string[], b: readonly string[]): string[] {
  const names: string[] = [];
  let next = 0;
  for (const name of a) {
    const at = b.indexOf(name, next);
    if (at >= 0) {
      append(names, b.slice(next, at));
      next = at + 1;
    }
    names.push(name);
  }
  return [...names, ...b.slice(next)];
}
