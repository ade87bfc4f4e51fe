/** Parts of a path's time, as the page gets them: totals, the tree of what was waited for, states. */
import { addNumber } from '../../base/group-by.ts';
import * as codes from '../../graph/path-codes.ts';
import { pathTotals, type PathTotal } from '../../graph/path-totals.ts';
import { type SegmentParts, segmentPartsWhile } from '../../graph/segment-parts.ts';
import type { VirtualCpus } from '../../graph/virtual-cpus.ts';
import { waitsForTree, type WaitsForTree } from '../../graph/waits-for.ts';
import * as values from '../../linux/events/values.ts';
import { threadStateText } from '../../words/state-text.ts';
import { TextList } from '../../base/text-list.ts';
import { PartPacker } from './packed-parts.ts';
import type { PackedPathParts, WaitsFor, PathBlocker } from '../../protocol/paths.ts';
import type { PathGraph, PathLocks } from './path-finder.ts';
import { holderIn, isLockWait, lockWaitWords } from './path-locks.ts';
import { type WorkerList, workersOf } from './path-workers.ts';
import type { Blocker, Ready } from '../../graph/part-columns.ts';
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import type { Path } from '../../graph/path.ts';
import { blockedValue, CAUSE_LOCK, STATE_BLOCKED_S } from '../../linux/events/values.ts';

export interface FoundPath {
  readonly known: PathGraph;
  readonly path: Path;
  /** undefined: not known. */
  readonly locks: PathLocks | undefined;
}

/** @returns undefined when the question was given up */
export async function pathParts(
  { known, path, locks }: FoundPath,
  virtualCpus: VirtualCpus,
  isWanted: () => boolean,
): Promise<PackedPathParts | undefined> {
  const sources = { virtualCpus, holderOf: locks && holderIn(locks) };
  const parts = await segmentPartsWhile(known.graph, path, sources, isWanted);
  if (parts === undefined) return undefined;
  const workers = workersOf(known, path, locks);
  const nameOf = (worker: GraphWorker): string => workers.textOf(worker);
  const textOf = blockerTexts(parts, nameOf);
  const packer = new PartPacker();
  for (const total of pathTotals(
    path,
    (worker) => workers.indexOf(worker),
    partsIn(known.graph, path, parts, locks?.wordsOf),
  ))
    packer.add({
      worker: total.group,
      value: total.value,
      detail: total.detail,
      ns: total.ns,
      segments: total.segments.length,
      blockers: blockersOf(total, textOf),
      served: servedDuring(total, parts, nameOf),
    });
  const waitsFor = waitsForColumns(waitsForTree(path, parts), textOf, workers, locks);
  const states = Int32Array.from(path.segments.label, (_, i) => longestState(parts, i));
  return { workers: workers.list, states, parts: packer.finish(), waitsFor };
}

function longestState({ parts: { start, value, ns } }: SegmentParts, segment: number): number {
  const end = start[segment + 1];
  let longest = values.STATE_UNKNOWN;
  let most = 0;
  for (let i = start[segment]; i < end; i++) {
    if (value.indexOf(value[i], start[segment]) < i) continue;
    let sum = ns[i];
    for (let other = i + 1; other < end; other++) if (value[other] === value[i]) sum += ns[other];
    if (sum <= most) continue;
    most = sum;
    longest = value[i];
  }
  return longest;
}

function waitsForColumns(
  { length, parent, kind, subject, ns }: WaitsForTree,
  blockerText: (blocker: number) => string,
  workers: WorkerList,
  locks: PathLocks | undefined,
): WaitsFor {
  const texts = new TextList();
  const textOf = (i: number): string => {
    switch (kind[i]) {
      case 'worker':
        return workers.textOf(subject[i]);
      case 'state':
        // The frame above a state names its worker.
        return isLockWait(subject[i])
          ? lockWaitWords(locks?.wordsOf(subject[parent[i]], subject[i]) ?? 'a lock', subject[i])
          : stateWords(subject[i]);
      case 'blocker':
        return blockerText(subject[i]);
    }
  };
  return {
    length,
    parent: Int32Array.from(parent),
    worker: Int32Array.from(kind, (each, i) => (each === 'worker' ? workers.indexOf(subject[i]) : -1)),
    value: Int32Array.from(kind, (each, i) => (each === 'state' ? subject[i] : codes.NO_STATE)),
    text: Int32Array.from(kind, (_, i) => texts.indexOf(textOf(i))),
    texts: texts.list,
    ns: Float64Array.from(ns),
  };
}

export function stateWords(value: number): string {
  const softirq = codes.waitingSoftirqName(value);
  if (softirq !== '') return `Softirq ${softirq} waits`;
  switch (value) {
    case codes.PACKET_ON_ITS_WAY:
      return 'Network';
    case codes.PREEMPTED_BY_HOST:
      return 'Preempted by the host';
    case codes.BLOCKED_ON_HOST:
      return 'Blocked on the host';
    default:
      return threadStateText(value);
  }
}

/** Value of a wait for any lock. */
const ANY_LOCK = blockedValue(STATE_BLOCKED_S, CAUSE_LOCK, -1);

/** Why an idle CPU did not run the thread that was ready. */
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
      return `${codes.NOBODY_BUT}CPU ${blocker.cpu} was idle${IDLE_BUT[blocker.waits]}`;
    case 'interrupt':
    case 'cause':
      return blocker.name;
    case 'request':
      return `${blocker.isFlush ? 'flush' : 'request'} of ${makerText(blocker.worker, nameOf)} on disk ${blocker.device}, ${blocker.step}`;
    case 'unknown':
      return codes.NOBODY_KNOWN;
  }
}

/** Words of blockers by number; cached. */
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
      addNumber(byText, text, ns);
    }
  }
  return Array.from(byText, ([text, ns]) => ({ text, ns })).sort((a, b) => b.ns - a.ns);
}

function makerText(worker: GraphWorker, nameOf: (worker: GraphWorker) => string): string {
  return worker === NOBODY ? 'a thread' : nameOf(worker);
}

/** Calls `take` for each part of a segment, with its system call, or the `lockName` that it waits for, as detail. */
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
