/** Execution graphs of any size: a chain of threads that call each other, round after round. */
import { LiteralGraph } from './literal-graph.ts';
import { BLOCKED, RUNNING } from '../../src/engine/graph/path-codes.ts';

/** Threads in the chain. */
const DEPTH = 8;
/** ns that a thread runs before it calls the next one, and again before it answers. */
const RUN = 10;
const RUNS_PER_ROUND = 2 * DEPTH - 1;
/** Each round adds as many segments to the path of thread 0, whose last and first runs of two rounds are one segment. */
export const SEGMENTS_PER_ROUND = RUNS_PER_ROUND - 1;

export interface CallGraph {
  readonly graph: LiteralGraph;
  /** The path of thread 0 over [0, to] has `segments` segments by every criterion. */
  readonly to: number;
  readonly segments: number;
}

/** Thread 0 calls 1, which calls 2, and so on; the last one answers, which wakes the one before. */
export function callGraph(rounds: number): CallGraph {
  const graph = new LiteralGraph();
  const length = RUNS_PER_ROUND * RUN;
  for (let round = 0; round < rounds; round++) {
    const begin = round * length;
    for (let thread = 0; thread < DEPTH; thread++) addRound(graph, thread, begin, begin + length);
  }
  return { graph, to: rounds * length, segments: rounds * SEGMENTS_PER_ROUND + 1 };
}

function addRound(graph: LiteralGraph, thread: number, begin: number, end: number): void {
  const called = begin + thread * RUN;
  const answered = end - thread * RUN;
  if (thread > 0) {
    graph.edges(thread, { begin, end: called, label: BLOCKED });
    graph.wakeUp(thread - 1, called, thread);
  }
  if (thread === DEPTH - 1) graph.edges(thread, { begin: called, end: answered, label: RUNNING });
  else {
    graph.edges(
      thread,
      { begin: called, end: called + RUN, label: RUNNING },
      { begin: called + RUN, end: answered - RUN, label: BLOCKED },
      { begin: answered - RUN, end: answered, label: RUNNING },
    );
    graph.wakeUp(thread + 1, answered - RUN, thread);
  }
  if (thread > 0) graph.edges(thread, { begin: answered, end, label: BLOCKED });
}
