/** Joins the executions of two traces for comparison. */
import { append } from '../../../base/append.ts';
import { addNumber } from '../../../base/group-by.ts';
import type { ExecutionsAnswer } from '../answer.ts';
import type { Metric } from '../metrics.ts';
import type { Pools, ThreadPool } from '../pools.ts';
import { type EcctTable, type FrameTree, UnionTree, ROOT } from '../union-tree.ts';
import { threadFrame, threadOfFrame } from '../frames.ts';

/** Compared executions. All lists are by number of the execution. */
export interface Compared {
  readonly tree: FrameTree;
  readonly eccts: EcctTable;
  /** ns. */
  readonly durations: Float64Array;
  readonly metrics: readonly Metric[];
  /** Name of an execution's thread, which is its frame if nothing else is known. */
  readonly names: readonly string[];
  /** Pool of each thread by name. */
  readonly pools: Pools;
}

/** New names of frames, by whole frame. */
export type Renames = ReadonlyMap<string, string>;

const NO_RENAMES: Renames = new Map();

export function comparedOf(answer: ExecutionsAnswer): Compared {
  const { tree, start, nodes, ns, from, to, metrics, threads, thread, pools } = answer;
  return {
    tree,
    eccts: { start, nodes, ns },
    durations: from.map((begin, i) => to[i] - begin),
    metrics,
    names: Array.from(thread, (index) => threads[index].name),
    pools,
  };
}

/** Joins the executions of two traces, those of `a` first. @param renames frames of `a` to those of `b` */
export function together(a: Compared, b: Compared, renames: Renames): Compared {
  const tree = new UnionTree();
  const [ofA, ofB] = [nodesIn(tree, a.tree, by(renames)), nodesIn(tree, b.tree, by(NO_RENAMES))];
  return {
    tree,
    eccts: joined(
      movedTimes(a.eccts, () => ofA),
      movedTimes(b.eccts, () => ofB),
    ),
    durations: joinedNumbers(a.durations, b.durations),
    metrics: joinedMetrics(a, b),
    names: [...a.names, ...b.names],
    pools: new Map([...a.pools, ...b.pools]),
  };
}

/**
 * Joins two answers, with hosts of `a` before those of `b`; row ids of `a` become meaningless. @param hosts number of
 * hosts of `a`
 */
export function answersTogether(a: ExecutionsAnswer, b: ExecutionsAnswer, hosts: number): ExecutionsAnswer {
  const { tree, eccts, metrics, pools } = together(comparedOf(a), comparedOf(b), NO_RENAMES);
  const thread = new Int32Array(a.length + b.length);
  thread.set(a.thread);
  thread.set(
    b.thread.map((index) => index + a.threads.length),
    a.length,
  );
  return {
    definition: b.definition,
    counts: {
      executions: a.counts.executions + b.counts.executions,
      withoutEnd: a.counts.withoutEnd + b.counts.withoutEnd,
      withoutBegin: a.counts.withoutBegin + b.counts.withoutBegin,
      nested: a.counts.nested + b.counts.nested,
    },
    withoutThread: a.withoutThread + b.withoutThread,
    threads: [
      ...a.threads.map((thread) => ({ ...thread, row: `other:${thread.row}` })),
      ...b.threads.map((thread) => ({ ...thread, host: thread.host + hosts })),
    ],
    length: a.length + b.length,
    thread,
    from: joinedNumbers(a.from, b.from),
    to: joinedNumbers(a.to, b.to),
    metrics,
    pools,
    isElapsed: a.isElapsed || b.isElapsed,
    tree: columnsOf(tree),
    ...eccts,
  };
}

/** An answer in which some executions have renamed frames. */
export function renamedFrames(
  answer: ExecutionsAnswer,
  renames: Renames,
  isRenamed: (execution: number) => boolean,
): ExecutionsAnswer {
  const tree = new UnionTree();
  const those = (isOne: (execution: number) => boolean) => usedNodes(answer.tree, answer, isOne);
  const renamed = nodesIn(tree, answer.tree, by(renames), those(isRenamed));
  const same = nodesIn(
    tree,
    answer.tree,
    by(NO_RENAMES),
    those((execution) => !isRenamed(execution)),
  );
  const eccts = movedTimes(answer, (execution) => (isRenamed(execution) ? renamed : same));
  return { ...answer, tree: columnsOf(tree), ...eccts };
}

function columnsOf({ frames, parent, frame }: FrameTree): ExecutionsAnswer['tree'] {
  return { frames, parent: Int32Array.from(parent), frame: Int32Array.from(frame) };
}

