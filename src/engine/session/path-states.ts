/** States on a path as stored values (`kernel/values.ts`), for colours and words; -1: a packet on its way. */
import type { GraphWorker } from '../graph/execution-graph.ts';
import type { HistoryGraph } from '../graph/history-graph.ts';
import { BLOCKED, NETWORK, PREEMPTED, RUNNING, UNKNOWN } from '../graph/path-codes.ts';
import type { Path } from '../graph/path.ts';
import { splitRunning } from '../graph/running-split.ts';
import * as v from '../kernel/values.ts';

export const PACKET_ON_ITS_WAY = -1;

export interface SegmentStates {
  ofWait(worker: GraphWorker, cause: number): number;
  /** Calls `take` for each state of a segment, with its ns and the call that it waited in. */
  ofSegment(segment: number, take: (value: number, ns: number, detail: string) => void): void;
}

export async function segmentStates(graph: HistoryGraph, path: Path): Promise<SegmentStates> {
  const { segments: s } = path;
  const { user, interrupted } = await splitRunning(graph, path);
  const calls = await waitedIn(graph, path);
  return {
    ofWait: (_, cause) => waitValue(cause),
    ofSegment(i, take) {
      const ns = s.to[i] - s.from[i];
      switch (s.label[i]) {
        case RUNNING:
          if (graph.place(s.worker[i]).thread < 0) {
            take(v.STATE_INTERRUPTED, ns, '');
            return;
          }
          take(v.STATE_USER, user[i], '');
          take(v.STATE_KERNEL, ns - user[i] - interrupted[i], '');
          take(v.STATE_INTERRUPTED, interrupted[i], '');
          return;
        case PREEMPTED:
          return take(v.STATE_PREEMPTED, ns, '');
        case BLOCKED:
          return take(waitValue(s.cause[i]), ns, calls.get(i) ?? '');
        case UNKNOWN:
          return take(v.STATE_UNKNOWN, ns, '');
        case NETWORK:
          return take(PACKET_ON_ITS_WAY, ns, '');
      }
    },
  };
}

function waitValue(cause: number): number {
  return v.blockedValue(v.STATE_BLOCKED_S, v.causeOf(cause), -1, false);
}

/** Names of the calls in which the path's waits are, by segment. */
async function waitedIn(graph: HistoryGraph, { segments: s }: Path): Promise<ReadonlyMap<number, string>> {
  const calls = new Map<number, string>();
  for (let i = 0; i < s.length; i++) {
    if (s.label[i] !== BLOCKED) continue;
    const call = await graph.callAt(s.worker[i], s.from[i]);
    if (call >= 0) calls.set(i, graph.text(s.worker[i], call));
  }
  return calls;
}
