/**
 * Event loops (Giraldeau 2015, sections 5.4.3 and 8.1): a thread that polls with a time-out waits again and again,
 * and a timer ends each wait but the last. Folded they are one wait, which the last signal explains.
 */
import { Edge, FOUND, MISSING, NOBODY, type ExecutionGraph, type GraphWorker } from './execution-graph.ts';
import { BLOCKED } from './path-codes.ts';

/** Longest run between two waits of a loop: this (ns), or this share of the wait before. */
const SHORT_RUN_NS = 1_000_000;
const SHORT_RUN_SHARE = 0.05;

/** Families of calls that wait for events of files. */
const EVENT_CALLS = [
  ['poll', 'ppoll', 'ppoll_time64'],
  ['select', 'pselect6', 'pselect6_time64', '_newselect'],
  ['epoll_wait', 'epoll_pwait', 'epoll_pwait2'],
];

const FUTEX_CALLS = ['futex', 'futex_time64', 'futex_waitv'];

/** Families of calls in which event loops wait; a family's number is its index in this list plus 1. */
const WAITING_CALLS = [...EVENT_CALLS, FUTEX_CALLS];

export function isFutexCall(name: string): boolean {
  return FUTEX_CALLS.includes(name);
}

/** Whether a call waits for events of files. */
export function waitsForEvents(name: string): boolean {
  return EVENT_CALLS.some((family) => family.includes(name));
}

/** See `GraphFacts.waitingCall`. */
export function familyOfCall(name: string): number {
  return 1 + WAITING_CALLS.findIndex((family) => family.includes(name));
}

/**
 * Moves the begin of a blocked edge to that of its loop, after `bound`. @returns waits folded into it; -1: something
 * is missing
 */
export function foldLoop(graph: ExecutionGraph, worker: GraphWorker, wait: Edge, bound: number): number {
  const family = graph.facts.waitingCall(worker, wait.begin);
  if (family <= 0) return family;
  const edge = new Edge();
  let folded = 0;
  let begin = wait.begin;
  /** Begin of the run that is being skipped. */
  let runFrom = begin;
  while (runFrom > bound) {
    const found = graph.find(worker, runFrom, edge);
    if (found === MISSING) return -1;
    if (found !== FOUND || edge.lockWait >= 0) break;
    if (edge.label !== BLOCKED) {
      runFrom = edge.begin;
      if (begin - runFrom > SHORT_RUN_NS && begin - runFrom > SHORT_RUN_SHARE * (wait.end - wait.begin))
        break;
      continue;
    }
    const short = Math.max(SHORT_RUN_NS, SHORT_RUN_SHARE * (edge.end - edge.begin));
    if (begin - edge.end > short || !graph.facts.isTimer(edge) || edge.source !== NOBODY) break;
    const own = graph.facts.waitingCall(worker, edge.begin);
    if (own < 0) return -1;
    if (own !== family) break;
    folded++;
    begin = runFrom = edge.begin;
  }
  wait.begin = begin;
  return folded;
}