/** 1 by node: some executions have time there or below. */
function usedNodes(
  { parent }: FrameTree,
  { start, nodes }: EcctTable,
  isOne: (execution: number) => boolean,
): Uint8Array {
  const used = new Uint8Array(parent.length);
  for (let number = 0; number + 1 < start.length; number++)
    if (isOne(number)) for (let i = start[number]; i < start[number + 1]; i++) used[nodes[i]] = 1;
  for (let node = parent.length - 1; node > 0; node--) if (used[node] === 1) used[parent[node]] = 1;
  return used;
}

function by(renames: Renames): (text: string) => string {
  return (text) => renames.get(text) ?? text;
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

/** Metrics of both, in their common order of kinds; those of only one side are put in between. */
function joinedMetrics(a: Compared, b: Compared): Metric[] {
  const names = joinedOrder(
    a.metrics.map(({ name }) => name),
    b.metrics.map(({ name }) => name),
  );
  const valuesOf = ({ metrics, durations }: Compared, name: string) =>
    metrics.find((metric) => metric.name === name)?.values ??
    new Float64Array(durations.length).fill(isTime(name) ? 0 : NaN);
  const textsOf = ({ metrics }: Compared, name: string) => [
    ...(metrics.find((metric) => metric.name === name)?.texts ?? []),
  ];
  return names.map((name) => {
    const ofB = textsOf(b, name).map(([at, text]) => [at + a.durations.length, text] as const);
    const texts = new Map([...textsOf(a, name), ...ofB]);
    const values = joinedNumbers(valuesOf(a, name), valuesOf(b, name));
    return { name, values, ...(texts.size > 0 && { texts }) };
  });
}

/** Whether a cause is a time that no execution has. */
function isTime(name: string): boolean {
  return name.startsWith('blocked ');
}

/** Each name of two lists once, in an order consistent with both. */
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

/** Node of another tree with the same frames, by node. @param nameOf name in it @param used by node, 0: not wanted */
function nodesIn(
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

/** Times of executions in another tree, each execution's nodes ascending. */
function movedTimes({ start, nodes, ns }: EcctTable, placesOf: (execution: number) => Int32Array): EcctTable {
  const table = { start: new Uint32Array(start.length), nodes: nodes.slice(), ns: ns.slice() };
  let length = 0;
  for (let number = 0; number + 1 < start.length; number++) {
    const places = placesOf(number);
    const times = new Map<number, number>();
    for (let i = start[number]; i < start[number + 1]; i++) addNumber(times, places[nodes[i]], ns[i]);
    for (const [node, time] of [...times].sort(([x], [y]) => x - y)) {
      table.nodes[length] = node;
      table.ns[length++] = time;
    }
    table.start[number + 1] = length;
  }
  return { start: table.start, nodes: table.nodes.slice(0, length), ns: table.ns.slice(0, length) };
}

/** Executions with names of pools in frames of threads and as their own names (Decisions on executions, pools). */
export function withPools(compared: Compared): Compared {
  const { tree, eccts, names, pools } = compared;
  if (pools.size === 0) return compared;
  const pooled = new UnionTree();
  const isOfThread = (text: string) => pools.get(threadOfFrame(text) ?? '');
  const usual = nodesIn(pooled, tree, (text) => frameOfPool(isOfThread(text)) ?? text);
  const byName = new Map<string, Int32Array>();
  const placesOf = (name: string): Int32Array => {
    const own = pools.get(name);
    if (own === undefined) return usual;
    let places = byName.get(name);
    if (places === undefined) {
      places = nodesIn(pooled, tree, (text, parent) =>
        parent === ROOT && text === name ? own.name : (frameOfPool(isOfThread(text)) ?? text),
      );
      byName.set(name, places);
    }
    return places;
  };
  return {
    ...compared,
    tree: pooled,
    eccts: movedTimes(eccts, (execution) => placesOf(names[execution])),
    names: names.map((name) => pools.get(name)?.name ?? name),
  };
}

function frameOfPool(pool: ThreadPool | undefined): string | undefined {
  return pool && threadFrame(pool.name);
}

/** Text about threads with the number of threads after each pool's name: `thread helper-* (4 threads)`. */
export function withPoolCounts(text: string, pools: Pools): string {
  return [...new Map([...pools.values()].map((pool) => [pool.name, pool])).values()].reduce(
    (words, { name, threads }) => words.replaceAll(`thread ${name}`, `thread ${name} (${threads} threads)`),
    text,
  );
}
