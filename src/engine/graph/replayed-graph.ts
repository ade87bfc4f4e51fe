/** The execution graph of a closure at the times of a replay, for a walk: whole ns, pieces that take no time left out. */
import { firstWhere } from '../base/lower-bound.ts';
import type { Closure } from './closure.ts';
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph } from './execution-graph.ts';
import { BLOCKED } from './path-codes.ts';
import type { Change, Replay } from './replay.ts';

interface ReplayedGraph extends ExecutionGraph {
  /** Time at which the worker studied is where it was at the end of the range. */
  readonly to: number;
}

export function replayedGraph(closure: Closure, { isOwn }: Change, replay: Replay): ReplayedGraph {
  const { pieces, workers } = closure;
  const [begins, ends, signals] = [replay.begin, replay.end, replay.signal].map((times) =>
    times.map(Math.round),
  );
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  return {
    to: workers.first[1] === 0 ? closure.to : ends[workers.first[1] - 1],
    find(worker, time, edge) {
      const number = numbers.get(worker);
      if (number === undefined) return graphs.BEFORE_LIFE;
      const low = workers.first[number];
      const row = firstWhere(low, workers.first[number + 1], (at) => begins[at] >= time) - 1;
      if (row < low) return graphs.BEFORE_LIFE;
      edge.end = ends[row];
      if (edge.end < time) return graphs.AFTER_LIFE;
      edge.begin = begins[row];
      edge.label = pieces.label[row];
      edge.cause = pieces.cause[row];
      const source = pieces.label[row] === BLOCKED && isOwn[row] === 0 ? replay.giver[row] : -1;
      edge.source = source < 0 ? graphs.NOBODY : workers.worker[source];
      edge.signal = source < 0 ? edge.end : signals[row];
      edge.interrupt = graphs.NOBODY;
      edge.frame = 0;
      edge.lockWait = -1;
      edge.isBounded = false;
      return graphs.FOUND;
    },
    creatorOf(worker, time) {
      const number = numbers.get(worker) ?? -1;
      const creator = number < 0 ? -1 : workers.creator[number];
      return creator >= 0 && begins[workers.first[number]] >= time ? workers.worker[creator] : graphs.NOBODY;
    },
    // All is in memory, and the signals of its pieces are all that it has.
    load: () => Promise.resolve(),
    lastInFrame: () => false,
    copyBefore: () => false,
    lastOfThread: () => false,
    softirq: () => undefined,
    isTimer: () => false,
    wakerOf: () => graphs.NOBODY,
    waitingCall: () => 0,
  };
}
