/** Walks over execution graphs in memory: what a visited edge costs over four decades of sizes, and a long path. */
import { CRITERIA, type Criterion } from '../src/engine/graph/criterion.ts';
import { Walk } from '../src/engine/graph/walk.ts';
import type { Path } from '../src/engine/graph/path.ts';
import { callGraph, SEGMENTS_PER_ROUND, type CallGraph } from '../test/support/call-graph.ts';
import { median } from './measure.mjs';

const ROUNDS = 7;
/** Edges that a path visits, roughly. */
const SIZES = [1e3, 1e4, 1e5, 1e6];
const LONG_SEGMENTS = 1e5;

/** Warm: the walks before the first one that counts compile it. */
export function pathBench(): Record<string, number> {
  const figures: Record<string, number> = {};
  const long = callGraph(LONG_SEGMENTS / SEGMENTS_PER_ROUND);
  for (const criterion of CRITERIA) {
    const name = criterion.replace(' ', '-');
    figures[`path.${name}.100kMs`] = medianMs(long, criterion);
  }
  for (const size of SIZES) {
    const graph = callGraph(Math.ceil(size / (2 * SEGMENTS_PER_ROUND)));
    for (const criterion of ['main task', 'exact'] as const) {
      const name = criterion.replace(' ', '-');
      const { visited } = walk(graph, criterion);
      figures[`path.${name}.1e${Math.log10(size)}.nsPerEdge`] = (medianMs(graph, criterion) * 1e6) / visited;
    }
  }
  return figures;
}

function walk({ graph, to }: CallGraph, criterion: Criterion): Path {
  const walker = new Walk(graph, { worker: 0, from: 0, to, criterion });
  walker.run();
  return walker.finish();
}

function medianMs(graph: CallGraph, criterion: Criterion): number {
  const times = Array.from({ length: ROUNDS + 2 }, () => {
    const begin = performance.now();
    walk(graph, criterion);
    return performance.now() - begin;
  });
  return median(times.slice(2));
}
