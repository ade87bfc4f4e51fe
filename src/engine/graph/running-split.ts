/**
 * What threads did while they ran on the path: user mode, kernel, interrupted. Edges have only `running` (Q25); the state
 * histories tell the rest, read once per worker and segment of history.
 */
import { PieceCursor } from '../history/piece-cursor.ts';
import { NO_PIECES, NOT_LOADED } from '../history/snapshot.ts';
import { readThreadValue, stateOf, STATE_INTERRUPTED, STATE_USER } from '../kernel/values.ts';
import type { HistoryGraph, ThreadPieces } from './history-graph.ts';
import { RUNNING } from './path-codes.ts';
import type { Path } from './path.ts';

export interface RunningSplit {
  /** ns by segment, 0 for segments that are not running; the rest of a running one is in the kernel. */
  readonly user: Float64Array;
  readonly interrupted: Float64Array;
}

export async function splitRunning(graph: HistoryGraph, { segments: s }: Path): Promise<RunningSplit> {
  const split = { user: new Float64Array(s.length), interrupted: new Float64Array(s.length) };
  const byWorker = new Map<number, number[]>();
  for (let i = 0; i < s.length; i++) {
    if (s.label[i] !== RUNNING || graph.place(s.worker[i]).thread < 0) continue;
    const known = byWorker.get(s.worker[i]);
    if (known === undefined) byWorker.set(s.worker[i], [i]);
    else known.push(i);
  }
  for (const [worker, rows] of byWorker) await splitWorker(graph.piecesOf(worker), rows, s, split);
  return split;
}

/** `rows`: running segments of one worker, oldest first. */
async function splitWorker(
  { snapshot, attribute, toGraph, isKernelThread }: ThreadPieces,
  rows: readonly number[],
  { from, to }: Path['segments'],
  split: RunningSplit,
): Promise<void> {
  const cursor = new PieceCursor();
  let next = 0;
  for (let segment = 0; segment < snapshot.segments.length && next < rows.length; segment++) {
    const end = toGraph(snapshot.segments[segment].to);
    if (end <= from[rows[next]]) continue;
    let opened = snapshot.open(segment, attribute, cursor);
    if (opened === NOT_LOADED) {
      await snapshot.load(segment);
      opened = snapshot.open(segment, attribute, cursor);
    }
    if (opened === NO_PIECES || opened === NOT_LOADED) continue;
    while (next < rows.length && cursor.next()) {
      const begin = toGraph(cursor.begin);
      const stop = toGraph(cursor.end);
      const state = stateOf(readThreadValue(cursor.value, isKernelThread));
      while (next < rows.length && to[rows[next]] <= begin) next++;
      for (let at = next; at < rows.length && from[rows[at]] < stop; at++) {
        const ns = Math.min(stop, to[rows[at]]) - Math.max(begin, from[rows[at]]);
        if (state === STATE_USER) split.user[rows[at]] += ns;
        else if (state === STATE_INTERRUPTED) split.interrupted[rows[at]] += ns;
      }
    }
  }
}
