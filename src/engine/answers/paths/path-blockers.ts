/** Words for who took the time in which a thread on a path could not go on. */
import type { Blocker, Ready } from '../../graph/blockers.ts';
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import { NOBODY_BUT, NOBODY_KNOWN } from '../../graph/path-codes.ts';
import type { PathTotal } from '../../graph/path-totals.ts';
import type { Path } from '../../graph/path.ts';
import type { SegmentParts } from '../../graph/segment-parts.ts';
import { blockedValue, CAUSE_LOCK, STATE_BLOCKED_S } from '../../linux/events/values.ts';
import type { PathBlocker } from '../../protocol/paths.ts';
import { isLockWait } from './path-locks.ts';

/** Value of a wait for a lock, whichever it is. */
const ANY_LOCK = blockedValue(STATE_BLOCKED_S, CAUSE_LOCK, -1);

/** Reason why an idle CPU did not run who was ready. */
const IDLE_BUT: Readonly<Record<Ready, string>> = {
  woken: ", waking up, or throttled by a cgroup's CPU limit",
  preempted: ", most likely throttled by a cgroup's CPU limit",
  softirq: ' but for interrupts',
};

function blockerText(blocker: Blocker, nameOf: (worker: GraphWorker) => string): string {
  switch (blocker.kind) {
    case 'thread':
      return nameOf(blocker.worker);
    case 'idle':
      return `${NOBODY_BUT}CPU ${blocker.cpu} was idle${IDLE_BUT[blocker.waits]}`;
    case 'interrupt':
    case 'cause':
      return blocker.name;
    case 'request':
      return `${blocker.isFlush ? 'flush' : 'request'} of ${makerText(blocker.worker, nameOf)} on disk ${blocker.device}, ${blocker.step}`;
    case 'unknown':
      return NOBODY_KNOWN;
  }
}

/** Words of blockers by number, each made once. */
export function blockerTexts(
  { blockers }: SegmentParts,
  nameOf: (worker: GraphWorker) => string,
): (blocker: number) => string {
  const texts: string[] = [];
  return (blocker) => (texts[blocker] ??= blockerText(blockers[blocker], nameOf));
}

/** The blockers of a total, most time first. */
export function blockersOf({ blockers }: PathTotal, textOf: (blocker: number) => string): PathBlocker[] {
  const found = Array.from(blockers, ([blocker, ns]) => ({ text: textOf(blocker), ns }));
  return found.sort((a, b) => b.ns - a.ns);
}

/** Threads that disks served during the waits of a total, most time first: they may add up to more than the waits. */
export function servedDuring(
  { segments }: PathTotal,
  { served }: SegmentParts,
  nameOf: (worker: GraphWorker) => string,
): PathBlocker[] {
  const byText = new Map<string, number>();
  for (const segment of segments) {
    for (const { worker, ns } of served.get(segment) ?? []) {
      const text = makerText(worker, nameOf);
      byText.set(text, (byText.get(text) ?? 0) + ns);
    }
  }
  return Array.from(byText, ([text, ns]) => ({ text, ns })).sort((a, b) => b.ns - a.ns);
}

function makerText(worker: GraphWorker, nameOf: (worker: GraphWorker) => string): string {
  return worker === NOBODY ? 'a thread' : nameOf(worker);
}

/**
 * Calls `take` for each part of a segment; its detail is the system call or, of waits for locks, which lock.
 * @param lockName name of the lock that a worker's wait of this value is for
 */
export function partsIn(
  graph: HistoryGraph,
  { segments }: Path,
  { parts }: SegmentParts,
  lockName: (worker: GraphWorker, value: number) => string = () => '',
): (segment: number, take: (value: number, ns: number, detail: string, blocker: number) => void) => void {
  return (segment, take) => {
    const worker = segments.worker[segment];
    for (let i = parts.start[segment]; i < parts.start[segment + 1]; i++) {
      const value = parts.value[i];
      const call = parts.call[i];
      if (isLockWait(value)) take(ANY_LOCK, parts.ns[i], lockName(worker, value), parts.blocker[i]);
      else take(value, parts.ns[i], call < 0 ? '' : graph.dataOf(worker).text(call), parts.blocker[i]);
    }
  };
}
