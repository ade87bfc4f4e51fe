/** Parts of a path's time, as the page gets them: totals, the tree of what was waited for, states. */
import type { GraphWorker } from '../../graph/execution-graph.ts';
import {
  BLOCKED_ON_HOST,
  NO_STATE,
  PACKET_ON_ITS_WAY,
  PREEMPTED_BY_HOST,
  waitingSoftirqName,
} from '../../graph/path-codes.ts';
import { pathTotals } from '../../graph/path-totals.ts';
import type { Path } from '../../graph/path.ts';
import { type SegmentParts, segmentPartsWhile } from '../../graph/segment-parts.ts';
import type { VirtualCpus } from '../../graph/virtual-cpus.ts';
import { waitsForTree, type WaitsForTree } from '../../graph/waits-for.ts';
import * as values from '../../linux/events/values.ts';
import { threadStateText } from '../../words/state-text.ts';
import { PartPacker, TextList } from './packed-parts.ts';
import type { PackedPathParts, WaitsFor } from '../../protocol/paths.ts';
import { blockersOf, blockerTexts, partsIn, servedDuring } from './path-blockers.ts';
import type { PathGraph, PathLocks } from './path-finder.ts';
import { holderIn, isLockWait, lockWaitWords } from './path-locks.ts';
import { type WorkerList, workersOf } from './path-workers.ts';

export interface FoundPath {
  readonly known: PathGraph;
  readonly path: Path;
  /** undefined: they are not known. */
  readonly locks: PathLocks | undefined;
}

/** @returns undefined when nobody wanted it any more */
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

/** The state that most of a segment was in. */
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
        // Above a state stands whose it is.
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
    value: Int32Array.from(kind, (each, i) => (each === 'state' ? subject[i] : NO_STATE)),
    text: Int32Array.from(kind, (_, i) => texts.indexOf(textOf(i))),
    texts: texts.list,
    ns: Float64Array.from(ns),
  };
}

/** Words of a state's value on a path. */
export function stateWords(value: number): string {
  const softirq = waitingSoftirqName(value);
  if (softirq !== '') return `Softirq ${softirq} waits`;
  switch (value) {
    case PACKET_ON_ITS_WAY:
      return 'Network';
    case PREEMPTED_BY_HOST:
      return 'Preempted by the host';
    case BLOCKED_ON_HOST:
      return 'Blocked on the host';
    default:
      return threadStateText(value);
  }
}
