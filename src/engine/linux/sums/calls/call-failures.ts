/**
 * System calls that failed, by thread, call and error number: what returned a negative number. An aggregate that only
 * looks at returns. Who called follows from the switches of the CPU; a return between a loss and the next one is nobody's,
 * as in the state history. Of returns before the first switch, all that a range may have, this analysis gives the CPU:
 * who ran there when the range began is for the history to say. So it is for each return of a stream without switches,
 * as sessions of several channels have them.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { readAlone } from '../../../analysis/read-packets.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { tallyReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { isRestart } from '../error-counts.ts';
import { kernelKind } from '../../events/kernel-events.ts';
import { inPairs, mergeStreamParts, streamPartOf } from '../../../analysis/stream-merge.ts';
import { THREAD_ELSEWHERE, THREAD_OPEN } from '../../events/values.ts';
import {
  CALL_OPEN,
  type FailureChunk,
  type FailureStreamPart,
  type FailuresOfChunk,
  joinFailures,
} from './failure-chunk.ts';
import { failureLayout, FailureChunkReader } from './failure-chunk-reader.ts';

export interface CallFailure {
  readonly host: number;
  /** THREAD_OPEN: who ran on `cpu` in the beginning, THREAD_ELSEWHERE: at `time`. */
  readonly tid: number;
  /** Known for these two alone; -1 not even for them. */
  readonly cpu: number;
  /** HostNs of the return; undefined where the thread is known. */
  readonly time?: number;
  /** '' where an old tracer's return does not give it, and the entry lies before the beginning. */
  readonly call: string;
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

export const callFailures: Analysis<FailureChunk, readonly CallFailure[]> = {
  id: 'call-failures',
  version: 6,
  reads: {
    kinds: [kernelKind('switch', 'next_tid'), kernelKind('syscall-entry'), kernelKind('syscall-exit', 'ret')],
  },
  map: (batch) => readAlone(failureReader(batch.plan), batch),
  reader: (plan) => failureReader(plan),
  merge: (leaves) => mergeStreamParts(leaves, inPairs(joinFailures)),
  empty: [],
  finish: finishFailures,
};

/** Sums of the failures, in order of host, tid, call and number; without those of threads that are lost. */
function finishFailures(leaf: FailureChunk): readonly CallFailure[] {
  const sums = new Map<string, CallFailure>();
  for (const { host, cpu, failures } of leaf) {
    failures.tid.forEach((tid, i) => {
      const time = tid === THREAD_ELSEWHERE ? failures.time[i] : undefined;
      if (tid <= 0 && tid !== THREAD_OPEN && time === undefined) return;
      const [name, errno] = [failures.calls[failures.call[i]], failures.errno[i]];
      if (isRestart(errno)) return;
      const call = name === CALL_OPEN ? '' : name;
      const on = tid < 0 ? cpu : -1;
      const key = `${host} ${tid} ${on} ${time} ${errno} ${call}`;
      const count = failures.count[i] + (sums.get(key)?.count ?? 0);
      sums.set(key, { host, tid, cpu: on, time, call, errno, count });
    });
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.host - b.host || a.tid - b.tid || (a.call < b.call ? -1 : a.call > b.call ? 1 : a.errno - b.errno),
  );
}

const failureReader = cachedByKey((plan: ProjectionPlan) =>
  tallyReaders(new FailureChunkReader(failureLayout(plan)), failureStreamPart),
);

/** @internal */
export function failureStreamPart(batch: EventBatch, made: FailuresOfChunk): FailureStreamPart {
  return { ...streamPartOf(batch), cpu: batch.cpu, ...made };
}
