/** Threads that one call of another thread wakes together, as the last thread at a barrier does. */
import { addTo, groupBy } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { TogetherWith } from '../../graph/closure.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { HostData } from '../../graph/history-graph.ts';
import { firstEndingAfter } from '../../graph/interval-lists.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { LocksOfHosts } from '../paths/path-locks.ts';

/** Maximum number of threads woken together whose pieces are read. */
const MOST_TOGETHER = 256;

/** Waits of threads of a host at a futex that one call of another thread ended, as at a barrier. */
export interface Group {
  readonly host: number;
  /** Row of `futexes` of its model. */
  readonly futex: number;
  readonly waits: readonly { readonly worker: GraphWorker; readonly time: number; readonly to: number }[];
}

export async function setFreeTogether({ graph, hosts }: PathGraph, ofHosts: LocksOfHosts): Promise<Group[]> {
  const found: Group[] = [];
  for (const { index, tables } of ofHosts) {
    const host = hosts.findIndex((each) => each.index === index);
    if (host < 0) continue;
    const { threads, futexWaits: w } = tables.model;
    const data = graph.hostData(host);
    const isKnown = (thread: number): boolean => thread >= 0 && threads[thread].row >= 0;
    const rows = Array.from({ length: w.length }, (_, row) => row).filter(
      (row) => w.byEnd[row] === 0 && isKnown(w.waker[row]) && isKnown(w.thread[row]),
    );
    for (const ofFutex of groupBy(rows, (row) => `${w.futex[row]} ${w.waker[row]}`).values()) {
      ofFutex.sort((a, b) => w.at[a] - w.at[b]);
      for (let first = 0, next = 1; first < ofFutex.length; first = next++) {
        if (next === ofFutex.length) break;
        const waker = threads[w.waker[ofFutex[first]]].row;
        const end = await endOfCall(data, waker, data.toGraph(w.at[ofFutex[first]]));
        while (next < ofFutex.length && data.toGraph(w.at[ofFutex[next]]) < end) next++;
        if (next - first === 1 || next - first > MOST_TOGETHER) continue;
        const waits = ofFutex.slice(first, next).map((row) => ({
          worker: graph.workerOfThread(host, threads[w.thread[row]].row),
          time: data.toGraph(w.from[row]),
          to: data.toGraph(w.to[row]),
        }));
        found.push({ host, futex: w.futex[ofFutex[first]], waits });
      }
    }
  }
  return found;
}

/** End of the system call that a thread is in at a time, as far as the segment of history shows; -Infinity: none. */
async function endOfCall({ lists, tables }: HostData, thread: number, time: number): Promise<number> {
  const calls = await lists.read(tables.threads.callAttribute[thread], lists.segmentAt(time));
  const at = firstEndingAfter(calls, time);
  return at < calls.length && calls.begin[at] <= time ? calls.end[at] : -Infinity;
}

/** Finder of the threads that met at a barrier: the last one wakes all others, and none continues before. */
export function togetherIn(groups: readonly Group[]): TogetherWith {
  interface Wait {
    readonly time: number;
    readonly to: number;
    readonly waits: Group['waits'];
  }
  const byWorker = new Map<GraphWorker, Wait[]>();
  for (const { waits } of groups)
    for (const { worker, time, to } of waits) addTo(byWorker, worker, { time, to, waits });
  for (const waits of byWorker.values()) waits.sort((a, b) => a.time - b.time);
  return (worker, time) => {
    const waits = byWorker.get(worker) ?? [];
    const at = firstWhere(0, waits.length, (i) => waits[i].time >= time) - 1;
    return at < 0 || waits[at].to < time ? undefined : waits[at].waits;
  };
}
