/** Executions in which the threads of a pool have one name, so that they can be ranked as one. */
import { threadFrame, threadOfFrame } from '../frames.ts';
import type { Pools, ThreadPool } from '../pools.ts';
import { ROOT, UnionTree } from '../union-tree.ts';
import type { Compared } from './compared.ts';
import { movedTimes, nodesIn } from './moved-trees.ts';

/**
 * Executions with the names of pools in frames of threads, and in the frame of the execution's own thread (Decisions on
 * executions, pools).
 */
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

/** A text about threads with the number of threads behind the name of each pool: `thread helper-* (4 threads)`. */
export function withPoolCounts(text: string, pools: Pools): string {
  return [...new Map([...pools.values()].map((pool) => [pool.name, pool])).values()].reduce(
    (words, { name, threads }) => words.replaceAll(`thread ${name}`, `thread ${name} (${threads} threads)`),
    text,
  );
}
